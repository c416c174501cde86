/** What the agent is given for a claim: the messages with their files in the thread's folder, or the answers. */
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { InputFile, InputMessage, RunInput } from "../agent/contract.ts";
import type { ThreadId } from "../subagents/contract.ts";
import type { Adapter, InboundFile } from "./contract.ts";
import { safeFileName } from "./file-name.ts";
import type { Claim, GatewayStore, StoredMessage } from "./store-contract.ts";

export interface InputDeps {
  readonly store: Pick<GatewayStore, "filesStored">;
  /** Holds a folder for each thread. */
  readonly threadsFolder: string;
  readonly timezone: string;
}
type Live = Exclude<Claim, { type: "stopped" }>;

/** Messages of an existing thread that a first run is told of. */
const HISTORY = 20;

export async function buildInput(claim: Live, adapter: Adapter, deps: InputDeps): Promise<RunInput> {
  const { run, thread, principal } = claim;
  const folder = threadFolder(deps.threadsFolder, thread.id);
  const context = { platform: thread.platform, audience: thread.place.type, folder, timezone: deps.timezone };
  const base = { runId: run, threadId: thread.id, principal, context };
  if (claim.type === "answers") return { ...base, type: "answers", byInterrupt: claim.byInterrupt };
  const earlier = claim.first && thread.place.type === "shared" ? await history(claim, adapter) : [];
  const messages: InputMessage[] = [];
  for (const stored of claim.messages) {
    const files = stored.files ?? (await fetchFiles(stored, adapter, folder, deps));
    messages.push(...quoted(stored), toMessage(stored, files));
  }
  return { ...base, type: "messages", messages: [...earlier, ...messages] };
}

function threadFolder(root: string, thread: ThreadId): string {
  return path.join(root, thread);
}

function toMessage({ id, type, author, message }: StoredMessage, files: readonly InputFile[]): InputMessage {
  return { id, type, author, text: message.text, files };
}

/** The message that was replied to, when it is not the bot's own. */
function quoted({ id, message }: StoredMessage): InputMessage[] {
  const { replyTo } = message;
  if (!replyTo?.text || replyTo.byBot) return [];
  return [{ id: `${id}:quote`, type: "context", author: "quoted message", text: replyTo.text, files: [] }];
}

async function history(claim: Extract<Claim, { type: "messages" }>, adapter: Adapter): Promise<InputMessage[]> {
  const [first] = claim.messages;
  if (!first) return [];
  // A turn without what was said before is better than none.
  const earlier = await adapter
    .history(claim.thread.key, first.message.post, HISTORY)
    .catch(() => "unavailable" as const);
  if (earlier === "unavailable") return [];
  return earlier.map(({ author, text }, index) => ({
    id: `${first.id}:before:${index}`,
    type: "context",
    author,
    text,
    files: [],
  }));
}

async function fetchFiles(
  stored: StoredMessage,
  adapter: Adapter,
  folder: string,
  { store }: InputDeps,
): Promise<InputFile[]> {
  const files: InputFile[] = [];
  for (const file of stored.message.files) files.push(await fetchFile(file, adapter, folder));
  if (files.length > 0) await store.filesStored(stored.id, files);
  return files;
}

/** A file that cannot be fetched never stops the turn: the agent is told why it is missing. */
async function fetchFile(file: InboundFile, adapter: Adapter, folder: string): Promise<InputFile> {
  const { downloadBytes } = adapter.limits;
  const missing = (reason: string): InputFile => ({ type: "missing", name: file.name, reason });
  if (file.sizeBytes !== undefined && file.sizeBytes > downloadBytes) return missing(tooLarge(downloadBytes));
  const uploads = path.join(folder, "uploads");
  const partial = path.join(folder, `.incoming-${process.pid}-${Date.now()}`);
  try {
    await mkdir(uploads, { recursive: true, mode: 0o700 });
    const bytes = bounded(await adapter.download(file), downloadBytes);
    await pipeline(Readable.from(bytes), createWriteStream(partial, { mode: 0o600 }));
    const name = await freeName(uploads, safeFileName(file.name));
    await rename(partial, path.join(uploads, name));
    const { size } = await stat(path.join(uploads, name));
    return { type: "stored", name: file.name, path: `/uploads/${name}`, sizeBytes: size };
  } catch (error) {
    await rm(partial, { force: true });
    return missing(error instanceof Error ? error.message : String(error));
  }
}

async function* bounded(bytes: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.byteLength;
    if (total > limit) throw new Error(tooLarge(limit));
    yield chunk;
  }
}

const tooLarge = (limit: number) =>
  `it is larger than the ${Math.floor(limit / 1_000_000)} MB that can be fetched here`;

/** `a.txt`, then `a (2).txt`: a second file of the same name replaces nothing. */
async function freeName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = path.parse(name);
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${stem} (${count})${ext}`;
    const taken = await stat(path.join(folder, candidate)).then(
      () => true,
      () => false,
    );
    if (!taken) return candidate;
  }
}
