/** The libraries' own log, in ours. */
import { LogLevel } from "@slack/bolt";
import type { Logger as PinoLogger } from "pino";
import { redact } from "./errors.ts";

/** What `@slack/*` calls a logger. */
interface LibraryLogger {
  debug(...what: unknown[]): void;
  info(...what: unknown[]): void;
  warn(...what: unknown[]): void;
  error(...what: unknown[]): void;
  setLevel(level: LogLevel): void;
  getLevel(): LogLevel;
  setName(name: string): void;
}

/**
 * Everything at our debug level: what matters of it reaches us as errors too, and each refresh of a socket is an
 * "error" to the library. Its own debug lines hold whole messages and the tickets of sockets, so they are left out.
 */
export function libraryLogger(log?: PinoLogger): LibraryLogger {
  const line = (...what: unknown[]) => log?.debug(redact(what.map(String).join(" ")));
  return {
    debug: () => {},
    info: line,
    warn: line,
    error: line,
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}
