/**
 * The methods of the Bot API that we use, typed here, called through telegraf's client. One table instead of the
 * library's types, which end at Bot API 7.1; a method is added by one line.
 */
import { Telegram } from "telegraf";
import { AdapterError } from "../../gateway/contract.ts";
import { toAdapterError } from "./errors.ts";
import type { Entity } from "./entities.ts";
import type { Keyboard } from "./part.ts";
import type { Destination } from "./thread-key.ts";
import type { ALLOWED_UPDATES } from "./update.ts";

export interface BotUser {
  readonly id: number;
  readonly first_name: string;
  readonly username: string;
  readonly can_join_groups?: boolean;
  readonly can_read_all_group_messages?: boolean;
}
export interface MenuCommand {
  readonly command: string;
  readonly description: string;
}
interface TextParameters {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly reply_markup?: Keyboard;
  readonly link_preview_options: { readonly is_disabled: true };
}
interface PostParameters {
  readonly chat_id: number;
  readonly message_id: number;
}
/** telegraf reads the path itself; in a multipart body it drops an object such as `reply_parameters`, so that is JSON. */
interface UploadParameters extends Omit<Destination, "reply_parameters"> {
  readonly reply_parameters?: string;
  readonly disable_notification?: boolean;
}
interface LocalFile {
  readonly source: string;
  readonly filename: string;
}
type Nothing = Readonly<Record<never, never>>;

interface Methods {
  getMe: { in: Nothing; out: BotUser };
  getWebhookInfo: { in: Nothing; out: { readonly url: string } };
  deleteWebhook: { in: Nothing; out: true };
  getUpdates: {
    in: {
      readonly offset?: number;
      readonly timeout: number;
      readonly limit: number;
      readonly allowed_updates: typeof ALLOWED_UPDATES;
    };
    out: readonly unknown[];
  };
  getMyCommands: { in: Nothing; out: readonly MenuCommand[] };
  setMyCommands: { in: { readonly commands: readonly MenuCommand[] }; out: true };
  sendMessage: {
    in: Destination & TextParameters & { readonly disable_notification?: boolean };
    out: { readonly message_id: number };
  };
  editMessageText: { in: PostParameters & TextParameters; out: unknown };
  deleteMessage: { in: PostParameters; out: true };
  sendPhoto: { in: UploadParameters & { readonly photo: LocalFile }; out: { readonly message_id: number } };
  sendDocument: { in: UploadParameters & { readonly document: LocalFile }; out: { readonly message_id: number } };
  sendChatAction: {
    in: { readonly chat_id: number; readonly message_thread_id?: number; readonly action: "typing" };
    out: true;
  };
  sendMessageDraft: {
    in: {
      readonly chat_id: number;
      readonly message_thread_id?: number;
      /** Not 0; changes under the same one are animated. */
      readonly draft_id: number;
      readonly text: string;
      readonly entities: readonly Entity[];
    };
    out: true;
  };
  answerCallbackQuery: { in: { readonly callback_query_id: string; readonly text?: string }; out: true };
  getFile: { in: { readonly file_id: string }; out: { readonly file_path?: string } };
}

interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}
export interface Api {
  /** The bot's own id, which is the first half of its token: known without asking. */
  readonly account: string;
  readonly token: string;
  /** Throws `AdapterError`, redacted. A call without an answer within `timeoutMs` is an `unknown_outcome`. */
  call<M extends keyof Methods>(
    method: M,
    payload: Methods[M]["in"],
    options?: CallOptions,
  ): Promise<Methods[M]["out"]>;
  /** The bytes behind a `file_path`. Throws `AdapterError`, also while they are read. */
  bytes(filePath: string): Promise<AsyncIterable<Uint8Array>>;
}

/** Long enough for a slow answer, short enough that a lost one is noticed. */
const REQUEST_MS = 30_000;

export function createApi(config: {
  readonly token: string;
  readonly apiUrl: string;
  readonly requestMs?: number;
}): Api {
  const { token, apiUrl, requestMs = REQUEST_MS } = config;
  const client = new Telegram(token, { apiRoot: apiUrl });

  async function call<M extends keyof Methods>(
    method: M,
    payload: Methods[M]["in"],
    { timeoutMs = requestMs, signal }: CallOptions = {},
  ): Promise<Methods[M]["out"]> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const ends = signal ? AbortSignal.any([signal, timeout]) : timeout;
    // Boundary: the table above stands in for the library's own, older one, and its abort shim lacks the newer members.
    const loose = client as unknown as {
      callApi(name: string, body: object, options: { signal: AbortSignal }): Promise<Methods[M]["out"]>;
    };
    return loose.callApi(method, { ...payload }, { signal: ends }).catch((error: unknown) => {
      throw toAdapterError(error, token);
    });
  }

  async function bytes(filePath: string): Promise<AsyncIterable<Uint8Array>> {
    const url = new URL(`./file/bot${token}/${filePath}`, apiUrl);
    const response = await fetch(url, { signal: AbortSignal.timeout(10 * requestMs) }).catch((error: unknown) => {
      throw toAdapterError(error, token);
    });
    if (!response.ok || !response.body) {
      throw new AdapterError("unavailable", `Expected the file from Telegram, got status ${response.status}.`);
    }
    return redacted(response.body, token);
  }

  return { account: token.split(":", 1)[0] ?? "", token, call, bytes };
}

async function* redacted(body: AsyncIterable<Uint8Array>, token: string): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toAdapterError(error, token);
  }
}
