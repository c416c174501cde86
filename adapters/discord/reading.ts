/** What stands in a Discord thread already: what was said before, and what an earlier call may have posted. */
import { Routes } from "discord.js";
import { z } from "zod";
import type { Earlier, Part, PostRef, Sent, ThreadKey } from "../../gateway/contract.ts";
import type { Channels } from "./channels.ts";
import { refusedWith } from "./errors.ts";
import { readable } from "./incoming-text.ts";
import { nonceOf, openedBy } from "./outgoing.ts";
import { readPart } from "./part.ts";
import type { MessagePart } from "./part.ts";
import { messageSchema } from "./payload.ts";
import { authorOf, idAt } from "./place.ts";
import type { ThreadMode } from "./place.ts";
import type { Api } from "./rest.ts";
import { formatPost, formatThread, parsePost, parseThread } from "./thread-key.ts";
import type { Address } from "./thread-key.ts";

export interface ReadingDeps {
  readonly api: Api;
  readonly channels: Channels;
  readonly mode: ThreadMode;
  readonly account: () => string;
  readonly now: () => number;
}

/** Discord: at most 100 messages a call. */
const PAGE = 100;
/** Discord: a nonce is known for some minutes; well within them. */
const NONCE_HOLDS_MS = 60_000;
/** Between their clock and ours. */
const CLOCK_SKEW_MS = 60_000;
const UNKNOWN_CHANNEL = 10003;

const components = z.array(
  z.object({ components: z.array(z.looseObject({ custom_id: z.string().optional() })).default([]) }),
);
const found = messageSchema.extend({ components: components.catch([]) });
type Found = z.output<typeof found>;

/**
 * Within a minute it is for the nonce to make one of two sends, which is certain. Later the same text, buttons or file
 * since then is taken for the same post: Discord does not always tell the nonce again.
 */
export async function find(
  deps: ReadingDeps,
  thread: ThreadKey,
  part: Part,
  nonce: string,
  since: number,
): Promise<Sent | "absent"> {
  if (deps.now() - since < NONCE_HOLDS_MS) return "absent";
  const at = parseThread(thread);
  const after = idAt(since - CLOCK_SKEW_MS);
  const wanted = readPart(part);
  for (const channel of channelsOf(at, deps.channels)) {
    const messages = await list(deps.api, channel, { after, limit: String(PAGE) }, found);
    const own = messages.filter(({ author }) => author.id === deps.account());
    const match = own.find((one) => one.nonce === nonceOf(nonce)) ?? own.find((one) => isSame(one, wanted));
    if (match) return sentAs(formatPost(channel, match.id), at, deps);
  }
  return "absent";
}

/** Where a thread could not be opened its post stands in the channel. */
function channelsOf(at: Address, channels: Channels): string[] {
  if (at.type !== "thread") return [at.channel];
  return channels.known(at.thread) ? [at.thread] : [at.thread, at.parent];
}

async function sentAs(post: PostRef, at: Address, deps: ReadingDeps): Promise<Sent> {
  if (at.type === "provisional") return { post, thread: await openedBy(post, at.guild, deps) };
  if (at.type !== "thread" || parsePost(post).channel === at.thread) return { post };
  const { guild, parent: channel, thread: root } = at;
  return { post, thread: formatThread({ type: "replies", guild, channel, root }) };
}

function isSame({ content, attachments, components: rows }: Found, part: MessagePart): boolean {
  if (part.file !== undefined) return attachments.some(({ filename }) => filename === storedName(part.file ?? ""));
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
  const guild = at.type === "thread" ? await channels.guild(at.guild) : undefined;
  return messages
    .map((one) => (one.type === STARTER ? (one.referenced_message ?? one) : one))
    .toReversed()
    .map((one) => ({
      author: authorOf(one.author, one.member).name,
      text: readable(one.content, one.mentions, { guild, channel: (id) => channels.known(id)?.name ?? undefined }),
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
