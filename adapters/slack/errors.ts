/** What went wrong on the way to Slack, as an `AdapterError` without a token in it. */
import { webApi } from "@slack/bolt";
import { AdapterError } from "../../gateway/contract.ts";
import type { AdapterErrorCode } from "../../gateway/contract.ts";
import { causeOf, noAnswer } from "../shared/failure.ts";
import type { Failure } from "../shared/failure.ts";

/** With Slack's own word, where it said no: `missing_scope` is no reason to turn people away. */
class SlackError extends AdapterError {
  readonly refusal: string | undefined;
  constructor({ code, message, retryAfterMs, refusal }: SlackFailure, cause: Error) {
    super(code, message, { retryAfterMs, cause });
    this.refusal = refusal;
  }
}
export const refusedWith = (error: unknown, ...words: readonly string[]): boolean =>
  error instanceof SlackError && error.refusal !== undefined && words.includes(error.refusal);

interface SlackFailure extends Failure {
  readonly refusal?: string;
}

/** Which token a call used, to say what an operator must renew. */
export type TokenKind = "bot" | "app";

export function toAdapterError(error: unknown, method: string, token: TokenKind): AdapterError {
  if (error instanceof AdapterError) return error;
  const failure = failureOf(error, method, token);
  return new SlackError({ ...failure, message: redact(failure.message) }, causeOf(error, redact));
}

function failureOf(error: unknown, method: string, token: TokenKind): SlackFailure {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    const message = `Slack asked ${method} to wait ${error.retryAfter} s.`;
    return { code: "rate_limited", message, retryAfterMs: error.retryAfter * 1000 };
  }
  if (error instanceof webApi.WebAPIPlatformError) return refused(error, method, token);
  // Slack documents nothing about what a 5xx has left undone.
  if (error instanceof webApi.WebAPIHTTPError)
    return { code: "unknown_outcome", message: `Expected an answer to ${method}, got status ${error.statusCode}.` };
  return noAnswer(error instanceof webApi.WebAPIRequestError ? error.original : error, "Slack", method);
}

const RENEW: Record<TokenKind, string> = {
  bot: "the bot token was refused. Copy the current one from api.slack.com/apps, your app, OAuth & Permissions (it begins with xoxb-), and put it into platforms.slack.bot_token.",
  app: "the app-level token was refused. Make one with the scope connections:write at api.slack.com/apps, your app, Basic Information, App-Level Tokens (it begins with xapp-), and put it into platforms.slack.app_token.",
};

/** Error names of https://docs.slack.dev/reference/methods; what is not listed is a refusal of the content. */
const CODES: Partial<Record<AdapterErrorCode, readonly string[]>> = {
  auth: [
    ..."invalid_auth not_authed account_inactive token_revoked token_expired not_allowed_token_type".split(" "),
    ..."app_uninstalled invalid_app_token socket_mode_not_enabled".split(" "),
  ],
  forbidden: [
    ..."not_in_channel channel_not_found is_archived channel_is_archived is_inactive missing_scope".split(" "),
    ..."no_permission access_denied ekm_access_denied restricted_action restricted_action_read_only_channel".split(" "),
    ..."restricted_action_thread_only_channel restricted_action_thread_locked cant_post_message".split(" "),
    ..."restricted_action_non_threadable_channel messages_tab_disabled cannot_dm_bot user_is_restricted".split(" "),
    ..."team_access_not_granted posting_to_channel_denied user_not_in_channel thread_locked".split(" "),
  ],
  not_found: "message_not_found thread_not_found file_not_found file_deleted".split(" "),
  too_long: "msg_too_long msg_blocks_too_long".split(" "),
  // The request did not arrive whole, or nobody was there to take it.
  unavailable: "request_timeout service_unavailable team_added_to_org external_channel_migrating".split(" "),
  // Documented: "It's possible some aspect of the operation succeeded before the error was raised."
  unknown_outcome: ["fatal_error", "internal_error"],
};

/** Slack answered and said no. */
function refused({ data }: webApi.WebAPIPlatformError, method: string, token: TokenKind): SlackFailure {
  const { error } = data;
  if (!/^\w+$/.test(error))
    return { code: "unknown_outcome", message: `Expected Slack's answer to ${method}, got a page.` };
  const said = `Slack refused ${method}: ${error}`;
  if (error === "ratelimited" || error === "rate_limited" || error === "message_limit_exceeded")
    return { code: "rate_limited", message: said, retryAfterMs: (data.response_metadata?.retryAfter ?? 30) * 1000 };
  // An app-level token has the scopes that it was made with: only another one helps.
  const code = token === "app" && error === "missing_scope" ? "auth" : codeOf(error);
  const more = code === "auth" ? [RENEW[token]] : details(data);
  return { code, message: [said, ...more].join(": "), refusal: error };
}

const codeOf = (error: string): AdapterErrorCode =>
  (Object.keys(CODES) as AdapterErrorCode[]).find((code) => CODES[code]?.includes(error)) ?? "invalid";

/** Which scope or which block it was. */
function details(data: webApi.WebAPIPlatformError["data"]): string[] {
  if ("needed" in data && typeof data.needed === "string")
    return [`the app needs the scope ${data.needed}; add it and reinstall`];
  return (data.response_metadata?.messages ?? []).slice(0, 3);
}

/** Takes out whatever has the form of a secret: tokens, the tickets of sockets, and addresses that need no token. */
export function redact(text: string): string {
  return text
    .replaceAll(/x(?:ox[a-z]|app)-[\w-]+/gi, "[token]")
    .replaceAll(/(wss?:\/\/[^\s?]+)\?\S+/gi, "$1?[ticket]")
    .replaceAll(/(https?:\/\/[^\s/]+\/(?:upload|actions|commands|response)\/)[^\s"']+/gi, "$1[address]");
}
