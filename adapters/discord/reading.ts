/** What stands in a Discord thread already: what was said before, and what an earlier call may have posted. */
import { Routes } from "discord.js";
import type { Logger } from "pino";
import { z } from "zod";
import type { Earlier, MaybePromise, Part, PostRef, Sent, ThreadKey } from "../../gateway/contract.ts";
import type { Channels } from "./channels.ts";
import { refusedWith } from "./errors.ts";
import { wordsOf } from "./incoming-text.ts";
import { nonceOf } from "./nonces.ts";
import type { Nonces } from "./nonces.ts";
import { openedBy } from "./outgoing.ts";
import { readPart } from "./part.ts";
import type { MessagePart } from "./part.ts";
import { messageSchema, SAID } from "./payload.ts";
import { authorOf, idAt, opensThread, timeOf } from "./place.ts";
import type { ThreadMode } from "./place.ts";
import type { Api } from "./rest.ts";
import { asReplies, formatPost, parsePost, parseThread } from "./thread-key.ts";
import type { Address } from "./thread-key.ts";

export interface ReadingDeps {
  readonly api: Api;
  readonly channels: Channels;
  readonly log: Logger;
  readonly nonces: Nonces;
  readonly mode: ThreadMode;
  readonly account: () => string;
  readonly now: () => number;
}

/** Discord: at most 100 messages a call. */
const PAGE = 100;
/** So many calls of this kind pass at once before Discord asks to wait; what came after 500 others is not looked for. */
const MAX_PAGES = 5;
/** Discord: a nonce is known for some minutes; well within them. */
const NONCE_HOLDS_MS = 60_000;
/** Between their clock and ours, where Discord has not told its own. */
const CLOCK_SKEW_MS = 60_000;
const UNKNOWN_CHANNEL = 10003;

const components = z.array(
  z.object({ components: z.array(z.looseObject({ custom_id: z.string().optional() })).default([]) }),
);
const found = messageSchema.extend({ components: components.catch([]) });
type Found = z.output<typeof found>;

export interface Sought {
  readonly thread: ThreadKey;
  readonly part: Part;
  readonly nonce: string;
  /** Epoch ms. */
  readonly since: number;
  /** Has a receipt: it is another one's. */
  readonly known: (post: PostRef) => MaybePromise<boolean>;
}

/**
 * Within a minute it is for the nonce to make one of two sends, which is certain. Later it is the post with that nonce,
 * or else the first one since then with the same text, buttons or file that is nobody else's: its nonce is not known
 * (Discord does not always tell it again), and no receipt is for it.
 */
export async function find(deps: ReadingDeps, sought: Sought): Promise<Sent | "absent"> {
  if (deps.now() - sought.since < NONCE_HOLDS_MS) return "absent";
  const at = parseThread(sought.thread);
  const wanted = readPart(sought.part);
  const own = nonceOf(sought.nonce);
  for (const channel of channelsOf(at, deps)) {
    const posts = (await postsSince(deps, channel, sought.since)).filter((one) => belongs(one, at));
    const match = await chosen(posts, channel, { ...sought, own, wanted }, deps.nonces);
    if (!match) continue;
    deps.nonces.note(match.id, own);
    return sentAs(formatPost(channel, match.id), sought.thread, wanted, deps);
  }
  return "absent";
}

async function chosen(
  posts: readonly Found[],
  channel: string,
  { own, wanted, known }: Sought & { readonly own: string; readonly wanted: MessagePart },
  nonces: Nonces,
): Promise<Found | undefined> {
  const nonceOfPost = ({ id, nonce }: Found) => nonces.of(id) ?? nonce ?? undefined;
  const exact = posts.find((one) => nonceOfPost(one) === own);
  if (exact) return exact;
  for (const one of posts.filter((post) => nonceOfPost(post) === undefined && isSame(post, wanted)))
    if (!(await known(formatPost(channel, one.id)))) return one;
  return undefined;
}

/** Where a thread could not be opened, or not be written in, its post stands in the channel. */
function channelsOf(at: Address, { channels, mode }: ReadingDeps): string[] {
  if (at.type !== "thread") return [at.channel];
  const parent = channels.known(at.parent);
  const begins = parent === undefined ? !channels.known(at.thread) : opensThread(parent.type, mode);
  return begins ? [at.thread, at.parent] : [at.thread];
}

