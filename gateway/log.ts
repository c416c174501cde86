/** JSON lines on standard output, pretty on a terminal. */
import pino, { type Logger } from "pino";
import pretty from "pino-pretty";

export function createLog(level: string): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: expectedOrWhole },
  };
  if (!process.stdout.isTTY) return pino(options);
  // On a terminal a person reads: one line each, what happened and why; the rest is in the JSON lines.
  const messageFormat = "{msg}{if err.message}: {err.message}{end}{if reason}: {reason}{end}";
  return pino(
    options,
    pretty({ translateTime: "SYS:HH:MM:ss", hideObject: true, messageFormat, errorLikeObjectKeys: [], sync: true }),
  );
}

/** What a platform refuses is no fault of ours: where in our code it was asked says nothing. */
function expectedOrWhole(error: Error): unknown {
  if (error.name !== "AdapterError") return pino.stdSerializers.err(error);
  const code = "code" in error ? error.code : undefined;
  return { type: error.name, code, message: error.message };
}
