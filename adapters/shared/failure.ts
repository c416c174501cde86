/** What a failed call says, before an adapter makes an `AdapterError` of it: what is the same for every platform. */
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import type { AdapterErrorCode } from "../../gateway/contract.ts";

export interface Failure {
  readonly code: AdapterErrorCode;
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** These mean that no connection was made, so nothing can have been accepted. */
const NOT_CONNECTED = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
];
const LOCAL_FILE = ["ENOENT", "EACCES", "EISDIR", "EPERM"];

/** No answer came, or none that could be read. `asked`: what it would have been the answer to. */
export function noAnswer(error: unknown, platform: string, asked?: string): Failure {
  const code = systemCode(error) ?? "";
  if (NOT_CONNECTED.includes(code))
    return { code: "unavailable", message: `${platform} cannot be reached: ${messagesOf(error)}` };
  if (LOCAL_FILE.includes(code)) return { code: "invalid", message: `The file cannot be read: ${code}` };
  const to = asked === undefined ? "" : ` to ${asked}`;
  return { code: "unknown_outcome", message: `No answer from ${platform}${to}: ${messagesOf(error)}` };
}

/** A new cause: a library's own errors carry headers, bodies and payloads, in which tokens and people's words stand. */
export function causeOf(error: unknown, redact: (text: string) => string): Error {
  const cause = new Error(redact(messagesOf(error)));
  if (error instanceof Error) cause.name = error.name;
  return cause;
}

/** A cause within a cause, so deep; what lies deeper says nothing more. */
const DEEPEST = 4;

/** The messages of an error and of its causes. */
function messagesOf(error: unknown): string {
  const messages = chain(error).map((one) => (one instanceof Error ? one.message : String(one)));
  return messages.filter((message) => message !== "").join(": ");
}

/** The first code of the operating system or of the network; the web's own errors have numbers as codes. */
function systemCode(error: unknown): string | undefined {
  const codes = chain(error).map((one) => (one instanceof Error && "code" in one ? one.code : undefined));
  return codes.find((code): code is string => typeof code === "string" && code !== "");
}

function chain(error: unknown, depth = 0): unknown[] {
  const inner = error instanceof Error ? innerOf(error) : undefined;
  return inner === undefined || depth >= DEEPEST ? [error] : [error, ...chain(inner, depth + 1)];
}

/** Of several addresses that were tried, the first. */
const innerOf = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error.cause);

/** For a sign of life: only a "wait" is passed on, to be kept; no other failure of it is anybody's business. */
export function unlessLimited(error: unknown, log: Logger): void {
  if (error instanceof AdapterError && error.code === "rate_limited") throw error;
  log.debug({ err: error }, "the sign of life was not shown");
}

/** A network that is down at the start may come back; a refused token does not. */
export function unlessHopeless(error: unknown): undefined {
  if (error instanceof AdapterError && error.code !== "auth") return undefined;
  throw error;
}
