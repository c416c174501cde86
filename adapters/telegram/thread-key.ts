/**
 * The names of threads, places and posts on Telegram, made and read here only.
 *
 *   telegram:<account>:<chat>            a private chat, or a group as a whole (where a welcome goes)
 *   telegram:<account>:<chat>:t<topic>   a topic, in a forum or in a private chat; General is `t1`
 *   telegram:<account>:<chat>:m<message> a thread in a plain group, opened by that message
 *
 * A post is `<account>:<chat>/<message>`: Telegram numbers the messages of private chats for each bot on its own.
 */
import { AdapterError, placeKey, postRef, threadKey } from "../../gateway/contract.ts";
import type { PlaceKey, PostRef, ThreadKey } from "../../gateway/contract.ts";

export interface Address {
  readonly account: string;
  readonly chat: number;
  readonly topic?: number;
  /** The message of a plain group that opened the thread. */
  readonly root?: number;
}

/** Telegram: the General topic has id 1 and must not be named when sending. */
export const GENERAL = 1;

export function formatThread({ account, chat, topic, root }: Address): ThreadKey {
  const suffix = topic !== undefined ? `:t${topic}` : root !== undefined ? `:m${root}` : "";
  return threadKey(`telegram:${account}:${chat}${suffix}`);
}

/** Throws `AdapterError` invalid for a key that this adapter did not make. */
export function parseThread(key: ThreadKey): Address {
  const found = /^telegram:(\d+):(-?\d+)(?::([tm])(\d+))?$/.exec(key);
  const [, account, chat, kind, id] = found ?? [];
  if (!account || !chat) throw new AdapterError("invalid", `Expected a Telegram thread key, got "${key}".`);
  return {
    account,
    chat: Number(chat),
    ...(kind === "t" && { topic: Number(id) }),
    ...(kind === "m" && { root: Number(id) }),
  };
}

export const formatPlace = (account: string, chat: number): PlaceKey => placeKey(`telegram:${account}:${chat}`);

export const formatPost = (account: string, chat: number, message: number): PostRef =>
  postRef(`${account}:${chat}/${message}`);

/** Throws `AdapterError` invalid for a reference that this adapter did not make. */
export function parsePost(ref: PostRef): { readonly chat: number; readonly message: number } {
  const [, chat, message] = /^\d+:(-?\d+)\/(\d+)$/.exec(ref) ?? [];
  if (!chat || !message) throw new AdapterError("invalid", `Expected a Telegram post, got "${ref}".`);
  return { chat: Number(chat), message: Number(message) };
}

/** Where a message of this thread goes, as parameters of every `send…` method. */
export interface Destination {
  readonly chat_id: number;
  readonly message_thread_id?: number;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
}

export function destination(key: ThreadKey): Destination {
  const { chat, topic, root } = parseThread(key);
  return {
    chat_id: chat,
    ...(topic !== undefined && topic !== GENERAL && { message_thread_id: topic }),
    ...(root !== undefined && { reply_parameters: { message_id: root, allow_sending_without_reply: true } }),
  };
}
