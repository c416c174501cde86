/** The methods of the Bot API that the loopback server speaks: parameters as a schema, the work as a function. */
import { z } from "zod";
import { badRequest, checkEntities, checkKeyboard, checkText, pingedBy, Refusal } from "./telegram-rules.ts";
import type { Updates } from "./telegram-updates.ts";
import { addMessage, findMessage, messageJson } from "./telegram-world.ts";
import type { Account, WireChat, WireFile, WireMessage, World } from "./telegram-world.ts";

export interface MethodContext {
  readonly world: World;
  readonly updates: Updates;
  readonly me: Account & { readonly can_read_all_group_messages: boolean };
  readonly violate: (what: string) => void;
  /** Aborts when the client has gone. */
  readonly closed: AbortSignal;
}
interface Method {
  readonly params: z.ZodObject;
  readonly run: (input: unknown, context: MethodContext) => unknown;
}

function method<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (params: z.output<z.ZodObject<Shape>>, context: MethodContext) => unknown,
): Method {
  const params = z.object(shape);
  return {
    params,
    run: (input, context) => {
      const read = params.safeParse(input);
      if (!read.success) throw badRequest(`can't parse parameters: ${z.prettifyError(read.error)}`);
      return run(read.data, context);
    },
  };
}

const chat_id = z.number().int();
const message_id = z.number().int();
const message_thread_id = z.number().int().optional();
const button = z.strictObject({
  text: z.string(),
  callback_data: z.string().exactOptional(),
  url: z.string().exactOptional(),
});
const reply_markup = z.strictObject({ inline_keyboard: z.array(z.array(button)) }).optional();
const entities = z
  .array(
    z.strictObject({
      type: z.string(),
      offset: z.number().int(),
      length: z.number().int(),
      url: z.string().exactOptional(),
      language: z.string().exactOptional(),
    }),
  )
  .default([]);
const reply_parameters = z
  .strictObject({ message_id: z.number().int(), allow_sending_without_reply: z.boolean().default(false) })
  .optional();
const sending = {
  chat_id,
  message_thread_id,
  disable_notification: z.boolean().default(false),
  reply_parameters,
  reply_markup,
};
const link_preview_options = z.strictObject({ is_disabled: z.boolean() }).optional();
const upload = z.instanceof(File);

