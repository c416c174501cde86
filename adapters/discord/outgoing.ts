/** What is sent, edited, removed and uploaded, and where it goes. */
import { readFile } from "node:fs/promises";
import { Routes } from "discord.js";
import type { RawFile } from "discord.js";
import type { Logger } from "pino";
import { z } from "zod";
import { AdapterError } from "../../gateway/contract.ts";
import type { FileView, Part, PostRef, Sent, ThreadKey } from "../../gateway/contract.ts";
import type { Channels } from "./channels.ts";
import { refusedWith } from "./errors.ts";
import { nonceOf } from "./nonces.ts";
import type { Nonces } from "./nonces.ts";
import { openThread, threadIsOpen, threadName } from "./open-thread.ts";
import type { OpenThreadDeps } from "./open-thread.ts";
import { readPart } from "./part.ts";
import { opensThread } from "./place.ts";
import type { ThreadMode } from "./place.ts";
import { nothing } from "./rest.ts";
import type { Api } from "./rest.ts";
import { asReplies, formatPost, formatThread, parsePost, parseThread } from "./thread-key.ts";
import type { Address } from "./thread-key.ts";

export interface OutgoingDeps {
  readonly api: Api;
  readonly channels: Channels;
  readonly log: Logger;
  readonly nonces: Nonces;
  readonly mode: ThreadMode;
  /** The bot's own. */
  readonly account: () => string;
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
const NO_RIGHT = 50013;
const ARCHIVED = 50083;
const REPLY_REFUSED = [50035, 160002] as const;

const created = z.object({ id: z.string() });

export function send(deps: OutgoingDeps, thread: ThreadKey, part: Part, nonce: string): Promise<Sent> {
  const { content, components, silent, title } = readPart(part);
  const flags = SUPPRESS_EMBEDS | (silent ? SUPPRESS_NOTIFICATIONS : 0);
  const body = { content, ...(components && { components }), flags };
  return post(deps, thread, { body, nonce: nonceOf(nonce), title });
}

export async function upload(deps: OutgoingDeps, thread: ThreadKey, file: FileView, nonce: string): Promise<Sent> {
  const data = await readFile(file.path).catch((error: NodeJS.ErrnoException) => {
    throw new AdapterError("invalid", `The file cannot be read: ${error.code}`);
  });
  const files: RawFile[] = [{ name: file.name, data, contentType: file.mime }];
  return post(deps, thread, {
    body: { attachments: [{ id: "0", filename: file.name }] },
    nonce: nonceOf(nonce),
    files,
  });
}

interface NewPost {
  readonly body: Readonly<Record<string, unknown>>;
  readonly nonce: string;
  readonly files?: RawFile[];
  /** Of the thread that begins with it. */
  readonly title?: string | undefined;
}

/** Where a thread cannot be opened the answer is a reply, and so is all that follows: the thread has another key then. */
async function post(deps: OutgoingDeps, key: ThreadKey, content: NewPost): Promise<Sent> {
  const to = parseThread(key);
  switch (to.type) {
    case "direct":
      return { post: await create(deps, to.channel, content) };
    case "replies":
      return { post: await reply(deps, to.channel, to.root, content) };
    case "provisional": {
      const ref = await create(deps, to.channel, content);
      return { post: ref, thread: await openedBy(ref, to.guild, content.title, deps) };
    }
    case "thread": {
      const inThread = (await threadIsOpen(to, deps)) ? await createInThread(deps, to, content) : undefined;
      if (inThread !== undefined) return { post: inThread };
      return { post: await reply(deps, to.parent, to.thread, content), thread: asReplies(key) };
    }
  }
}

/** Undefined: we could open this thread, but may not write in it. */
async function createInThread(
  deps: OutgoingDeps,
  { thread }: Extract<Address, { type: "thread" }>,
  content: NewPost,
): Promise<PostRef | undefined> {
  try {
    return await create(deps, thread, content);
  } catch (error) {
    if (!refusedWith(error, NO_RIGHT) || !(await isOwnAndEmpty(deps, thread))) throw error;
    return undefined;
  }
}

const opened = z.object({ owner_id: z.string().nullish(), message_count: z.number().default(0) });

/** Discord does not count the message that opened it. */
async function isOwnAndEmpty({ api, account }: OutgoingDeps, thread: string): Promise<boolean> {
  const found = await api.call({ method: "GET", route: Routes.channel(thread) }, opened);
  return found.owner_id === account() && found.message_count === 0;
}

/** The thread that begins with this post of ours: opened at once, so that whoever asked finds it. */
export async function openedBy(
  ref: PostRef,
  guild: string,
  title: string | undefined,
  deps: OpenThreadDeps & { readonly mode: ThreadMode },
): Promise<ThreadKey> {
  const { channels, mode, log } = deps;
  const { channel, message } = parsePost(ref);
  const to = { type: "thread", guild, parent: channel, thread: message } as const;
  const thread = formatThread(to);
  const found = await channels.channel(channel).catch(() => undefined);
  if (!opensThread(found?.type ?? 0, mode)) return asReplies(thread);
  const isOpen = await openThread(to, title ?? threadName(""), deps).catch((error: unknown) => {
    // The post stands, and is not to be made again for this: what comes next opens it.
    log.debug({ err: error }, "a thread could not be opened at once");
    return true;
  });
  return isOpen ? thread : asReplies(thread);
}

/** A reply to a message that is gone, or that the bot may not read, stands for itself. */
async function reply(deps: OutgoingDeps, channel: string, root: string, content: NewPost): Promise<PostRef> {
  const reference = { message_reference: { message_id: root, fail_if_not_exists: false } };
  try {
    return await create(deps, channel, { ...content, body: { ...content.body, ...reference } });
  } catch (error) {
    if (!refusedWith(error, ...REPLY_REFUSED)) throw error;
    return create(deps, channel, content);
  }
}

async function create({ api, nonces }: OutgoingDeps, channel: string, { body, nonce, files }: NewPost) {
  const call = {
    method: "POST",
    route: Routes.channelMessages(channel),
    body: { ...body, nonce, enforce_nonce: true, allowed_mentions: NOBODY },
  } as const;
  const { id } = await unarchived(api, channel, () =>
    api.call({ ...call, ...(files && { files, timeoutMs: UPLOAD_MS }) }, created),
  );
  nonces.note(id, nonce);
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
    const open = {
      method: "PATCH",
      route: Routes.channel(channel),
      body: { archived: false },
      timeoutMs: EDIT_MS,
    } as const;
    await api.call(open, nothing).catch((refused: unknown) => {
      throw refusedWith(refused, NO_RIGHT) ? error : refused;
    });
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
