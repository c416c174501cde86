/** What is sent, edited, removed and uploaded, and where it goes. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Routes } from "discord.js";
import type { RawFile } from "discord.js";
import type { Logger } from "pino";
import { z } from "zod";
import { AdapterError } from "../../gateway/contract.ts";
import type { FileView, Part, PostRef, Sent, ThreadKey } from "../../gateway/contract.ts";
import type { Channels } from "./channels.ts";
import { refusedWith } from "./errors.ts";
import { threadIsOpen } from "./open-thread.ts";
import { readPart } from "./part.ts";
import { opensThread } from "./place.ts";
import type { ThreadMode } from "./place.ts";
import { nothing } from "./rest.ts";
import type { Api } from "./rest.ts";
import { formatPost, formatThread, parsePost, parseThread } from "./thread-key.ts";

export interface OutgoingDeps {
  readonly api: Api;
  readonly channels: Channels;
  readonly log: Logger;
  readonly mode: ThreadMode;
}

/** Discord: 10 MB a file where a server has no boosts. */
export const UPLOAD_BYTES = 10 * 1024 * 1024;
const UPLOAD_MS = 120_000;
/** Shorter than a send's: what waits behind it is a reply, and an edit can be made again. */
const EDIT_MS = 10_000;
const TYPING_MS = 5_000;

/** Discord's flags: no previews of links; rings nobody. */
const [SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS] = [4, 4096] as const;
const NOBODY = { parse: [], replied_user: false } as const;
const ARCHIVED = 50083;
const REPLY_REFUSED = [50035, 160002] as const;

const created = z.object({ id: z.string() });

export function send(deps: OutgoingDeps, thread: ThreadKey, part: Part, nonce: string): Promise<Sent> {
  const { content, components, silent } = readPart(part);
  const flags = SUPPRESS_EMBEDS | (silent ? SUPPRESS_NOTIFICATIONS : 0);
  return post(deps, thread, { content, ...(components && { components }), flags, ...unique(nonce) });
}

export async function upload(deps: OutgoingDeps, thread: ThreadKey, file: FileView, nonce: string): Promise<Sent> {
  if (file.sizeBytes > UPLOAD_BYTES)
    throw new AdapterError(
      "invalid",
      `Expected at most ${UPLOAD_BYTES} bytes, got ${file.sizeBytes}: Discord takes no larger file.`,
    );
  const data = await readFile(file.path).catch((error: NodeJS.ErrnoException) => {
    throw new AdapterError("invalid", `The file cannot be read: ${error.code}`);
  });
  const files: RawFile[] = [{ name: file.name, data, contentType: file.mime }];
  return post(deps, thread, { attachments: [{ id: "0", filename: file.name }], ...unique(nonce) }, files);
}

/** Discord: up to 25 characters; the same again within some minutes returns the first message and makes none. */
export const nonceOf = (ours: string): string => createHash("sha256").update(ours).digest("base64url").slice(0, 25);
const unique = (ours: string) => ({ nonce: nonceOf(ours), enforce_nonce: true });

type Body = Readonly<Record<string, unknown>>;

/** Where a thread cannot be opened the answer is a reply, and so is all that follows: the thread has another key then. */
async function post(deps: OutgoingDeps, key: ThreadKey, body: Body, files?: RawFile[]): Promise<Sent> {
  const to = parseThread(key);
  switch (to.type) {
    case "direct":
      return { post: await create(deps, to.channel, body, files) };
    case "replies":
      return { post: await reply(deps, to.channel, to.root, body, files) };
    case "provisional": {
      const ref = await create(deps, to.channel, body, files);
      return { post: ref, thread: await openedBy(ref, to.guild, deps) };
    }
    case "thread": {
      if (await threadIsOpen(to, deps)) return { post: await create(deps, to.thread, body, files) };
      const root = to.thread;
      const ref = await reply(deps, to.parent, root, body, files);
      return { post: ref, thread: formatThread({ type: "replies", guild: to.guild, channel: to.parent, root }) };
    }
  }
}

/** The thread that begins with this post of ours. */
export async function openedBy(
  ref: PostRef,
  guild: string,
  { channels, mode }: Pick<OutgoingDeps, "channels" | "mode">,
) {
  const { channel, message } = parsePost(ref);
  const found = await channels.channel(channel).catch(() => undefined);
  return opensThread(found?.type ?? 0, mode)
    ? formatThread({ type: "thread", guild, parent: channel, thread: message })
    : formatThread({ type: "replies", guild, channel, root: message });
}

/** A reply to a message that is gone, or that the bot may not read, stands for itself. */
async function reply(
  deps: OutgoingDeps,
  channel: string,
  root: string,
  body: Body,
  files?: RawFile[],
): Promise<PostRef> {
  const reference = { message_reference: { message_id: root, fail_if_not_exists: false } };
  try {
    return await create(deps, channel, { ...body, ...reference }, files);
  } catch (error) {
    if (!refusedWith(error, ...REPLY_REFUSED)) throw error;
    return create(deps, channel, body, files);
  }
}

async function create({ api }: OutgoingDeps, channel: string, body: Body, files?: RawFile[]): Promise<PostRef> {
  const call = {
    method: "POST",
    route: Routes.channelMessages(channel),
    body: { ...body, allowed_mentions: NOBODY },
  } as const;
  const { id } = await unarchived(api, channel, () =>
    api.call({ ...call, ...(files && { files, timeoutMs: UPLOAD_MS }) }, created),
  );
  return formatPost(channel, id);
}

/** Without components in it, an edit takes the buttons away. */
export async function edit({ api }: OutgoingDeps, post: PostRef, part: Part): Promise<void> {
  const { channel, message } = parsePost(post);
  const { content, components = [] } = readPart(part);
  const body = { content, components, allowed_mentions: NOBODY };
  const route = Routes.channelMessage(channel, message);
  await unarchived(api, channel, () => api.call({ method: "PATCH", route, body, timeoutMs: EDIT_MS }, nothing));
}

export async function remove({ api }: OutgoingDeps, post: PostRef): Promise<void> {
  const { channel, message } = parsePost(post);
  const route = Routes.channelMessage(channel, message);
  await unarchived(api, channel, () => api.call({ method: "DELETE", route, timeoutMs: EDIT_MS }, nothing));
}

/** An archived thread is opened once more; one that is locked stays closed, which is `forbidden`. */
async function unarchived<T>(api: Api, channel: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!refusedWith(error, ARCHIVED)) throw error;
    await api.call(
      { method: "PATCH", route: Routes.channel(channel), body: { archived: false }, timeoutMs: EDIT_MS },
      nothing,
    );
    return call();
  }
}

/** In a thread that is not opened yet it is shown where it was asked for. */
export async function showTyping({ api, channels }: OutgoingDeps, thread: ThreadKey): Promise<void> {
  const at = parseThread(thread);
  if (at.type === "provisional") return;
  const channel = at.type === "thread" ? (channels.known(at.thread) ? at.thread : at.parent) : at.channel;
  await api.call({ method: "POST", route: Routes.channelTyping(channel), timeoutMs: TYPING_MS }, nothing);
}
