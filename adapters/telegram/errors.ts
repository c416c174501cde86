/** What went wrong on the way to Telegram, as an `AdapterError` without the token in it. */
import { TelegramError } from "telegraf";
import { AdapterError } from "../../gateway/contract.ts";
import type { AdapterErrorCode } from "../../gateway/contract.ts";
import { causeOf, noAnswer } from "../shared/failure.ts";
import type { Failure } from "../shared/failure.ts";
import { withoutToken } from "../shared/without-token.ts";

/** The group became a supergroup, under another id; nothing can be said or changed under the old one. */
export class MovedError extends AdapterError {
  readonly chat: number;
  constructor(chat: number, message: string, cause: Error) {
    super("invalid", message, { cause });
    this.chat = chat;
  }
}

/** `token` is taken out of the message, the stack and the cause, wherever it stands in them. */
export function toAdapterError(error: unknown, token: string): AdapterError {
  if (error instanceof AdapterError) return error;
  const { code, message, retryAfterMs } = error instanceof TelegramError ? refused(error) : noAnswer(error, "Telegram");
  const cause = causeOf(error, (text) => redact(text, token));
  const moved = error instanceof TelegramError ? error.response.parameters?.migrate_to_chat_id : undefined;
  if (moved !== undefined) return new MovedError(moved, redact(`${message}: its id is now ${moved}`, token), cause);
  return new AdapterError(code, redact(message, token), { retryAfterMs, cause });
}

/** Takes the token out of a text, and anything else that has a token's form: an id, a colon, about 35 characters. */
const redact = (text: string, token: string): string =>
  withoutToken(text, token).replaceAll(/\d{5,}(?::|%3A)[\w-]{10,}/gi, "[token]");

// Descriptions as the platform words them; they are not a documented contract, so unknown ones stay `invalid`.
const BAD_REQUESTS: readonly (readonly [RegExp, AdapterErrorCode])[] = [
  [/message is not modified/i, "not_modified"],
  [/message to (edit|delete) not found|message_id_invalid|message identifier is not specified/i, "not_found"],
  [/message is too long|message_too_long/i, "too_long"],
  [/chat not found|thread not found|topic_(closed|deleted)|not enough rights|chat_write_forbidden/i, "forbidden"],
];

/** Telegram answered and said no. */
function refused({ response }: TelegramError): Failure {
  const { error_code: status, description } = response;
  const said = `Telegram answered ${status} ${description}`;
  if (status === 401 || status === 404) {
    return {
      code: "auth",
      message: `${said}: the bot token was refused. Get the current one from BotFather (/mybots, API Token) and put it into platforms.telegram.bot_token.`,
    };
  }
  if (status === 403) return { code: "forbidden", message: said };
  if (status === 409) return { code: "unavailable", message: `${said}: ${SECOND_POLLER}` };
  if (status === 429) {
    return { code: "rate_limited", message: said, retryAfterMs: (response.parameters?.retry_after ?? 1) * 1000 };
  }
  // Telegram documents nothing about what a 5xx has left undone.
  if (status >= 500) return { code: "unknown_outcome", message: said };
  return { code: BAD_REQUESTS.find(([words]) => words.test(description))?.[1] ?? "invalid", message: said };
}

const SECOND_POLLER =
  "a second process asks for the updates of this bot (or a webhook is set). Stop the other one, or give this one a bot of its own.";
