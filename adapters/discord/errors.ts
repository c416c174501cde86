/** What went wrong on the way to Discord, as an `AdapterError` without a token in it. */
import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { AdapterError } from "../../gateway/contract.ts";
import type { AdapterErrorCode } from "../../gateway/contract.ts";
import { causeOf, noAnswer } from "../shared/failure.ts";
import type { Failure as AnyFailure } from "../shared/failure.ts";
import { withoutToken } from "../shared/without-token.ts";

interface Failure extends AnyFailure {
  readonly refusal?: number;
  readonly everywhere?: boolean;
}

/** With Discord's own code, where it said no: `160004` is no failure when a thread was to be opened. */
export class DiscordError extends AdapterError {
  readonly refusal: number | undefined;
  constructor({ code, message, retryAfterMs, everywhere, refusal }: Failure, cause: Error) {
    super(code, message, { retryAfterMs, everywhere, cause });
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
  const cause = causeOf(error, (text) => redact(text, token));
  return new DiscordError({ ...failure, message: redact(failure.message, token) }, cause);
}

/** Takes the token out of a text, anything else of a token's form, and the tokens of interactions in addresses. */
export function redact(text: string, token: string): string {
  return withoutToken(text, token)
    .replaceAll(/\/(interactions|webhooks)\/(\d+)\/[^/\s?"']+/g, "/$1/$2/[token]")
    .replaceAll(/[\w-]{20,}\.[\w-]{6}\.[\w-]{20,}/g, "[token]");
}

function failureOf(error: unknown): Failure {
  if (error instanceof RateLimitError) return rateLimited(error);
  if (error instanceof DiscordAPIError) return refused(error);
  if (error instanceof HTTPError) return failed(error);
  return noAnswer(error, "Discord");
}

function rateLimited({ retryAfter, timeToReset, global }: RateLimitError): Failure {
  const wait = [retryAfter, timeToReset].find((ms) => Number.isFinite(ms) && ms > 0) ?? 1000;
  const scope = global ? "for everything" : "here";
  return {
    code: "rate_limited",
    message: `Discord asks for a pause of ${wait} ms ${scope}`,
    retryAfterMs: wait,
    everywhere: global,
  };
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
  const { status } = error;
  const code: unknown = error.code; // a page of a proxy has none, whatever the library's types say
  const said = `Discord answered ${status} ${error.message.split("\n")[0]} (${String(code)})`;
  if (isForNow(status, code)) return { code: "unavailable", message: said };
  // An interaction's token that has expired is refused with 401 too.
  if (status === 401 && code !== 50027) return { code: "auth", message: `${said}: ${REFUSED_TOKEN}` };
  if (/BASE_TYPE_MAX_LENGTH/.test(JSON.stringify(error.rawError))) return { code: "too_long", message: said };
  const meaning = CODES[String(code)] ?? (status === 403 ? "forbidden" : "invalid");
  return { code: meaning, message: said, ...(typeof code === "number" && { refusal: code }) };
}

/** Discord: "API resource is currently overloaded. Try again a little later". */
const OVERLOADED = 130000;
const [FORBIDDEN, TIMED_OUT, TOO_LARGE] = [403, 408, 413] as const;

/**
 * Not taken, and no word of Discord's on the matter: without a code it is a page of a proxy in between, and 403 without
 * a reason is one of Discord's own edge. What is too large for either stays so.
 */
function isForNow(status: number, code: unknown): boolean {
  if (status === TIMED_OUT || code === OVERLOADED) return true;
  if (typeof code !== "number") return status !== TOO_LARGE;
  return status === FORBIDDEN && code === 0;
}

/** A new post may have been made before the server failed; everything else can be done again without harm. */
function failed({ status, method }: HTTPError): Failure {
  const isPost = method.toUpperCase() === "POST";
  return { code: isPost ? "unknown_outcome" : "unavailable", message: `Discord answered ${status}` };
}
