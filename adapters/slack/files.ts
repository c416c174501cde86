/** Files that go out and come in. */
import { openAsBlob } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { AdapterError } from "../../gateway/contract.ts";
import type { FileView, InboundFile, Sent, ThreadKey } from "../../gateway/contract.ts";
import { ownUrl } from "./api.ts";
import type { Api, SlackFile } from "./api.ts";
import { toAdapterError } from "./errors.ts";
import { parseHandle } from "./incoming-files.ts";
import { sentAs, threadTs } from "./outgoing.ts";
import { formatPost, parseThread } from "./thread-key.ts";
import type { Address } from "./thread-key.ts";

/** Slack takes and keeps 1 GB; more than this is nothing to read or to hand over in a chat. */
export const FILE_BYTES = 100 * 1024 * 1024;
const TRANSFER_MS = 300_000;

export interface FileAccess {
  readonly api: Api;
  readonly apiUrl: string;
  readonly botToken: string;
}

/** Three steps; only the last one shows the file, so what fails before has posted nothing. */
export async function upload({ api, apiUrl }: FileAccess, thread: ThreadKey, file: FileView): Promise<Sent> {
  const address = parseThread(thread);
  const bytes = await readable(file.path);
  const { upload_url, file_id } = await nothingShown(
    api.call("files.getUploadURLExternal", { filename: file.name, length: bytes.size }),
  );
  await nothingShown(put(ownUrl(upload_url, apiUrl), bytes));
  const shown = await api.call("files.completeUploadExternal", {
    files: [{ id: file_id, title: file.name }],
    channel_id: address.channel,
    ...threadTs(address),
  });
  return shownAs(api, address, file_id, shown.files?.[0]);
}

async function readable(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch (error) {
    throw new AdapterError("invalid", "Expected a file that can be read, got none.", { cause: error });
  }
}

async function nothingShown<T>(step: Promise<T>): Promise<T> {
  return step.catch((error: unknown) => {
    if (!(error instanceof AdapterError) || error.code !== "unknown_outcome") throw error;
    throw new AdapterError("unavailable", error.message, { cause: error.cause });
  });
}

async function put(url: URL, body: Blob): Promise<void> {
  const response = await transfer("an upload", url, { method: "POST", body });
  if (!response.ok) throw new AdapterError("unavailable", `Expected the upload to be taken, got ${response.status}.`);
}

const SHARE_TRIES = 4;
const SHARE_WAIT_MS = 300;

/** Slack shares the file a moment after it said so; which message shows it stands in the file then. */
async function shownAs(api: Api, address: Address, id: string, taken?: SlackFile): Promise<Sent> {
  let ts = sharedAt(taken, address.channel);
  for (let left = SHARE_TRIES; left > 0 && ts === undefined; left -= 1) {
    await pause(SHARE_WAIT_MS);
    const answer = await api.call("files.info", { file: id }).catch(() => undefined);
    ts = sharedAt(answer?.file, address.channel);
  }
  return ts === undefined ? { post: formatPost(address.team, address.channel, id) } : sentAs(address, ts);
}

function sharedAt(file: SlackFile | undefined, channel: string): string | undefined {
  return Object.values(file?.shares ?? {}).flatMap((byChannel) => byChannel[channel] ?? [])[0]?.ts;
}

/** The token goes to Slack's own hosts only, and redirects are not followed with it. */
export async function download(access: FileAccess, file: InboundFile): Promise<AsyncIterable<Uint8Array>> {
  const { api, apiUrl, botToken } = access;
  const url = ownUrl(await addressOf(api, file), apiUrl);
  const response = await transfer("a file", url, { headers: { authorization: `Bearer ${botToken}` } });
  if (response.status === 403 || response.status === 404 || isSignIn(response, file)) throw noFile();
  if (!response.ok || !response.body)
    throw new AdapterError("unavailable", `Expected the file from Slack, got status ${response.status}.`);
  return checked(response.body, file);
}

async function addressOf(api: Api, file: InboundFile): Promise<string> {
  const { id, address } = parseHandle(file.id);
  if (address) return address;
  const { file: found } = await api.call("files.info", { file: id });
  const url = found.url_private_download ?? found.url_private;
  if (url) return url;
  throw new AdapterError("invalid", "Expected an address of the file from Slack, got none: it lies elsewhere.");
}

const isPage = (mime: string | null | undefined): boolean => /^(text\/html|application\/xhtml)/i.test(mime ?? "");

/** Slack answers a token that may not read the file with its sign-in page, and 200. A real page says so itself. */
const isSignIn = (response: Response, { mime, name }: InboundFile): boolean =>
  isPage(response.headers.get("content-type")) && !isPage(mime) && !/\.x?html?$/i.test(name);

const noFile = (): AdapterError =>
  new AdapterError(
    "forbidden",
    "Expected the file from Slack, got its sign-in page: the app needs the scope files:read.",
  );

/** Where the answer does not say what it is, its first bytes do. */
async function* checked(body: AsyncIterable<Uint8Array>, file: InboundFile): AsyncIterable<Uint8Array> {
  let isFirst = true;
  try {
    for await (const chunk of body) {
      const start = isFirst ? Buffer.from(chunk.subarray(0, 100)).toString().trimStart().toLowerCase() : "";
      if (start.startsWith("<!doctype html") && !isPage(file.mime) && !/\.x?html?$/i.test(file.name)) throw noFile();
      isFirst = false;
      yield chunk;
    }
  } catch (error) {
    throw toAdapterError(error, "a file", "bot");
  }
}

function transfer(what: string, url: URL, init: RequestInit): Promise<Response> {
  const options: RequestInit = { ...init, redirect: "error", signal: AbortSignal.timeout(TRANSFER_MS) };
  return fetch(url, options).catch((error: unknown) => {
    throw toAdapterError(error, what, "bot");
  });
}
