/** What is sent, edited and removed. Each is one call of the Web API. */
import { AdapterError } from "../../gateway/contract.ts";
import type { Part, PostRef, Sent, ThreadKey } from "../../gateway/contract.ts";
import type { Api } from "./api.ts";
import { readPart } from "./part.ts";
import { formatPost, formatThread, parsePost, parseThread } from "./thread-key.ts";
import type { Address } from "./thread-key.ts";

const EVENT_TYPE = "threadline_post";

/** The nonce travels in the message's metadata, where `find` looks for it. */
export async function send(api: Api, thread: ThreadKey, part: Part, nonce: string): Promise<Sent> {
  const { text, blocks } = readPart(part);
  const address = parseThread(thread);
  const { ts } = await api.call("chat.postMessage", {
    channel: address.channel,
    ...threadTs(address),
    text,
    blocks,
    ...(blocks.length === 0 && { mrkdwn: false }),
    metadata: { event_type: EVENT_TYPE, event_payload: { nonce } },
    unfurl_links: false,
    unfurl_media: false,
  });
  return sentAs(address, ts);
}

export const threadTs = ({ root }: Address): { readonly thread_ts?: string } =>
  root === undefined ? {} : { thread_ts: root };

/** Where there was no thread yet, the post opens one. */
export function sentAs({ team, channel, root }: Address, ts: string): Sent {
  const post = formatPost(team, channel, ts);
  return root === undefined ? { post, thread: formatThread(team, channel, ts) } : { post };
}

/** Metadata that is not named stays; blocks that are not named would go. */
export async function edit(api: Api, post: PostRef, part: Part): Promise<void> {
  const { text, blocks } = readPart(part);
  const posted = parsePost(post);
  if (posted.type === "file") throw new AdapterError("invalid", "A file cannot be edited on Slack.");
  await api.call("chat.update", { channel: posted.channel, ts: posted.ts, text, blocks });
}

export async function remove(api: Api, post: PostRef): Promise<void> {
  const posted = parsePost(post);
  if (posted.type === "file") await api.call("files.delete", { file: posted.file });
  else await api.call("chat.delete", { channel: posted.channel, ts: posted.ts });
}
