/**
 * What we read of Discord's payloads, checked. Unknown fields are dropped, so that a newer API changes nothing here.
 * Shapes: https://discord.com/developers/docs/events/gateway-events
 */
import { z } from "zod";

const id = z.string().min(1);

const user = z.object({
  id,
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});
const member = z.object({ nick: z.string().nullish() });

/** Numbers of channel types. https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
export const THREADS: readonly number[] = [10, 11, 12];
/** Text and announcements: where a message can open a thread. */
export const MAY_OPEN_THREADS: readonly number[] = [0, 5];

export const channelSchema = z.object({
  id,
  type: z.number().int(),
  guild_id: id.nullish(),
  parent_id: id.nullish(),
  name: z.string().nullish(),
});

const role = z.object({
  id,
  name: z.string(),
  /** Of the role that Discord makes for a bot. */
  tags: z.object({ bot_id: id.nullish() }).nullish(),
});
export const guildSchema = z.object({
  id,
  name: z.string(),
  roles: z.array(role).default([]),
  channels: z.array(channelSchema).default([]),
  threads: z.array(channelSchema).default([]),
});
export const roleChangeSchema = z.object({ guild_id: id, role });
export const threadListSchema = z.object({ guild_id: id, threads: z.array(channelSchema) });

const attachmentSchema = z.object({
  id,
  filename: z.string(),
  content_type: z.string().nullish(),
  size: z.number().nonnegative().optional(),
  url: z.string(),
});

const mentions = z.array(user.extend({ member: member.nullish() })).default([]);
const attachments = z.array(attachmentSchema).default([]);
/** What a forwarded message held when it was forwarded. */
const snapshots = z
  .array(z.object({ message: z.object({ content: z.string().default(""), mentions, attachments }) }))
  .default([]);
/** Where files of a message stand. */
export const withFiles = z.object({ attachments, message_snapshots: snapshots });

/** Its own files and those of what it forwards. */
export const filesIn = (message: z.output<typeof withFiles>): readonly z.output<typeof attachmentSchema>[] => [
  ...message.attachments,
  ...message.message_snapshots.flatMap((one) => one.message.attachments),
];

/** Discord: 0 said, 19 a reply. The rest (a pin, a new name, a joined member) is nobody's words, or a command's answer. */
export const SAID: readonly number[] = [0, 19];

const referenced = z.object({
  author: user,
  content: z.string().default(""),
  mentions,
  message_snapshots: snapshots,
});
const messageFields = {
  id,
  channel_id: id,
  guild_id: id.nullish(),
  type: z.number().int(),
  channel_type: z.number().int().optional(),
  author: user,
  member: member.nullish(),
  webhook_id: id.nullish(),
  content: z.string().default(""),
  timestamp: z.string(),
  edited_timestamp: z.string().nullish(),
  mentions,
  attachments,
  message_snapshots: snapshots,
  /** `type` 1 is a forwarded message, which is no reply. */
  message_reference: z
    .object({ type: z.number().optional(), channel_id: id.nullish(), message_id: id.nullish() })
    .nullish(),
  referenced_message: referenced.nullish(),
  nonce: z.union([z.string(), z.number()]).nullish(),
};
export const messageSchema = z.object(messageFields);
export const deletionSchema = z.object({ id, channel_id: id, guild_id: id.nullish() });
export const bulkDeletionSchema = z.object({ ids: z.array(id), channel_id: id, guild_id: id.nullish() });

const located = z.object({ channel_id: id });
/** Where it happened; empty for what does not say. */
export const channelOf = (data: unknown): string => located.safeParse(data).data?.channel_id ?? "";

/** An update that carries no author or text (a preview of a link, say) is none of a person's. */
export const isWhole = (data: unknown): boolean =>
  typeof data === "object" && data !== null && "author" in data && "content" in data;

const input = z.object({
  custom_id: id,
  value: z.string().optional(),
  values: z.array(z.string()).optional(),
});
/** A label holds one input, a classic row several; a text between them none. */
const modalRow = z.object({ component: input.optional(), components: z.array(input).optional() });

const base = {
  id,
  application_id: id,
  /** What the bot may do where it was called, as a number of bits. */
  app_permissions: z.string().regex(/^\d+$/).nullish(),
  token: z.string().min(1),
  channel_id: id.nullish(),
  channel: z.object({ id, type: z.number().int(), parent_id: id.nullish() }).optional(),
  guild_id: id.nullish(),
  member: member.extend({ user }).nullish(),
  user: user.nullish(),
  message: z.object({ id }).nullish(),
};
export const interactionSchema = z.discriminatedUnion("type", [
  z.object({
    ...base,
    type: z.literal(2),
    data: z.object({
      name: z.string(),
      options: z.array(z.object({ name: z.string(), value: z.unknown() })).optional(),
    }),
  }),
  z.object({
    ...base,
    type: z.literal(3),
    data: z.object({ custom_id: id, component_type: z.number().int(), values: z.array(z.string()).optional() }),
  }),
  z.object({ ...base, type: z.literal(5), data: z.object({ custom_id: id, components: z.array(modalRow) }) }),
]);

/** Where something is not as it should be; never what is there. Undefined for what is no such failure. */
export const defectsOf = (error: unknown): string[] | undefined =>
  error instanceof z.ZodError ? error.issues.map(({ path }) => path.join(".")) : undefined;

export type User = z.output<typeof user>;
export type Member = z.output<typeof member>;
export type Message = z.output<typeof messageSchema>;
export type Deletion = z.output<typeof deletionSchema>;
export type Channel = z.output<typeof channelSchema>;
export type Interaction = z.output<typeof interactionSchema>;
export type InteractionOf<Type extends Interaction["type"]> = Extract<Interaction, { type: Type }>;