export const METHODS: Readonly<Record<string, Method>> = {
  getMe: method({}, (_, { me }) => me),
  getWebhookInfo: method({}, (_, { world, updates }) => ({
    url: world.webhook,
    has_custom_certificate: false,
    pending_update_count: updates.pending().length,
  })),
  setWebhook: method({ url: z.string() }, ({ url }, { world }) => done(() => (world.webhook = url))),
  deleteWebhook: method({ drop_pending_updates: z.boolean().optional() }, (_, { world }) =>
    done(() => (world.webhook = "")),
  ),
  getUpdates: method(
    {
      offset: z.number().int().exactOptional(),
      limit: z.number().int().min(1).max(100).default(100),
      timeout: z.number().int().min(0).default(0),
      allowed_updates: z.array(z.string()).exactOptional(),
    },
    (query, { world, updates, closed }) => {
      if (world.webhook !== "") throw new Refusal(409, "Conflict: can't use getUpdates method while webhook is active");
      return updates.take(query, closed);
    },
  ),
  getMyCommands: method({}, (_, { world }) => world.commands),
  setMyCommands: method(
    {
      commands: z
        .array(
          z.strictObject({ command: z.string().regex(/^[a-z0-9_]{1,32}$/), description: z.string().min(1).max(256) }),
        )
        .max(100),
    },
    ({ commands }, { world }) => done(() => (world.commands = commands)),
  ),
  sendMessage: method(
    { ...sending, text: z.string(), entities, link_preview_options },
    ({ text, ...params }, context) => {
      const chat = reachable(context, params.chat_id);
      checkContent(text, params.entities, context);
      return post(chat, text, params, context);
    },
  ),
  // Bot API 9.3: a preview for 30 seconds, in private chats.
  sendMessageDraft: method(
    { chat_id, message_thread_id, draft_id: z.number().int(), text: z.string(), entities },
    ({ draft_id: id, text, ...params }, context) => {
      const chat = reachable(context, params.chat_id);
      if (chat.type !== "private") throw badRequest("drafts can be sent only to private chats");
      if (id === 0) throw badRequest("draft_id must be non-zero");
      checkContent(text, params.entities, context);
      const topic = topicOf(chat, params.message_thread_id);
      return done(() => chat.drafts.push({ id, text, ...(topic !== undefined && { topic }), at: Date.now() }));
    },
  ),
  sendPhoto: method({ ...sending, photo: upload }, async ({ photo, ...params }, context) => {
    const chat = reachable(context, params.chat_id);
    if (!photo.type.startsWith("image/") && !/\.(jpe?g|png|webp)$/i.test(photo.name))
      throw badRequest("IMAGE_PROCESS_FAILED");
    const file = await stored("photo", photo, 10, context);
    return post(chat, "", { ...params, entities: [], file }, context);
  }),
  sendDocument: method({ ...sending, document: upload }, async ({ document, ...params }, context) => {
    const chat = reachable(context, params.chat_id);
    const file = await stored("document", document, 50, context);
    return post(chat, "", { ...params, entities: [], file }, context);
  }),
  editMessageText: method(
    { chat_id, message_id, text: z.string(), entities, reply_markup, link_preview_options },
    (params, context) => {
      const message = own(context, params, "edit");
      if (message.file) throw badRequest("there is no text in the message to edit");
      checkContent(params.text, params.entities, context);
      return change(message, { ...params, keyboard: params.reply_markup?.inline_keyboard ?? [] });
    },
  ),
  editMessageReplyMarkup: method({ chat_id, message_id, reply_markup }, (params, context) => {
    const message = own(context, params, "edit");
    return change(message, { ...message, keyboard: params.reply_markup?.inline_keyboard ?? [] });
  }),
  deleteMessage: method({ chat_id, message_id }, (params, context) => {
    const message = own(context, params, "delete");
    // Telegram: only messages younger than 48 hours.
    if (Date.now() / 1000 - message.date > 48 * 3600) throw badRequest("message can't be deleted");
    return done(() => (message.deleted = true));
  }),
  sendChatAction: method({ chat_id, message_thread_id, action: z.enum(["typing"]) }, (params, context) => {
    const chat = reachable(context, params.chat_id);
    const topic = topicOf(chat, params.message_thread_id);
    return done(() => chat.actions.push({ action: params.action, ...(topic && { topic }), at: Date.now() }));
  }),
  answerCallbackQuery: method(
    { callback_query_id: z.string(), text: z.string().max(200).default(""), show_alert: z.boolean().optional() },
    ({ callback_query_id, text }, { world }) => {
      const press = world.presses.get(callback_query_id);
      if (!press || press.answered) {
        throw badRequest("query is too old and response timeout expired or query ID is invalid");
      }
      press.answered = true;
      return done(() => press.answer(text));
    },
  ),
  getFile: method({ file_id: z.string() }, ({ file_id }, { world }) => {
    const file = world.files.get(file_id);
    if (!file) throw badRequest("wrong file_id or the file is temporarily unavailable");
    if (Math.max(file.sizeBytes ?? 0, file.bytes.length) > 20 * 1024 * 1024) throw badRequest("file is too big");
    return { file_id, file_unique_id: `u${file_id}`, file_size: file.bytes.length, file_path: `files/${file_id}` };
  }),
  createForumTopic: method({ chat_id, name: z.string().min(1).max(128) }, ({ chat_id: id, name }, context) => {
    const chat = reachable(context, id);
    if (!chat.isForum) throw badRequest("the chat is not a forum");
    const { message_id: topic } = addMessage({ chat, from: context.world.bot, text: name });
    chat.topics.set(topic, { name, closed: false });
    return { message_thread_id: topic, name, icon_color: 7322096 };
  }),
};

