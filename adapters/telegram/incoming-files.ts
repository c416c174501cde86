/** The files of a Telegram message. */
import type { InboundFile } from "../../gateway/contract.ts";
import type { Message } from "./update.ts";

type Sent = NonNullable<Message["document"]>;

/** Of a photo the largest size. A file above Telegram's 20 MB is listed too: its size tells that it cannot be had. */
export function incomingFiles(message: Message): InboundFile[] {
  const { message_id: id } = message;
  const largest = message.photo?.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
  return [
    inboundFile(largest, `photo-${id}.jpg`, "image/jpeg"),
    inboundFile(message.document, `document-${id}`),
    inboundFile(message.voice, `voice-${id}.ogg`, "audio/ogg"),
    inboundFile(message.audio, `audio-${id}.mp3`),
    inboundFile(message.video, `video-${id}.mp4`, "video/mp4"),
    inboundFile(message.video_note, `video-${id}.mp4`, "video/mp4"),
  ].filter((file) => file !== undefined);
}

function inboundFile(file: Sent | undefined, name: string, usualMime?: string): InboundFile | undefined {
  if (!file) return undefined;
  const mime = file.mime_type ?? usualMime;
  return {
    id: file.file_id,
    name: file.file_name || name,
    ...(mime && { mime }),
    ...(file.file_size !== undefined && { sizeBytes: file.file_size }),
  };
}
