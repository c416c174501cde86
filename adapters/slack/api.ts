/**
 * The methods of Slack's Web API that we use, typed here, called through the official client. It neither waits nor
 * repeats by itself: it would post twice when an answer is lost, and change the order of posts when it is told to wait.
 */
import { webApi } from "@slack/bolt";
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import { toAdapterError } from "./errors.ts";
import { libraryLogger } from "./library-logger.ts";
import type { Block, Fields } from "./part.ts";

type Text = { readonly text: string; readonly blocks: readonly Block[] };
interface Metadata {
  readonly event_type: string;
  readonly event_payload: { readonly nonce: string };
}
/** A message as `conversations.replies` and `conversations.history` give it. */
export interface StoredMessage {
  readonly ts: string;
  readonly thread_ts?: string;
  readonly subtype?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly username?: string;
  readonly text?: string;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: { readonly nonce?: unknown } };
  readonly files?: readonly { readonly name?: string; readonly size?: number }[];
}
export interface Page {
  readonly limit: number;
  readonly cursor?: string;
  readonly oldest?: string;
  readonly latest?: string;
  readonly include_all_metadata?: boolean;
}
interface Messages {
  readonly messages?: readonly StoredMessage[];
  readonly response_metadata?: { readonly next_cursor?: string };
}
export interface SlackUser {
  readonly id: string;
  readonly team_id?: string;
  readonly name?: string;
  readonly real_name?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_stranger?: boolean;
  readonly profile?: { readonly display_name?: string; readonly real_name?: string };
  readonly enterprise_user?: { readonly teams?: readonly string[] };
}
export interface SlackFile {
  readonly id: string;
  readonly url_private?: string;
  readonly url_private_download?: string;
  /** Where it is shown: visibility → channel → messages. */
  readonly shares?: Readonly<Record<string, Readonly<Record<string, readonly { readonly ts: string }[]>>>>;
}

interface Methods {
  "auth.test": { in: Fields; out: AuthTest };
  "apps.connections.open": { in: Fields; out: { readonly url: string } };
  "users.info": { in: { readonly user: string }; out: { readonly user: SlackUser } };
  "conversations.info": {
    in: { readonly channel: string };
    out: { readonly channel: { readonly is_member?: boolean; readonly is_im?: boolean } };
  };
  "conversations.replies": { in: Page & { readonly channel: string; readonly ts: string }; out: Messages };
  "conversations.history": { in: Page & { readonly channel: string }; out: Messages };
  "chat.postMessage": {
    in: Text & {
      readonly channel: string;
      readonly thread_ts?: string;
      readonly mrkdwn?: false;
      readonly metadata: Metadata;
      readonly unfurl_links: false;
      readonly unfurl_media: false;
    };
    out: { readonly ts: string };
  };
  "chat.postEphemeral": {
    in: Text & { readonly channel: string; readonly user: string; readonly thread_ts?: string };
    out: unknown;
  };
  "chat.update": { in: Text & { readonly channel: string; readonly ts: string }; out: unknown };
  "chat.delete": { in: { readonly channel: string; readonly ts: string }; out: unknown };
  "views.open": { in: { readonly trigger_id: string; readonly view: Fields }; out: unknown };
  "assistant.threads.setStatus": {
    in: { readonly channel_id: string; readonly thread_ts: string; readonly status: string };
    out: unknown;
  };
  "files.getUploadURLExternal": {
    in: { readonly filename: string; readonly length: number };
    out: { readonly upload_url: string; readonly file_id: string };
  };
  "files.completeUploadExternal": {
    in: {
      readonly files: readonly { readonly id: string; readonly title: string }[];
      readonly channel_id: string;
      readonly thread_ts?: string;
    };
    out: { readonly files?: readonly SlackFile[] };
  };
  "files.info": { in: { readonly file: string }; out: { readonly file: SlackFile } };
  "files.delete": { in: { readonly file: string }; out: unknown };
}
export type Method = keyof Methods;
export interface AuthTest {
  readonly url?: string;
  readonly team?: string;
  readonly user?: string;
  readonly team_id: string;
  readonly user_id: string;
  readonly bot_id?: string;
  /** Of a whole organisation, in one of whose workspaces `team_id` does not lie. */
  readonly is_enterprise_install?: boolean;
  /** From the header `x-oauth-scopes`. */
  readonly response_metadata?: { readonly scopes?: readonly string[] };
}

export interface Api {
  /** Throws `AdapterError`, redacted. A call without an answer in time is an `unknown_outcome`. */
  call<M extends Method>(method: M, payload: Methods[M]["in"]): Promise<Methods[M]["out"]>;
  /** Why the bot token is refused now; undefined while it works. */
  refusal(): string | undefined;
}

/** Long enough for a slow answer, short enough that a lost one is noticed. */
const REQUEST_MS = 30_000;
/** Shorter than a post's: what waits behind an edit is a reply; what Slack waits for must be there within its 3 s. */
const SHORTER_MS: Partial<Record<Method, number>> = {
  "chat.update": 10_000,
  "assistant.threads.setStatus": 10_000,
  "auth.test": 10_000,
  "apps.connections.open": 10_000,
  "users.info": 2500,
  "conversations.info": 2500,
  "views.open": 3000,
};

export interface ApiConfig {
  readonly botToken: string;
  readonly appToken: string;
  readonly apiUrl: string;
  readonly log?: Logger;
  /** Instead of every time-out, ms. */
  readonly requestMs?: number;
}

export function createApi({ botToken, appToken, apiUrl, log, requestMs }: ApiConfig): Api {
  const client = new webApi.WebClient(undefined, {
    slackApiUrl: apiUrl,
    logger: libraryLogger(log),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(requestMs ?? timeoutOf(url)) }),
  });
  let refusal: string | undefined;

  async function call<M extends Method>(method: M, payload: Methods[M]["in"]): Promise<Methods[M]["out"]> {
    const kind = method === "apps.connections.open" ? "app" : "bot";
    try {
      const answer: unknown = await client.apiCall(method, { ...payload, token: kind === "app" ? appToken : botToken });
      if (kind === "bot") refusal = undefined;
      // Boundary: the table above stands in for the library's types, in which every field is optional.
      return answer as Methods[M]["out"];
    } catch (error) {
      const failure = toAdapterError(error, method, kind);
      if (failure.code === "auth" && kind === "bot") refused(failure, method);
      throw failure;
    }
  }

  /** Said once, until it works again; what opens the connection says by itself that it was refused. */
  function refused(failure: AdapterError, method: Method): void {
    if (refusal === undefined && method !== "auth.test") log?.error({ err: failure }, "Slack refuses the bot token");
    refusal = failure.message;
  }
  return { call, refusal: () => refusal };
}

const timeoutOf = (url: string | URL | Request): number => {
  const method =
    String(url instanceof Request ? url.url : url)
      .split("/")
      .at(-1) ?? "";
  return SHORTER_MS[method as Method] ?? REQUEST_MS;
};

/** Addresses that may be sent our token or a person's words: Slack's own, and the host we were told to talk to. */
export function ownUrl(address: string, apiUrl: string): URL {
  const url = URL.parse(address);
  const isSlack = url?.protocol === "https:" && (url.hostname === "slack.com" || url.hostname.endsWith(".slack.com"));
  if (url && (isSlack || url.origin === new URL(apiUrl).origin)) return url;
  throw new AdapterError("invalid", `Expected an address of Slack's, got one on "${url?.host ?? "no host"}".`);
}
