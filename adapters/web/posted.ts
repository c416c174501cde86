/** What the page posts, and the inbound it becomes. Pure. */
import { z } from "zod";
import {
  type Author,
  type Inbound,
  type InboundFile,
  placeKey,
  postRef,
  type ThreadKey,
  threadKey,
} from "../../gateway/contract.ts";

export const PLATFORM = "web";
export const ACCOUNT = "local";

/** `web:<uuid>`, made by the page for a new thread. */
const threadSchema = z.string().regex(/^web:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
/** The thread an address names; undefined when it is none of ours. */
export function parseThread(text: string | undefined): ThreadKey | undefined {
  const { data } = threadSchema.safeParse(text);
  return data === undefined ? undefined : threadKey(data);
}

const token = z.string().min(1).max(16);
const file = z.strictObject({
  id: z.uuid(),
  name: z.string().max(255),
  mime: z.string().max(255),
});
/** The id is the page's: the same for every try of the same happening. */
export const postedSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("message"),
    id: z.uuid(),
    text: z.string().max(200_000, "A message holds at most 200,000 characters; send the rest as a file."),
    files: z.array(file).max(50),
  }),
  z.strictObject({ type: z.literal("press"), id: z.uuid(), token }),
  z.strictObject({
    type: z.literal("form"),
    id: z.uuid(),
    token,
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  }),
]);
export type Posted = z.infer<typeof postedSchema>;

/** `files`: those of the message as they were found in the upload folder. */
export function toInbound(
  posted: Posted,
  at: { thread: ThreadKey; author: Author; sentAt: number; files: readonly InboundFile[] },
): Inbound {
  const base = {
    platform: PLATFORM,
    account: ACCOUNT,
    eventId: `${posted.type}:${posted.id}`,
    place: { key: placeKey(PLATFORM), type: "direct", id: PLATFORM },
    thread: at.thread,
    author: at.author,
    sentAt: at.sentAt,
  } as const;
  switch (posted.type) {
    case "message":
      return {
        ...base,
        type: "message",
        post: postRef(posted.id),
        text: posted.text,
        mentionsBot: true,
        files: at.files,
      };
    case "press":
      return { ...base, type: "press", token: posted.token };
    case "form":
      return { ...base, type: "form", token: posted.token, values: posted.values };
  }
}