/** The bot's own, oldest first. By Discord's clock: its answer tells how far ours is from it. */
async function postsSince(deps: ReadingDeps, channel: string, since: number): Promise<Found[]> {
  const { api, account } = deps;
  const begin = () => since + (api.aheadMs() ?? -CLOCK_SKEW_MS);
  const messages: Found[] = [];
  let after = idAt(begin());
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const newestFirst = await list(api, channel, { after, limit: String(PAGE) }, found);
    messages.push(...newestFirst.toReversed());
    after = newestFirst[0]?.id ?? after;
    if (newestFirst.length < PAGE) break;
  }
  return messages.filter(({ id, author }) => author.id === account() && (timeOf(id) ?? Infinity) >= begin());
}

/** A post that answers another message belongs to that one's thread. */
function belongs({ channel_id: channel, message_reference: reference }: Found, at: Address): boolean {
  const root = at.type === "replies" ? at.root : at.type === "thread" && channel !== at.thread ? at.thread : undefined;
  return root === undefined || !reference?.message_id || reference.message_id === root;
}

async function sentAs(post: PostRef, key: ThreadKey, { title }: MessagePart, deps: ReadingDeps): Promise<Sent> {
  const at = parseThread(key);
  if (at.type === "provisional") return { post, thread: await openedBy(post, at.guild, title, deps) };
  return at.type !== "thread" || parsePost(post).channel === at.thread ? { post } : { post, thread: asReplies(key) };
}

function isSame({ content, attachments, components: rows }: Found, part: MessagePart): boolean {
  const { file } = part;
  if (file)
    return attachments.some(({ filename, size }) => filename === storedName(file.name) && size === file.sizeBytes);
  const ids = (each: readonly { readonly components: readonly { readonly custom_id?: string | undefined }[] }[]) =>
    JSON.stringify(each.flatMap((row) => row.components.map(({ custom_id }) => custom_id)));
  return content === part.content.trim() && ids(rows) === ids(part.components ?? []);
}

/** Discord keeps letters, digits, dots, dashes and underscores of a file's name. */
const storedName = (name: string): string => name.replaceAll(/[^\w.-]+/g, "_");

/** Discord: 21 stands first in a thread for the message that opened it. */
const STARTER = 21;
const before = messageSchema.extend({ referenced_message: messageSchema.nullish() });

export async function history(
  { api, channels, account }: ReadingDeps,
  thread: ThreadKey,
  post: PostRef,
  limit: number,
): Promise<readonly Earlier[] | "unavailable"> {
  const at = parseThread(thread);
  const { channel, message } = parsePost(post);
  // A thread that begins with this message, as all but existing threads and direct messages do, has nothing before it.
  if (at.type !== "thread" && at.type !== "direct") return [];
  if (at.type === "thread" && (at.thread === message || channel !== at.thread)) return [];
  const query = { before: message, limit: String(Math.min(limit, PAGE)) };
  const messages = await list(api, channel, query, before);
  // Without an answer the names of roles are missing, for this time.
  const guild = at.type === "thread" ? await channels.guild(at.guild).catch(() => undefined) : undefined;
  return messages
    .map((one) => (one.type === STARTER ? (one.referenced_message ?? one) : one))
    .filter(({ type }) => SAID.includes(type))
    .toReversed()
    .map((one) => ({
      author: authorOf(one.author, one.member).name,
      text: wordsOf(one, { guild, channel: (id) => channels.known(id)?.name ?? undefined }),
      byBot: one.author.id === account(),
    }))
    .filter(({ text }) => text.trim() !== "");
}

/** Newest first, as Discord lists them; nothing where there is no such thread yet. */
async function list<T>(api: Api, channel: string, query: Record<string, string>, schema: z.ZodType<T>): Promise<T[]> {
  try {
    return await api.call({ method: "GET", route: Routes.channelMessages(channel), query }, z.array(schema));
  } catch (error) {
    if (refusedWith(error, UNKNOWN_CHANNEL)) return [];
    throw error;
  }
}
