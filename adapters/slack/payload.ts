/**
 * What we read of Slack's envelopes, checked. Unknown fields are dropped, so that a newer Slack changes nothing here.
 * Shapes: https://docs.slack.dev/reference/events and https://docs.slack.dev/reference/interaction-payloads
 */
import { z } from "zod";

const id = z.string().min(1);
const ts = z.string().regex(/^\d+\.\d+$/);

const file = z.object({
  id,
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nonnegative().optional(),
  /** `tombstone` and `hidden_by_limit`: it is gone. */
  mode: z.string().optional(),
  /** Only linked: it lies elsewhere. */
  is_external: z.boolean().optional(),
  url_private: z.string().optional(),
  url_private_download: z.string().optional(),
});

/** A message as it stands in an event of its own, or inside one about an edit or a deletion. */
const written = z.object({
  subtype: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  username: z.string().nullish(),
  bot_profile: z.object({ name: z.string().optional(), user_id: z.string().optional() }).optional(),
  text: z.string().nullish(),
  ts,
  thread_ts: ts.optional(),
  files: z.array(file).optional(),
  attachments: z.array(z.unknown()).optional(),
  edited: z.object({ ts: z.string() }).optional(),
});

const message = written.extend({
  channel: id,
  channel_type: z.string().optional(),
});
const change = z.object({
  subtype: z.enum(["message_changed", "message_deleted"]),
  channel: id,
  channel_type: z.string().optional(),
  ts,
  message: written.optional(),
  previous_message: written.optional(),
  deleted_ts: ts.optional(),
});
const membership = z.object({
  type: z.enum(["member_joined_channel", "member_left_channel"]),
  user: id,
  channel: id,
  inviter: z.string().optional(),
  event_ts: z.string().optional(),
});

/** Whose installation an event is for: in a channel that is shared with others, not always the author's. */
const installation = {
  team_id: z.string().nullish(),
  authorizations: z.array(z.object({ team_id: z.string().nullish(), user_id: z.string().nullish() })).optional(),
};
const envelope = z.object({ event: z.object({ type: z.string(), subtype: z.string().optional() }) });
const messageBody = z.object({ ...installation, event: message });
const changeBody = z.object({ ...installation, event: change });
const membershipBody = z.object({ ...installation, event: membership });

const person = z.object({ id, name: z.string().optional() });
const interaction = { user: person, team: z.object({ id }).nullish() };

const press = z.object({
  ...interaction,
  trigger_id: z.string().optional(),
  channel: z.object({ id }).optional(),
  container: z.object({ message_ts: ts.optional(), thread_ts: ts.optional() }),
  message: z.object({ ts, thread_ts: ts.optional() }).optional(),
  response_url: z.string().optional(),
  actions: z
    .array(
      z.object({
        value: z.string().optional(),
        selected_option: z.object({ value: z.string() }).nullish(),
        action_ts: z.string().default(""),
      }),
    )
    .min(1),
});

const view = z.object({
  id,
  hash: z.string().default(""),
  callback_id: z.string(),
  private_metadata: z.string(),
  state: z.object({ values: z.record(z.string(), z.record(z.string(), z.looseObject({ type: z.string() }))) }),
});
const submission = z.object({ ...interaction, view });

const command = z.object({
  text: z.string().default(""),
  team_id: id,
  channel_id: id,
  channel_name: z.string().optional(),
  user_id: id,
  user_name: z.string().optional(),
  trigger_id: id,
  response_url: z.string().optional(),
});

export type Message = z.output<typeof message>;
export type Written = z.output<typeof written>;
export type Change = z.output<typeof change>;
export type Membership = z.output<typeof membership>;
export type Installation = Pick<z.output<typeof messageBody>, keyof typeof installation>;
export type Press = z.output<typeof press>;
export type Submission = z.output<typeof submission>;
export type View = Submission["view"];
export type Command = z.output<typeof command>;
export type IncomingFile = z.output<typeof file>;

export type Payload =
  | { readonly type: "message"; readonly body: z.output<typeof messageBody> }
  | { readonly type: "change"; readonly body: z.output<typeof changeBody> }
  | { readonly type: "membership"; readonly body: z.output<typeof membershipBody> }
  | { readonly type: "press"; readonly body: Press }
  | { readonly type: "form"; readonly body: Submission }
  | { readonly type: "command"; readonly body: Command }
  /** A reaction, an opened home tab, a shortcut, a closed modal: nothing that we read. */
  | { readonly type: "other" };

const anyBody = z.object({ type: z.string().optional(), command: z.string().optional() });

/** Throws `ZodError` for a body of a shape that Slack does not document. */
export function readPayload(raw: unknown): Payload {
  const { type, command: called } = anyBody.parse(raw);
  if (type === "event_callback") return readEvent(raw);
  if (type === "block_actions") return { type: "press", body: press.parse(raw) };
  if (type === "view_submission") return { type: "form", body: submission.parse(raw) };
  if (called !== undefined) return { type: "command", body: command.parse(raw) };
  return { type: "other" };
}

function readEvent(raw: unknown): Payload {
  const { type, subtype = "" } = envelope.parse(raw).event;
  switch (type) {
    case "message":
      if (["message_changed", "message_deleted"].includes(subtype))
        return { type: "change", body: changeBody.parse(raw) };
      return { type: "message", body: messageBody.parse(raw) };
    case "app_mention":
      return { type: "message", body: messageBody.parse(raw) };
    case "member_joined_channel":
    case "member_left_channel":
      return { type: "membership", body: membershipBody.parse(raw) };
    default:
      return { type: "other" };
  }
}
