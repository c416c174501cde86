/**
 * The names of threads, places and posts on Discord, made and read here only.
 *
 *   discord:@me:<channel>                       a direct message
 *   discord:<server>:<parent>:t<thread>         a Discord thread or forum post; one that a message opens has its id
 *   discord:<server>:<channel>:m<message>       replies to that message, where no thread can be opened
 *   discord:<server>:<channel>:a<interaction>   provisional: asked by a command; the first post there opens the thread
 *
 * A place is a channel, the parent of its threads: `discord:<channel>`. A post is `<channel>/<message>`.
 */
import { AdapterError, placeKey, postRef, threadKey } from "../../gateway/contract.ts";
import type { PlaceKey, PostRef, ThreadKey } from "../../gateway/contract.ts";

export type Address =
  | { readonly type: "direct"; readonly channel: string }
  | { readonly type: "thread"; readonly guild: string; readonly parent: string; readonly thread: string }
  | { readonly type: "replies"; readonly guild: string; readonly channel: string; readonly root: string }
  | { readonly type: "provisional"; readonly guild: string; readonly channel: string; readonly interaction: string };

export function formatThread(address: Address): ThreadKey {
  switch (address.type) {
    case "direct":
      return threadKey(`discord:@me:${address.channel}`);
    case "thread":
      return threadKey(`discord:${address.guild}:${address.parent}:t${address.thread}`);
    case "replies":
      return threadKey(`discord:${address.guild}:${address.channel}:m${address.root}`);
    case "provisional":
      return threadKey(`discord:${address.guild}:${address.channel}:a${address.interaction}`);
  }
}

/** Throws `AdapterError` invalid for a key that this adapter did not make. */
export function parseThread(key: ThreadKey): Address {
  const [, guild, channel, kind, id] = /^discord:(@me|\w+):(\w+)(?::([tma])(\w+))?$/.exec(key) ?? [];
  if (guild === "@me" && channel && !kind) return { type: "direct", channel };
  if (guild && guild !== "@me" && channel && id) {
    if (kind === "t") return { type: "thread", guild, parent: channel, thread: id };
    if (kind === "m") return { type: "replies", guild, channel, root: id };
    if (kind === "a") return { type: "provisional", guild, channel, interaction: id };
  }
  throw new AdapterError("invalid", `Expected a Discord thread key, got "${key}".`);
}

/** A thread that begins with a message, as replies below that message, where nothing else can be; others as they are. */
export function asReplies(thread: ThreadKey): ThreadKey {
  const at = parseThread(thread);
  if (at.type !== "thread") return thread;
  return formatThread({ type: "replies", guild: at.guild, channel: at.parent, root: at.thread });
}

export const formatPlace = (channel: string): PlaceKey => placeKey(`discord:${channel}`);

export const formatPost = (channel: string, message: string): PostRef => postRef(`${channel}/${message}`);

/** Throws `AdapterError` invalid for a reference that this adapter did not make. */
export function parsePost(ref: PostRef): { readonly channel: string; readonly message: string } {
  const [, channel, message] = /^(\w+)\/(\w+)$/.exec(ref) ?? [];
  if (!channel || !message) throw new AdapterError("invalid", `Expected a Discord post, got "${ref}".`);
  return { channel, message };
}
