/** A message, an edit or a deletion as what happened in a thread. Pure. */
import type { Inbound, InboundFile } from "../../gateway/contract.ts";
import { addressed } from "./incoming-text.ts";
import type { Names } from "./incoming-text.ts";
import { filesIn, SAID } from "./payload.ts";
import type { Deletion, Message } from "./payload.ts";
import { authorOf, isTopLevel, placeOf, threadOf } from "./place.ts";
import type { Spot, ThreadMode } from "./place.ts";
import { formatPost } from "./thread-key.ts";

/** What is known besides the payload. */
export interface Surroundings {
  readonly spot: Spot;
  readonly names: Names;
  readonly mode: ThreadMode;
}

/**
 * `undefined`: not for us. The bot's own posts, what Discord says itself, and messages that arrive empty because the
 * bot may not read what does not mention it.
 */
export function fromMessage(message: Message, around: Surroundings): Inbound | undefined {
  const said = read(message, around);
  if (!said) return undefined;
  const { base, text, files, mentionsBot, addressesOther } = said;
  if (text === "" && files.length === 0 && !mentionsBot) return undefined;
  const replyTo = repliedTo(message, around.names);
  return {
    ...base,
    eventId: `message:${message.channel_id}/${message.id}`,
    sentAt: Date.parse(message.timestamp),
    type: "message",
    post: formatPost(message.channel_id, message.id),
    text,
    mentionsBot,
    ...(addressesOther && { addressesOther }),
    ...(isTopLevel(around.spot) && { topLevel: true }),
    files,
    ...(replyTo && { replyTo }),
  };
}

/** A preview that appears and a pin come as updates too, but without a new time of editing. */
export function fromEdit(message: Message, around: Surroundings): Inbound | undefined {
  const said = read(message, around);
  const { edited_timestamp: edited } = message;
  if (!said || !edited || (said.text === "" && said.files.length === 0)) return undefined;
  return {
    ...said.base,
    eventId: `edited:${message.channel_id}/${message.id}:${edited}`,
    sentAt: Date.parse(edited),
    type: "edited",
    target: formatPost(message.channel_id, message.id),
    text: said.text,
    files: said.files,
  };
}

/** Discord does not say who deleted it, nor whose it was. */
const SOMEBODY = { id: "0", name: "somebody", isBot: false } as const;

/** `now`: epoch ms; Discord does not say when, either. */
export function fromDeletion({ id, channel_id: channel }: Deletion, around: Surroundings, now: number): Inbound {
  return {
    ...baseOf(id, around),
    author: SOMEBODY,
    eventId: `deleted:${channel}/${id}`,
    sentAt: now,
    type: "deleted",
    target: formatPost(channel, id),
  };
}

const baseOf = (message: string, { spot, names, mode }: Surroundings) => ({
  platform: "discord",
  account: names.account,
  place: placeOf(spot),
  thread: threadOf(spot, message, mode),
});

function read(message: Message, around: Surroundings) {
  const { author, member, webhook_id: webhook } = message;
  if (author.id === around.names.account || !SAID.includes(message.type)) return undefined;
  const base = { ...baseOf(message.id, around), author: authorOf(author, member, webhook) };
  return { base, files: filesOf(message), ...addressed(message, around.names) };
}

/** The handle names the message too: links to files expire, a fresh one comes with the message. */
const filesOf = (message: Message): InboundFile[] =>
  filesIn(message).map(({ id: file, filename, content_type: mime, size }) => ({
    id: `${message.channel_id}/${message.id}/${file}`,
    name: filename,
    ...(mime && { mime }),
    ...(size !== undefined && { sizeBytes: size }),
  }));

function repliedTo({ message_reference: reference, referenced_message: replied, channel_id }: Message, names: Names) {
  if (!reference?.message_id || reference.type === 1) return undefined;
  const text = replied && addressed(replied, names).text;
  return {
    post: formatPost(reference.channel_id ?? channel_id, reference.message_id),
    ...(text && { text }),
    byBot: replied?.author.id === names.account,
  };
}
