/** What is sent, edited, removed and uploaded. Each is one call of the Bot API, but for a photo that is refused. */
import { AdapterError } from "../../gateway/contract.ts";
import type { FileView, InboundFile, Part, PostRef, Sent, ThreadKey } from "../../gateway/contract.ts";
import type { Api } from "./api.ts";
import { readPart } from "./part.ts";
import type { TextPart } from "./part.ts";
import { destination, formatPost, parsePost } from "./thread-key.ts";
import type { Destination } from "./thread-key.ts";

/** Telegram: a bot uploads 50 MB, a photo 10 MB, and downloads 20 MB. */
export const UPLOAD_BYTES = 50 * 1024 * 1024;
export const DOWNLOAD_BYTES = 20 * 1024 * 1024;
const PHOTO_BYTES = 10 * 1024 * 1024;
const PHOTO_TYPES = ["image/jpeg", "image/png", "image/webp"];
const UPLOAD_MS = 300_000;
/** Shorter than a send's: what waits behind it is a reply, and an edit can be made again. */
const EDIT_MS = 10_000;

const textParameters = ({ text, entities, keyboard }: TextPart) => ({
  text,
  entities,
  ...(keyboard && { reply_markup: keyboard }),
  link_preview_options: { is_disabled: true } as const,
});

export async function send(api: Api, thread: ThreadKey, part: Part): Promise<Sent> {
  const read = readPart(part);
  const to = destination(thread);
  const parameters = { ...to, ...textParameters(read), ...(read.silent && { disable_notification: true }) };
  const { message_id } = await api.call("sendMessage", parameters);
  return { post: formatPost(api.account, to.chat_id, message_id) };
}

/** Telegram: an edit without `reply_markup` takes the buttons away. */
export async function edit(api: Api, post: PostRef, part: Part): Promise<void> {
  const { chat, message } = parsePost(post);
  const parameters = { chat_id: chat, message_id: message, ...textParameters(readPart(part)) };
  await api.call("editMessageText", parameters, { timeoutMs: EDIT_MS });
}

export async function remove(api: Api, post: PostRef): Promise<void> {
  const { chat, message } = parsePost(post);
  await api.call("deleteMessage", { chat_id: chat, message_id: message });
}

/** Pictures as photos; one whose proportions Telegram refuses goes as a document. */
export async function upload(api: Api, thread: ThreadKey, file: FileView): Promise<Sent> {
  const to = destination(thread);
  const asPhoto = PHOTO_TYPES.includes(file.mime) && file.sizeBytes <= PHOTO_BYTES;
  const { message_id } = asPhoto ? await photo(api, to, file) : await document(api, to, file);
  return { post: formatPost(api.account, to.chat_id, message_id) };
}

async function photo(api: Api, to: Destination, file: FileView): Promise<{ readonly message_id: number }> {
  try {
    return await api.call("sendPhoto", { ...uploadTo(to), photo: local(file) }, { timeoutMs: UPLOAD_MS });
  } catch (error) {
    if (error instanceof AdapterError && error.code === "invalid") return document(api, to, file);
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
