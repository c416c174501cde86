/** The methods that write: chat.*, and what is checked of a message before it is kept. */
import { z } from "zod";
import { blockViolations, readBlocks } from "./slack-blocks.ts";
import { messageJson } from "./slack-json.ts";
import { channelOf, flag, json, method, writableChannel } from "./slack-method.ts";
import type { Method, MethodContext } from "./slack-method.ts";
import { checkText, POST_TEXT, Refusal, textViolations, UPDATE_TEXT } from "./slack-rules.ts";
import type { TextLimit } from "./slack-rules.ts";
import { addMessage, changeMessage, findMessage, threadOf } from "./slack-world.ts";
import type { Content, Metadata, WireChannel, WireFile, WireMessage } from "./slack-world.ts";

const content = {
  text: z.string().default(""),
  blocks: json.optional(),
  metadata: json.optional(),
  parse: z.string().optional(),
  link_names: flag.optional(),
};
type Given = { readonly [name in keyof typeof content]?: unknown } & { readonly text: string };

export const CHAT_METHODS: Readonly<Record<string, Method>> = {
  "chat.postMessage": method(
    "chat:write",
    {
      ...content,
      channel: z.string(),
      thread_ts: z.string().optional(),
      reply_broadcast: flag.optional(),
      unfurl_links: flag.optional(),
      unfurl_media: flag.optional(),
      mrkdwn: flag.optional(),
    },
    (given, context) => {
      const channel = writableChannel(context, given.channel);
      const checked = checkContent(given, POST_TEXT, context);
      const message = postMessage(context, channel, checked, given.thread_ts);
      return { channel: channel.id, ts: message.ts, message: messageJson(context.world, message) };
    },
  ),
  "chat.update": method(
    "chat:write",
    { ...content, channel: z.string(), ts: z.string(), reply_broadcast: flag.optional() },
    (given, context) => {
      const message = own(context, writableChannel(context, given.channel), given.ts, "update");
      if (message.editWindowClosed) throw new Refusal("edit_window_closed");
      const next = checkContent(given, UPDATE_TEXT, context);
      if (given.blocks === undefined && message.blocks.length > 0)
        context.violate("an update without blocks of a message that has some");
      const before = messageJson(context.world, message);
      changeMessage(context.world, message, next);
      context.events.changed(message, before);
      return { channel: given.channel, ts: given.ts, text: message.text, message: messageJson(context.world, message) };
    },
  ),
  "chat.delete": method("chat:write", { channel: z.string(), ts: z.string() }, ({ channel: id, ts }, context) => {
    const channel = writableChannel(context, id);
    const message = own(context, channel, ts, "delete");
    const before = messageJson(context.world, message);
    message.deleted = true;
    context.events.deleted(channel, before);
    return { channel: id, ts };
  }),
  "chat.postEphemeral": method(
    "chat:write",
    { ...content, channel: z.string(), user: z.string(), thread_ts: z.string().optional() },
    (given, context) => {
      const channel = writableChannel(context, given.channel);
      if (!channel.members.has(given.user)) throw new Refusal("user_not_in_channel");
      const { text, blocks } = checkContent(given, POST_TEXT, context);
      const thread = given.thread_ts === undefined ? {} : { thread_ts: threadTs(channel, given.thread_ts, context) };
      const ts = context.world.nextTs();
      channel.ephemerals.push({ channel, user: given.user, ts, text, blocks, at: Date.now(), ...thread });
      return { message_ts: ts };
    },
  ),
};

/** Text, blocks and metadata, refused or noted as Slack would. */
export function checkContent(given: Given, limit: TextLimit, { violate }: Pick<MethodContext, "violate">): Content {
  const { text } = given;
  const blocks = given.blocks === undefined ? [] : readBlocks(given.blocks, "message");
  if (text === "" && blocks.length === 0) throw new Refusal("no_text");
  checkText(text, limit);
  if (text === "") violate("blocks without a text to fall back to");
  if (given.link_names === true || given.parse === "full") violate("link_names and parse make mentions of plain words");
  for (const what of [...textViolations(text), ...blockViolations(blocks)]) violate(what);
  return { text, blocks, ...(given.metadata !== undefined && { metadata: readMetadata(given.metadata) }) };
}

const metadata = z.strictObject({
  event_type: z.string().min(1).max(255),
  event_payload: z.record(z.string(), z.unknown()),
});
function readMetadata(given: unknown): Metadata {
  const read = metadata.safeParse(given);
  if (!read.success) throw new Refusal("invalid_metadata_format", [z.prettifyError(read.error)]);
  if (JSON.stringify(read.data).length > 16_000) throw new Refusal("metadata_too_large");
  return read.data;
}

/** Keeps a message of the bot, tells the bot of it, and ends the thread's status, as Slack does. */
export function postMessage(
  context: MethodContext,
  channel: WireChannel,
  given: Content & { readonly files?: readonly WireFile[] },
  thread?: string,
): WireMessage {
  const { world, events } = context;
  const thread_ts = thread === undefined ? undefined : threadTs(channel, thread, context);
  const message = addMessage(world, {
    channel,
    user: world.bot,
    ...given,
    ...(given.files && { subtype: "file_share" }),
    ...(thread_ts !== undefined && { thread_ts }),
  });
  if (thread_ts !== undefined) world.statuses.push({ channel: channel.id, thread_ts, status: "", at: Date.now() });
  events.message(message);
  return message;
}

/** The first message of the thread that is meant. A reply's own ts works on Slack, and makes a mess. */
export function threadTs(channel: WireChannel, ts: string, { violate }: MethodContext): string {
  const [root] = threadOf(channel, ts);
  if (!root) throw new Refusal("invalid_thread_ts");
  if (root.ts === ts && root.thread_ts !== undefined) violate(`thread_ts ${ts} is a reply's, not the first message's`);
  return ts;
}

function own(context: MethodContext, channel: WireChannel, ts: string, verb: "update" | "delete"): WireMessage {
  const message = findMessage(channel, ts);
  if (!message) throw new Refusal("message_not_found");
  if (message.user.id !== context.world.bot.id) throw new Refusal(`cant_${verb}_message`);
  return message;
}

/** Not found, or not the bot's to see; also for reactions. */
export function messageIn(context: MethodContext, channel: string, ts: string): WireMessage {
  const message = findMessage(channelOf(context, channel), ts);
  if (!message) throw new Refusal("message_not_found");
  return message;
}
