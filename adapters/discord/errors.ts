/** What went wrong on the way to Discord, as an `AdapterError` without a token in it. */
import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { AdapterError } from "../../gateway/contract.ts";
import type { AdapterErrorCode } from "../../gateway/contract.ts";

interface Failure {
  readonly code: AdapterErrorCode;
  readonly message: string;
  readonly retryAfterMs?: number;
  readonly refusal?: number;
}

/** With Discord's own code, where it said no: `160004` is no failure when a thread was to be opened. */
export class DiscordError extends AdapterError {
  readonly refusal: number | undefined;
  constructor({ code, message, retryAfterMs, refusal }: Failure, cause: Error) {
    super(code, message, { retryAfterMs, cause });
    this.refusal = refusal;
  }
}
export const refusedWith = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof DiscordError && error.refusal !== undefined && codes.includes(error.refusal);

export const REFUSED_TOKEN =
  "the bot token was refused. Get the current one from https://discord.com/developers/applications (the application, Bot, Reset Token) and put it into platforms.discord.bot_token.";

/** `token` is taken out of the message and the cause, wherever it stands in them. */
export function toAdapterError(error: unknown, token: string): AdapterError {
  if (error instanceof AdapterError) return error;
  const failure = failureOf(error);
  const cause = new Error(redact(chain(error), token));
  if (error instanceof Error) cause.name = error.name;
  return new DiscordError({ ...failure, message: redact(failure.message, token) }, cause);
}

/** Takes the token out of a text, anything else of a token's form, and the tokens of interactions in addresses. */
export function redact(text: string, token: string): string {
  const plain = token === "" ? text : text.replaceAll(token, "[token]");
  return plain
    .replaceAll(/\/(interactions|webhooks)\/(\d+)\/[^/\s?"']+/g, "/$1/$2/[token]")
    .replaceAll(/[\w-]{20,}\.[\w-]{6}\.[\w-]{20,}/g, "[token]");
}

/** The messages of an error and its causes; never its payload, which holds what people wrote. */
function chain(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const inner = innerOf(error);
  const cause = inner === undefined || depth > 3 ? "" : `: ${chain(inner, depth + 1)}`;
  return `${error.message}${cause}`;
}

/** Of several addresses that were tried, the first. */
const innerOf = (error: Error): unknown => (error instanceof AggregateError ? error.errors[0] : error.cause);

function failureOf(error: unknown): Failure {
  if (error instanceof RateLimitError) return rateLimited(error);
  if (error instanceof DiscordAPIError) return refused(error);
  if (error instanceof HTTPError) return failed(error);
  return unreachable(error);
}

function rateLimited({ retryAfter, timeToReset, global }: RateLimitError): Failure {
  const wait = [retryAfter, timeToReset].find((ms) => Number.isFinite(ms) && ms > 0) ?? 1000;
  const scope = global ? "for everything" : "here";
  return { code: "rate_limited", message: `Discord asks for a pause of ${wait} ms ${scope}`, retryAfterMs: wait };
}

// Discord: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
const CODES: Readonly<Record<string, AdapterErrorCode>> = {
  10003: "forbidden", // unknown channel: nothing can be shown there any more
  10004: "forbidden", // unknown server
  10008: "not_found", // unknown message
  30033: "forbidden", // a thread with as many members as it may have
  50001: "forbidden", // missing access
  50007: "forbidden", // this person takes no direct messages
  50013: "forbidden", // missing permissions
  50083: "forbidden", // archived
  160005: "forbidden", // locked
};

/** Discord answered and said no. */
function refused(error: DiscordAPIError): Failure {
  const { status, code } = error;
  const said = `Discord answered ${status} ${error.message.split("\n")[0]} (${code})`;
  // An interaction's token that has expired is refused with 401 too.
  if (status === 401 && code !== 50027) return { code: "auth", message: `${said}: ${REFUSED_TOKEN}` };
  if (/BASE_TYPE_MAX_LENGTH/.test(JSON.stringify(error.rawError))) return { code: "too_long", message: said };
  const meaning = CODES[code] ?? (status === 403 ? "forbidden" : "invalid");
  return { code: meaning, message: said, refusal: Number(code) };
}

/** A new post may have been made before the server failed; everything else can be done again without harm. */
function failed({ status, method }: HTTPError): Failure {
  const isPost = method.toUpperCase() === "POST";
  return { code: isPost ? "unknown_outcome" : "unavailable", message: `Discord answered ${status}` };
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

/** No answer came, or none that could be read. */
function unreachable(error: unknown): Failure {
  const code = systemCode(error);
  const why = chain(error);
  if (code && NOT_CONNECTED.includes(code))
    return { code: "unavailable", message: `Discord cannot be reached: ${why}` };
  return { code: "unknown_outcome", message: `No answer from Discord: ${why}` };
}

function systemCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 3) return undefined;
  if ("code" in error && typeof error.code === "string" && error.code !== "") return error.code;
  return systemCode(innerOf(error), depth + 1);
}
