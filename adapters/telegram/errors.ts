/** What went wrong on the way to Telegram, as an `AdapterError` without the token in it. */
import { TelegramError } from "telegraf";
import { AdapterError } from "../../gateway/contract.ts";
import type { AdapterErrorCode } from "../../gateway/contract.ts";

interface Failure {
  readonly code: AdapterErrorCode;
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** `token` is taken out of the message, the stack and the cause, wherever it stands in them. */
export function toAdapterError(error: unknown, token: string): AdapterError {
  if (error instanceof AdapterError) return error;
  const failure = error instanceof TelegramError ? refused(error) : unreachable(error);
  const cause = new Error(redact(chain(error), token));
  if (error instanceof Error) cause.name = error.name;
  return new AdapterError(failure.code, redact(failure.message, token), { retryAfterMs: failure.retryAfterMs, cause });
}

/** Takes the token out of a text: as it is, URL-encoded, and anything else that has a token's form. */
function redact(text: string, token: string): string {
  const plain =
    token === "" ? text : text.replaceAll(token, "[token]").replaceAll(encodeURIComponent(token), "[token]");
  // Telegram: a token is the bot's id, a colon and about 35 characters.
  return plain.replaceAll(/\d{5,}(?::|%3A)[\w-]{10,}/gi, "[token]");
}

/** The messages of an error and its causes; never its payload, which holds what people wrote. */
function chain(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined || depth > 3 ? "" : `: ${chain(error.cause, depth + 1)}`;
  return `${error.message}${cause}`;
}

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
  if (status >= 500) return { code: "unavailable", message: said };
  const moved = response.parameters?.migrate_to_chat_id;
  if (moved !== undefined) {
    return { code: "invalid", message: `${said}: the group became a supergroup, its id is now ${moved}.` };
  }
  return { code: BAD_REQUESTS.find(([words]) => words.test(description))?.[1] ?? "invalid", message: said };
}

const SECOND_POLLER =
  "a second process asks for the updates of this bot (or a webhook is set). Stop the other one, or give this one a bot of its own.";

/** These mean that no connection was made, so nothing can have been accepted. */
const NOT_CONNECTED = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "ENETDOWN"];
const LOCAL_FILE = ["ENOENT", "EACCES", "EISDIR", "EPERM"];

/** No answer came, or none that could be read. */
function unreachable(error: unknown): Failure {
  const code = systemCode(error);
  const why = chain(error);
  if (code && NOT_CONNECTED.includes(code))
    return { code: "unavailable", message: `Telegram cannot be reached: ${why}` };
  if (code && LOCAL_FILE.includes(code)) return { code: "invalid", message: `The file cannot be read: ${code}` };
  return { code: "unknown_outcome", message: `No answer from Telegram: ${why}` };
}

function systemCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 3) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return systemCode(error.cause, depth + 1);
}
