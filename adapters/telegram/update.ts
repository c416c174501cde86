/**
 * What we read of a Telegram update, checked. Unknown fields are dropped, so that a newer Bot API changes nothing here.
 * Shapes: https://core.telegram.org/bots/api#update
 */
import { z } from "zod";

const id = z.number().int();

const user = z.object({
  id,
  is_bot: z.boolean().default(false),
  first_name: z.string(),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const chat = z.object({
  id,
  type: z.enum(["private", "group", "supergroup", "channel"]),
  title: z.string().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  is_forum: z.boolean().optional(),
});

const entity = z.object({
  type: z.string(),
  offset: z.number().int().nonnegative(),
  length: z.number().int().positive(),
  user: user.optional(),
});

const file = z.object({
  file_id: z.string().min(1),
  file_unique_id: z.string().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
  file_size: z.number().nonnegative().optional(),
});
const photo = file.extend({ width: z.number(), height: z.number() });

/** Where in a chat a message stands; `message_thread_id` alone says nothing, a reply chain carries it too. */
const position = {
  message_id: id,
  chat,
  message_thread_id: id.optional(),
  is_topic_message: z.boolean().optional(),
};

const replied = z.object({
  message_id: id,
  from: user.optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  forum_topic_created: z.unknown().optional(),
});

const message = z.object({
  ...position,
  date: z.number().int(),
  edit_date: z.number().int().optional(),
  from: user.optional(),
  sender_chat: chat.optional(),
  is_automatic_forward: z.boolean().optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(entity).optional(),
  caption_entities: z.array(entity).optional(),
  reply_to_message: replied.optional(),
  quote: z.object({ text: z.string() }).optional(),
  photo: z.array(photo).optional(),
  document: file.optional(),
  voice: file.optional(),
  audio: file.optional(),
  video: file.optional(),
  video_note: file.optional(),
});

const press = z.object({
  id: z.string().min(1),
  from: user,
  data: z.string().optional(),
  message: z.object({ ...position, reply_to_message: replied.optional() }).optional(),
});

const member = z.object({ status: z.string(), is_member: z.boolean().optional() });
const membership = z.object({
  chat,
  from: user,
  date: z.number().int(),
  old_chat_member: member,
  new_chat_member: member,
});

export const updateSchema = z.object({
  update_id: id,
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: press.optional(),
  my_chat_member: membership.optional(),
});

export type Update = z.output<typeof updateSchema>;
export type Message = z.output<typeof message>;
export type Press = z.output<typeof press>;
export type Membership = z.output<typeof membership>;
export type Chat = z.output<typeof chat>;
export type User = z.output<typeof user>;
export type IncomingEntity = z.output<typeof entity>;

/** A raw update with Telegram's number of it, and whatever else stands in it. */
export interface Numbered {
  readonly id: number;
  readonly update: unknown;
}

/** What `getUpdates` is asked for; everything else stays away. */
export const ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"] as const;