function done(effect: () => unknown): true {
  effect();
  return true;
}

function reachable({ world }: MethodContext, id: number): WireChat {
  const chat = world.chats.get(id);
  if (!chat) throw badRequest("chat not found");
  if (chat.migratedTo !== undefined) {
    const moved = { migrate_to_chat_id: chat.migratedTo };
    throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", moved);
  }
  if (chat.bot === "blocked") throw new Refusal(403, "Forbidden: bot was blocked by the user");
  if (chat.bot === "kicked") throw new Refusal(403, `Forbidden: bot was kicked from the ${chat.type} chat`);
  return chat;
}

/** General must not be named, and a reply chain is no topic. */
function topicOf(chat: WireChat, id: number | undefined): number | undefined {
  if (id === undefined) return chat.isForum && chat.type !== "private" ? 1 : undefined;
  const topic = id === 1 ? undefined : chat.topics.get(id);
  if (!topic) throw badRequest("message thread not found");
  if (topic.closed) throw badRequest("TOPIC_CLOSED");
  return id;
}

function checkContent(text: string, marks: z.output<typeof entities>, { violate }: MethodContext): void {
  checkText(text);
  for (const what of checkEntities(text, marks)) violate(what);
}

type Content = {
  readonly entities: z.output<typeof entities>;
  readonly message_thread_id?: number | undefined;
  readonly disable_notification: boolean;
  readonly reply_parameters?: z.output<typeof reply_parameters>;
  readonly reply_markup?: z.output<typeof reply_markup>;
  readonly file?: WireFile;
};

function post(chat: WireChat, text: string, content: Content, { world }: MethodContext): unknown {
  const keyboard = content.reply_markup?.inline_keyboard ?? [];
  checkKeyboard(keyboard);
  const topic = topicOf(chat, content.message_thread_id);
  const reply = content.reply_parameters;
  const replyTo = reply && findMessage(chat, reply.message_id)?.message_id;
  if (reply && replyTo === undefined && !reply.allow_sending_without_reply)
    throw badRequest("message to be replied not found");
  const message = addMessage({
    chat,
    from: world.bot,
    text,
    entities: content.entities,
    keyboard,
    silent: content.disable_notification,
    pings: pingedBy(text, content.entities),
    ...(topic !== undefined && { topic }),
    ...(replyTo !== undefined && { replyTo }),
    ...(content.file && { file: content.file }),
  });
  return messageJson(message);
}

function own(
  context: MethodContext,
  at: { chat_id: number; message_id: number },
  verb: "edit" | "delete",
): WireMessage {
  const message = findMessage(reachable(context, at.chat_id), at.message_id);
  if (!message) throw badRequest(`message to ${verb} not found`);
  if (message.from.id !== context.world.bot.id) throw badRequest(`message can't be ${verb}ed`);
  return message;
}

function change(message: WireMessage, next: Pick<WireMessage, "text" | "entities" | "keyboard">): unknown {
  checkKeyboard(next.keyboard);
  const state = ({ text, entities: marks, keyboard }: typeof next) => JSON.stringify([text, marks, keyboard]);
  if (state(message) === state(next)) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  message.edits.push({ text: message.text, keyboard: message.keyboard, at: Date.now() });
  message.text = next.text;
  message.entities = next.entities;
  message.keyboard = next.keyboard;
  message.pings = pingedBy(next.text, next.entities);
  return messageJson(message);
}

async function stored(
  type: "photo" | "document",
  file: File,
  maxMb: number,
  { world }: MethodContext,
): Promise<WireFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length === 0) throw badRequest("file must be non-empty");
  if (bytes.length > maxMb * 1024 * 1024) throw new Refusal(413, "Request Entity Too Large");
  const kept = {
    type,
    file_id: `sent${world.files.size}`,
    name: file.name,
    mime: file.type,
    sizeBytes: bytes.length,
    bytes,
  };
  world.files.set(kept.file_id, kept);
  return kept;
}
