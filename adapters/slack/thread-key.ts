/**
 * The names of threads, places and posts on Slack, made and read here only.
 *
 *   slack:<team>:<channel>:<ts>     a thread, named after the message it began with
 *   slack:<team>:<channel>:i<id>    provisional: what was called by a slash command, or what concerns the place as a
 *                                   whole; the first post there opens the thread and gives it its real key
 *
 * A place is `slack:<team>:<channel>`. A post is `<team>:<channel>/<ts>`, or `<team>:<channel>/<file id>` where Slack
 * did not say which message shows the file.
 */
import { createHash } from "node:crypto";
import { AdapterError, placeKey, postRef, threadKey } from "../../gateway/contract.ts";
import type { PlaceKey, PostRef, ThreadKey } from "../../gateway/contract.ts";

export interface Address {
  readonly team: string;
  readonly channel: string;
  /** `ts` of the first message; absent in a provisional key. */
  readonly root?: string;
}

export const formatThread = (team: string, channel: string, root: string): ThreadKey =>
  threadKey(`slack:${team}:${channel}:${root}`);

/** `origin` is what the key shall be unique to: a trigger id, an event's time. */
export function formatProvisional(team: string, channel: string, origin: string): ThreadKey {
  const id = createHash("sha256").update(origin).digest("hex").slice(0, 16);
  return threadKey(`slack:${team}:${channel}:i${id}`);
}

/** Throws `AdapterError` invalid for a key that this adapter did not make. */
export function parseThread(key: string): Address {
  const [, team, channel, root] = /^slack:(\w+):(\w+):(?:(\d+\.\d+)|i\w+)$/.exec(key) ?? [];
  if (!team || !channel) throw new AdapterError("invalid", `Expected a Slack thread key, got "${key}".`);
  return { team, channel, ...(root !== undefined && { root }) };
}

export const formatPlace = (team: string, channel: string): PlaceKey => placeKey(`slack:${team}:${channel}`);

/** `id`: the message's ts, or the id of a file. */
export const formatPost = (team: string, channel: string, id: string): PostRef => postRef(`${team}:${channel}/${id}`);

export type Posted = { readonly channel: string } & (
  | { readonly type: "message"; readonly ts: string }
  | { readonly type: "file"; readonly file: string }
);

/** Throws `AdapterError` invalid for a reference that this adapter did not make. */
export function parsePost(ref: PostRef): Posted {
  const [, channel, ts, file] = /^\w+:(\w+)\/(?:(\d+\.\d+)|(F\w+))$/.exec(ref) ?? [];
  if (channel && ts) return { type: "message", channel, ts };
  if (channel && file) return { type: "file", channel, file };
  throw new AdapterError("invalid", `Expected a Slack post, got "${ref}".`);
}
