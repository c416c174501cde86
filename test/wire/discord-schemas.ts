/** Request bodies, checked with the schemas that are made from Discord's published specification. */
import * as spec from "discord-api-spec/zod";
import { z } from "zod";
import type { Json } from "./discord-account-json.ts";
import { invalidBody } from "./discord-refusals.ts";

const SCHEMAS = {
  command: spec.ApplicationCommandUpdateRequestSchema,
  dm: spec.CreatePrivateChannelRequestSchema,
  message: spec.MessageCreateRequestSchema,
  edit: spec.MessageEditRequestPartialSchema,
  follow_up: spec.IncomingWebhookInteractionRequestSchema,
  follow_up_edit: spec.IncomingWebhookUpdateRequestPartialSchema,
  answer: spec.CreateMessageInteractionCallbackRequestSchema,
  update: spec.UpdateMessageInteractionCallbackRequestSchema,
  modal: spec.ModalInteractionCallbackRequestSchema,
  thread_on_message: spec.CreateTextThreadWithMessageRequestSchema,
  thread: spec.CreateTextThreadWithoutMessageRequestSchema,
  forum_post: spec.CreateForumThreadRequestSchema,
} as const;
export type BodyKind = keyof typeof SCHEMAS;

/** discord.js sends these by itself, also where the specification has no such field. */
const SENT_BY_CLIENT: Readonly<Partial<Record<BodyKind, readonly string[]>>> = {
  edit: ["tts", "enforce_nonce"],
  follow_up: ["enforce_nonce"],
  follow_up_edit: ["tts", "enforce_nonce"],
  forum_post: ["message.tts", "message.enforce_nonce"],
  thread_on_message: ["type"],
};

/**
 * Refuses what the specification refuses.
 * @returns the fields that Discord would overlook, as paths
 * @throws Refusal 50035
 */
export function checkBody(kind: BodyKind, body: Json): readonly string[] {
  const read = z.safeParse(SCHEMAS[kind], body);
  if (!read.success) throw invalidBody(read.error.issues.map(toDefect));
  return overlooked(body, read.data, []).filter((path) => !SENT_BY_CLIENT[kind]?.includes(path));
}

/** The first parse of each schema compiles it, which would eat into the three seconds of an interaction. */
export function compileSchemas(): void {
  const row = { type: 1, components: [{ type: 2, style: 1, label: "a", custom_id: "a" }] };
  const select = { type: 1, components: [{ type: 3, custom_id: "b", options: [{ label: "a", value: "a" }] }] };
  const content = { content: "a", embeds: [{ title: "a" }], components: [row, select, { type: 10, content: "a" }] };
  const input = { type: 18, label: "a", component: { type: 4, style: 1, custom_id: "a" } };
  const samples: Readonly<Record<BodyKind, Json>> = {
    command: { name: "a", description: "a", options: [{ type: 3, name: "a", description: "a" }] },
    dm: { recipient_id: "1" },
    message: { ...content, allowed_mentions: { parse: [] }, nonce: "a" },
    edit: content,
    follow_up: content,
    follow_up_edit: content,
    answer: { type: 4, data: content },
    update: { type: 7, data: content },
    modal: { type: 9, data: { custom_id: "a", title: "a", components: [input] } },
    thread_on_message: { name: "a" },
    thread: { name: "a" },
    forum_post: { name: "a", message: content },
  };
  for (const [kind, schema] of Object.entries(SCHEMAS)) z.safeParse(schema, samples[kind as BodyKind]); // its own keys
}

const toDefect = ({ path, code, message }: z.core.$ZodIssue) => ({
  path,
  code: code === "too_big" || code === "too_small" ? "BASE_TYPE_BAD_LENGTH" : "BASE_TYPE_BAD_VALUE",
  message,
});

/** Paths in what came that are missing in what was read. */
function overlooked(came: unknown, read: unknown, path: readonly string[]): string[] {
  if (Array.isArray(came) && Array.isArray(read))
    return came.flatMap((value, index) => overlooked(value, read[index], [...path, String(index)]));
  if (!isRecord(came) || !isRecord(read)) return [];
  return Object.entries(came).flatMap(([key, value]) =>
    key in read ? overlooked(value, read[key], [...path, key]) : [[...path, key].join(".")],
  );
}
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
