/** Modals, the assistant's status, reactions and files. */
import { z } from "zod";
import { checkContent, messageIn, postMessage, threadTs } from "./slack-chat-methods.ts";
import { fileJson, sharesJson, viewJson } from "./slack-json.ts";
import { count, fromJson, json, method, writableChannel } from "./slack-method.ts";
import type { Answer, Method, MethodContext } from "./slack-method.ts";
import { threadExists } from "./slack-read-methods.ts";
import { POST_TEXT, Refusal } from "./slack-rules.ts";
import { takeTrigger } from "./slack-triggers.ts";
import { readView } from "./slack-views.ts";
import { keepFile } from "./slack-world.ts";
import type { WireView } from "./slack-world.ts";

const jsonOf = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(fromJson, schema);
const thread = { channel_id: z.string(), thread_ts: z.string() };
const reaction = { channel: z.string(), timestamp: z.string(), name: z.string().regex(/^[\w+'-]+(::skin-tone-\d)?$/) };

export const MORE_METHODS: Readonly<Record<string, Method>> = {
  "views.open": method(
    { token: "bot" },
    { trigger_id: z.string(), view: json },
    ({ trigger_id, view: given }, { world }) => {
      const user = takeTrigger(world, trigger_id);
      const id = `V${String(world.count()).padStart(8, "0")}`;
      const view: WireView = { id, user, fields: readView(given), hash: hashOf(world.now()), open: true };
      world.views.set(id, view);
      return { view: viewJson(world, view) };
    },
  ),
  "views.update": method(
    { token: "bot" },
    { view_id: z.string(), view: json, hash: z.string().optional() },
    ({ view_id, view: given, hash }, { world }) => {
      const view = world.views.get(view_id);
      if (!view?.open) throw new Refusal("not_found");
      if (hash !== undefined && hash !== view.hash) throw new Refusal("hash_conflict");
      view.fields = readView(given);
      view.hash = hashOf(world.now());
      return { view: viewJson(world, view) };
    },
  ),
  "assistant.threads.setStatus": method(
    "chat:write",
    { ...thread, status: z.string().max(50), loading_messages: jsonOf(z.array(z.string()).max(10)).optional() },
    ({ channel_id, thread_ts, status }, context) => {
      const { id } = statusThread(context, channel_id, thread_ts);
      context.world.statuses.push({ channel: id, thread_ts, status, at: Date.now() });
      return {};
    },
  ),
  "assistant.threads.setTitle": method(
    "assistant:write",
    { ...thread, title: z.string().min(1) },
    ({ channel_id, thread_ts, title }, context) => {
      const { id } = statusThread(context, channel_id, thread_ts);
      context.world.titles.set(`${id}:${thread_ts}`, title);
      return {};
    },
  ),
  "assistant.threads.setSuggestedPrompts": method(
    "assistant:write",
    {
      ...thread,
      thread_ts: z.string().optional(),
      title: z.string().optional(),
      prompts: jsonOf(
        z
          .array(z.strictObject({ title: z.string().min(1), message: z.string().min(1) }))
          .min(1)
          .max(4),
      ),
    },
    ({ channel_id }, context) => {
      writableChannel(context, channel_id);
      return {};
    },
  ),
  "reactions.add": method("reactions:write", reaction, ({ channel, timestamp, name }, context) => {
    const { reactions } = messageIn(context, channel, timestamp);
    const by = reactions.get(name) ?? new Set();
    if (by.has(context.world.bot.id)) throw new Refusal("already_reacted");
    reactions.set(name, by.add(context.world.bot.id));
    return {};
  }),
  "reactions.remove": method("reactions:write", reaction, ({ channel, timestamp, name }, context) => {
    const { reactions } = messageIn(context, channel, timestamp);
    if (!reactions.get(name)?.delete(context.world.bot.id)) throw new Refusal("no_reaction");
    return {};
  }),
  "files.getUploadURLExternal": method(
    "files:write",
    {
      filename: z.string().min(1),
      length: count(1024 ** 3),
      alt_text: z.string().optional(),
      snippet_type: z.string().optional(),
    },
    ({ filename, length }, { world }) => {
      const file = keepFile(world, world.bot.id, { name: filename, bytes: new Uint8Array(), sizeBytes: length });
      world.uploads.set(file.id, file);
      return { upload_url: `${world.origin}/upload/v1/${file.id}`, file_id: file.id };
    },
  ),
  "files.completeUploadExternal": method(
    "files:write",
    {
      files: jsonOf(z.array(z.strictObject({ id: z.string(), title: z.string().exactOptional() })).min(1)),
      channel_id: z.string().optional(),
      channels: z.string().optional(),
      thread_ts: z.string().optional(),
      initial_comment: z.string().optional(),
      blocks: json.optional(),
    },
    completeUpload,
  ),
  "files.info": method("files:read", { file: z.string() }, ({ file: id }, { world }) => {
    const file = world.files.get(id);
    if (!file) throw new Refusal("file_not_found");
    return { file: { ...fileJson(world, file), ...sharesJson(world, file) } };
  }),
};

const hashOf = (now: number): string => `${Math.floor(now / 1000)}.${Math.random().toString(36).slice(2, 10)}`;

function statusThread(context: MethodContext, channel: string, ts: string) {
  const found = writableChannel(context, channel);
  if (!threadExists(context, channel, ts)) throw new Refusal("invalid_thread_ts");
  return found;
}

interface Completion {
  readonly files: readonly { readonly id: string; readonly title?: string }[];
  readonly channel_id?: string | undefined;
  readonly channels?: string | undefined;
  readonly thread_ts?: string | undefined;
  readonly initial_comment?: string | undefined;
  readonly blocks?: unknown;
}

/** The message comes so much later than the answer: Slack scans the files first (slackapi/bolt-js issue 2115). */
const SHARED_AFTER_MS = 50;

/** Shared as one message of the bot; the answer does not name it, `files.info` does, a little later. */
function completeUpload(given: Completion, context: MethodContext): Answer {
  const { world } = context;
  const files = given.files.map(({ id, title }) => {
    const file = world.uploads.get(id);
    if (!file || file.bytes.length !== file.sizeBytes) throw new Refusal("file_not_found", [id]);
    file.title = title ?? file.title;
    return file;
  });
  const place = given.channel_id ?? given.channels;
  if (place !== undefined) {
    const channel = writableChannel(context, place);
    const said = given.initial_comment ?? "";
    const written = said === "" && given.blocks === undefined ? { text: "", blocks: [] } : undefined;
    const content = written ?? checkContent({ text: said, blocks: given.blocks }, POST_TEXT, context);
    const thread = given.thread_ts === undefined ? undefined : threadTs(channel, given.thread_ts, context);
    setTimeout(() => postMessage(context, channel, { ...content, files }, thread), SHARED_AFTER_MS).unref();
  }
  for (const { id } of files) world.uploads.delete(id);
  return { files: files.map(({ id, title }) => ({ id, title })) };
}
