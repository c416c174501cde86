/** What is sent, edited, removed and uploaded. Each is one call of the Bot API, but for a photo that is refused. */
import { AdapterError } from "../../gateway/contract.ts";
import type { Draft, FileView, InboundFile, Part, PostRef, Sent, ThreadKey } from "../../gateway/contract.ts";
import type { Api } from "./api.ts";
import { MovedError } from "./errors.ts";
import { readPart } from "./part.ts";
import { draftText } from "./render.ts";
import type { TextPart } from "./part.ts";
import { destination, formatPost, formatThread, parsePost } from "./thread-key.ts";
import type { Destination } from "./thread-key.ts";

/** Telegram: a bot uploads 50 MB, a photo 10 MB, and downloads 20 MB. */
export const UPLOAD_BYTES = 50 * 1024 * 1024;
export const DOWNLOAD_BYTES = 20 * 1024 * 1024;
const PHOTO_BYTES = 10 * 1024 * 1024;
const PHOTO_TYPES = ["image/jpeg", "image/png", "image/webp"];
const UPLOAD_MS = 300_000;
/** Shorter than a send's: what waits behind it is a reply, and an edit can be made again. */
const EDIT_MS = 10_000;

interface Posted {
  readonly message_id: number;
}

const textParameters = ({ text, entities, keyboard }: TextPart) => ({
  text,
  entities,
  ...(keyboard && { reply_markup: keyboard }),
  link_preview_options: { is_disabled: true } as const,
});

export async function send(api: Api, thread: ThreadKey, part: Part): Promise<Sent> {
  const read = readPart(part);
  return following(api, thread, (to) => {
    const parameters = { ...to, ...textParameters(read), ...(read.silent && { disable_notification: true }) };
    return api.call("sendMessage", parameters);
  });
}

/** A group that became a supergroup takes the post under its new id, and the thread has another key from then on. */
async function following(api: Api, thread: ThreadKey, post: (to: Destination) => Promise<Posted>): Promise<Sent> {
  try {
    return await postedTo(api, thread, post);
  } catch (error) {
    if (!(error instanceof MovedError)) throw error;
    // Messages are numbered anew there: what opened the thread has another number, which nobody tells.
    const moved = formatThread({ account: api.account, chat: error.chat });
    return { ...(await postedTo(api, moved, post)), thread: moved };
  }
}

async function postedTo(api: Api, thread: ThreadKey, post: (to: Destination) => Promise<Posted>): Promise<Sent> {
  const to = destination(thread);
  const { message_id } = await post(to);
  return { post: formatPost(api.account, to.chat_id, message_id) };
}

/** Telegram: an edit without `reply_markup` takes the buttons away. */
export async function edit(api: Api, post: PostRef, part: Part): Promise<void> {
  const { chat, message } = parsePost(post);
  const parameters = { chat_id: chat, message_id: message, ...textParameters(readPart(part)) };
  await unlessMoved(api.call("editMessageText", parameters, { timeoutMs: EDIT_MS }));
}

export async function remove(api: Api, post: PostRef): Promise<void> {
  const { chat, message } = parsePost(post);
  await unlessMoved(api.call("deleteMessage", { chat_id: chat, message_id: message }));
}

/** What was posted before the group became a supergroup cannot be reached any more. */
async function unlessMoved(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    throw error instanceof MovedError ? new AdapterError("not_found", error.message, { cause: error }) : error;
  });
}

/** Pictures as photos; one whose proportions Telegram refuses goes as a document. */
export function upload(api: Api, thread: ThreadKey, file: FileView): Promise<Sent> {
  const asPhoto = PHOTO_TYPES.includes(file.mime) && file.sizeBytes <= PHOTO_BYTES;
  return following(api, thread, (to) => (asPhoto ? photo(api, to, file) : document(api, to, file)));
}

async function photo(api: Api, to: Destination, file: FileView): Promise<Posted> {
  try {
    return await api.call("sendPhoto", { ...uploadTo(to), photo: local(file) }, { timeoutMs: UPLOAD_MS });
  } catch (error) {
    const isRefused = error instanceof AdapterError && error.code === "invalid" && !(error instanceof MovedError);
    if (isRefused) return document(api, to, file);
    throw error;
  }
}

const document = (api: Api, to: Destination, file: FileView) =>
  api.call("sendDocument", { ...uploadTo(to), document: local(file) }, { timeoutMs: UPLOAD_MS });

const local = (file: FileView) => ({ source: file.path, filename: file.name });

const uploadTo = ({ reply_parameters: reply, ...to }: Destination) => ({
  ...to,
  ...(reply && { reply_parameters: JSON.stringify(reply) }),
});

export async function download(api: Api, file: InboundFile): Promise<AsyncIterable<Uint8Array>> {
  const { file_path } = await api.call("getFile", { file_id: file.id });
  if (!file_path) throw new AdapterError("unavailable", "Expected a path of the file from Telegram, got none.");
  return api.bytes(file_path);
}

export async function showTyping(api: Api, thread: ThreadKey): Promise<void> {
  const { reply_parameters: _, ...to } = destination(thread);
  await api.call("sendChatAction", { ...to, action: "typing" });
}

/** An empty text would show a placeholder instead: https://core.telegram.org/bots/api#sendmessagedraft */
export async function showDraft(api: Api, thread: ThreadKey, { id, markdown }: Draft): Promise<void> {
  const { reply_parameters: _, ...to } = destination(thread);
  const drawn = draftText(markdown);
  if (drawn) await api.call("sendMessageDraft", { ...to, draft_id: id, ...drawn }, { timeoutMs: EDIT_MS });
}
