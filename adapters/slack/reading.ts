/** What Slack keeps of a thread: the search for a post of ours, and what was said before. */
import { setTimeout as pause } from "node:timers/promises";
import { AdapterError } from "../../gateway/contract.ts";
import type { Earlier, Part, PostRef, Sent, ThreadKey } from "../../gateway/contract.ts";
import type { Api, Page, StoredMessage } from "./api.ts";
import type { Bot } from "./bot.ts";
import { refusedWith } from "./errors.ts";
import { mentionedIn, readableText } from "./incoming-text.ts";
import { sentAs } from "./outgoing.ts";
import { readPart } from "./part.ts";
import type { SlackPart } from "./part.ts";
import type { People } from "./people.ts";
import { isSaid } from "./subtypes.ts";
import { parsePost, parseThread } from "./thread-key.ts";
import type { Address } from "./thread-key.ts";

/** Slack: at most 1000 a page, and it recommends 200. */
const PAGE = 200;
/** As far back as a thread is read: 4000 messages. */
const MAX_PAGES = 20;
/**
 * So much may Slack's clock and ours differ. A nonce is exact, and may be looked for far back; files of the same name and
 * size may well be two.
 */
const SKEW_MS = { nonce: 60 * 60_000, file: 60_000 };

type Standing = Omit<Page, "limit" | "cursor">;

/** Oldest first in a thread; newest first where there is no thread yet. */
async function* messages(api: Api, { channel, root }: Address, standing: Standing): AsyncGenerator<StoredMessage> {
  let cursor = "";
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = { channel, limit: PAGE, ...standing, ...(cursor && { cursor }) };
    const got = await (root === undefined
      ? api.call("conversations.history", asked)
      : api.call("conversations.replies", { ...asked, ts: root }));
    yield* got.messages ?? [];
    cursor = got.response_metadata?.next_cursor ?? "";
    if (cursor === "") return;
  }
}

interface Sought {
  readonly thread: ThreadKey;
  readonly part: Part;
  readonly nonce: string;
  /** Epoch ms. */
  readonly since: number;
}

/** Slack shows a file a moment after it took it. */
const SHARE_MS = 1000;

/** A message by its nonce; an upload, which can carry none, by its name and size. */
export async function find(api: Api, bot: Bot, sought: Sought): Promise<Sent | "absent" | "unknowable"> {
  const part = readPart(sought.part);
  try {
    const found = await look(api, bot, sought, part);
    if (found !== "absent" || !part.file) return found;
    await pause(SHARE_MS);
    return await look(api, bot, sought, part);
  } catch (error) {
    if (refusedWith(error, "missing_scope")) return "unknowable";
    throw error;
  }
}

async function look(api: Api, bot: Bot, sought: Sought, part: SlackPart): Promise<Sent | "absent"> {
  const address = parseThread(sought.thread);
  const oldest = ((sought.since - SKEW_MS[part.file ? "file" : "nonce"]) / 1000).toFixed(6);
  for await (const message of messages(api, address, { oldest, include_all_metadata: true })) {
    // The first message of a thread is always among them.
    const isRecent = Number(message.ts) >= Number(oldest);
    if (isRecent && isOwn(message, bot) && isSought(message, part, sought.nonce)) return sentAs(address, message.ts);
  }
  return "absent";
}

const isOwn = ({ user, bot_id }: StoredMessage, bot: Bot): boolean =>
  user === bot.user || (bot_id !== undefined && bot_id === bot.botId);

function isSought(message: StoredMessage, { file }: SlackPart, nonce: string): boolean {
  if (!file) return message.metadata?.event_payload?.nonce === nonce;
  return (message.files ?? []).some(({ name, size }) => name === file.name && size === file.sizeBytes);
}

interface Reader {
  readonly api: Api;
  readonly people: People;
  readonly bot: Bot;
}

/** The last `limit` before that post, oldest first. Service messages are nobody's words. */
export async function history(
  { api, people, bot }: Reader,
  thread: ThreadKey,
  before: PostRef,
  limit: number,
): Promise<readonly Earlier[] | "unavailable"> {
  const address = parseThread(thread);
  const until = parsePost(before);
  if (address.root === undefined || until.type === "file" || until.ts === address.root) return [];
  const earlier: StoredMessage[] = [];
  try {
    for await (const message of messages(api, address, { latest: until.ts })) {
      if (Number(message.ts) < Number(until.ts) && isSaid(message) && message.text) earlier.push(message);
      if (earlier.length > limit) earlier.shift();
    }
  } catch (error) {
    if (error instanceof AdapterError && error.code === "forbidden") return "unavailable";
    throw error;
  }
  return Promise.all(earlier.map((message) => told(message, people, bot)));
}

async function told(message: StoredMessage, people: People, bot: Bot): Promise<Earlier> {
  const { text = "", user, username } = message;
  const ids = [...new Set([...(user ? [user] : []), ...mentionedIn(text, bot)])];
  const found = await Promise.all(ids.map((id) => people.named(id)));
  const names = new Map(ids.map((id, index) => [id, found[index]?.name]));
  const author = (user && names.get(user)) || username || user || "a bot";
  return { author, text: readableText(text, bot, (id) => names.get(id)), byBot: isOwn(message, bot) };
}
