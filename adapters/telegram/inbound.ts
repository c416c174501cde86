/** A Telegram update as what happened in a thread. Pure. */
import { createHash } from "node:crypto";
import type { Author, Inbound, Place, ThreadKey } from "../../gateway/contract.ts";
import { incomingFiles } from "./incoming-files.ts";
import { addressed } from "./incoming-text.ts";
import type { Bot } from "./incoming-text.ts";
import { formatPlace, formatPost, formatThread, GENERAL } from "./thread-key.ts";
import type { Chat, Membership, Message, Press, Update, User } from "./update.ts";

/**
 * `undefined`: not for us. Service messages, channel posts, the bot's own words, commands for other bots.
 * `receivedAt` (epoch ms) dates a press, which has no time of its own.
 */
export function toInbound(update: Update, bot: Bot, receivedAt: number): Inbound | undefined {
  if (update.message) return fromMessage(update.message, bot);
  if (update.edited_message) return fromEdit(update.edited_message, bot);
  if (update.callback_query) return fromPress(update.callback_query, bot, receivedAt);
  if (update.my_chat_member) return fromMembership(update.my_chat_member, bot);
  return undefined;
}

function fromMessage(message: Message, bot: Bot): Inbound | undefined {
  const base = messageBase(message, bot, `message:${message.chat.id}/${message.message_id}`);
  const files = incomingFiles(message);
  const said = message.text ?? message.caption;
  if (!base || (said === undefined && files.length === 0)) return undefined;
  const post = formatPost(bot.account, message.chat.id, message.message_id);
  const meant = addressed(message, bot);
  if (meant.type === "not_for_us") return undefined;
  if (meant.type === "start") return { ...base, type: "command", name: "start", args: meant.payload, post };
  const { text, mentionsBot, addressesOther } = meant;
  const replyTo = repliedTo(message, bot);
  return {
    ...base,
    type: "message",
    post,
    text,
    mentionsBot,
    ...(addressesOther && { addressesOther }),
    files,
    ...(replyTo && { replyTo }),
  };
}

/** Two edits can share a second, so the text is in the event's id too. */
function fromEdit(message: Message, bot: Bot): Inbound | undefined {
  const meant = addressed(message, bot);
  const text = meant.type === "text" ? meant.text : (message.text ?? "");
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const version = `${message.edit_date ?? message.date}.${digest}`;
  const base = messageBase(message, bot, `edited:${message.chat.id}/${message.message_id}:${version}`);
  if (!base || meant.type === "not_for_us") return undefined;
  const target = formatPost(bot.account, message.chat.id, message.message_id);
  return { ...base, type: "edited", target, text, files: incomingFiles(message) };
}

/** In a plain group the pressed message answers the one that opened the thread. */
function fromPress(press: Press, bot: Bot, receivedAt: number): Inbound | undefined {
  const { message, data } = press;
  if (!message || !data || message.chat.type === "channel") return undefined;
  const { chat, message_id: id } = message;
  return {
    platform: "telegram",
    account: bot.account,
    eventId: `press:${press.id}`,
    place: place(chat, bot, message.is_topic_message),
    thread: threadOf({ ...message, message_id: message.reply_to_message?.message_id ?? id }, bot),
    author: person(press.from),
    sentAt: receivedAt,
    type: "press",
    token: data,
    post: formatPost(bot.account, chat.id, id),
  };
}

function fromMembership({ chat, from, date, ...member }: Membership, bot: Bot): Inbound | undefined {
  const before = isInside(member.old_chat_member);
  const after = isInside(member.new_chat_member);
  if (before === after || chat.type === "channel") return undefined;
  const change = !after ? "removed" : chat.type === "private" ? "opened" : "added";
  return {
    platform: "telegram",
    account: bot.account,
    eventId: `place:${chat.id}:${date}:${change}`,
    place: place(chat, bot),
    thread: formatThread({ account: bot.account, chat: chat.id, ...(chat.is_forum && { topic: GENERAL }) }),
    author: person(from),
    sentAt: date * 1000,
    type: "place",
    change,
  };
}

const isInside = ({ status, is_member }: Membership["new_chat_member"]): boolean =>
  status === "restricted" ? is_member === true : !["left", "kicked"].includes(status);

function messageBase(message: Message, bot: Bot, eventId: string) {
  const author = authorOf(message);
  if (!author || author.id === bot.account || message.chat.type === "channel") return undefined;
  return {
    platform: "telegram",
    account: bot.account,
    eventId,
    place: place(message.chat, bot, message.is_topic_message),
    thread: threadOf(message, bot),
    author,
    sentAt: (message.edit_date ?? message.date) * 1000,
  };
}

/** A post of a linked channel is nobody's request. An anonymous administrator speaks as the group. */
function authorOf({ from, sender_chat: chat, is_automatic_forward: forwarded }: Message): Author | undefined {
  if (forwarded) return undefined;
  if (chat) return { id: String(chat.id), name: chat.title ?? "Anonymous", isBot: false };
  return from && person(from);
}

function person({ id, first_name, last_name, is_bot }: User): Author {
  const name = last_name ? `${first_name} ${last_name}` : first_name;
  return { id: String(id), name, isBot: is_bot };
}

function place(chat: Chat, bot: Bot, topic?: boolean): Place {
  const name = chat.title ?? chat.first_name;
  const direct = chat.type === "private";
  return {
    key: formatPlace(bot.account, chat.id),
    type: direct ? "direct" : "shared",
    ...(direct && !topic && { single: true }),
    id: String(chat.id),
    ...(name && { name }),
  };
}

/**
 * `message_thread_id` names a topic only together with `is_topic_message`: any reply chain of a supergroup carries it.
 * In a plain group each message has a key of its own; what it replies to decides later, through receipts.
 */
function threadOf(
  message: Pick<Message, "chat" | "message_id" | "message_thread_id" | "is_topic_message">,
  bot: Bot,
): ThreadKey {
  const { chat, message_id: root, message_thread_id: topic } = message;
  const at = { account: bot.account, chat: chat.id };
  if (message.is_topic_message && topic !== undefined) return formatThread({ ...at, topic });
  if (chat.is_forum && chat.type !== "private") return formatThread({ ...at, topic: GENERAL });
  return formatThread(chat.type === "private" ? at : { ...at, root });
}

/** In a topic every message "replies" to the one that created the topic: that is no reply. */
function repliedTo({ chat, reply_to_message: replied, quote }: Message, bot: Bot) {
  if (!replied || replied.forum_topic_created !== undefined) return undefined;
  const text = quote?.text ?? replied.text ?? replied.caption;
  return {
    post: formatPost(bot.account, chat.id, replied.message_id),
    ...(text && { text }),
    byBot: String(replied.from?.id) === bot.account,
  };
}
