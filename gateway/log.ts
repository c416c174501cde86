/** JSON lines on standard output, pretty on a terminal. */
import pino, { type Logger } from "pino";
import pretty from "pino-pretty";

export function createLog(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (!process.stdout.isTTY) return pino(options);
  return pino(options, pretty({ colorize: true, translateTime: "SYS:HH:MM:ss", sync: true }));
}
