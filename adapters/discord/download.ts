/** The bytes of a file that came in. */
import { Routes } from "discord.js";
import { AdapterError } from "../../gateway/contract.ts";
import type { InboundFile } from "../../gateway/contract.ts";
import { readAddress } from "../shared/address.ts";
import { toAdapterError } from "./errors.ts";
import { filesIn, withFiles } from "./payload.ts";
import type { Api } from "./rest.ts";

/** Ours: what a run is given to read. */
export const DOWNLOAD_BYTES = 25 * 1024 * 1024;
const DOWNLOAD_MS = 300_000;
/** Where Discord keeps files; nothing is fetched from anywhere else. */
const HOSTS = ["cdn.discordapp.com", "media.discordapp.net"];

/** Links to files expire, so the message is asked for a fresh one. Throws `AdapterError`, also while bytes are read. */
export async function download(api: Api, file: InboundFile): Promise<AsyncIterable<Uint8Array>> {
  const url = await freshUrl(api, file.id);
  const signal = AbortSignal.timeout(DOWNLOAD_MS);
  const response = await fetch(url, { redirect: "error", signal }).catch((error: unknown) => {
    throw toAdapterError(error, api.token);
  });
  if (!response.ok || !response.body)
    throw new AdapterError("unavailable", `Expected the file from Discord, got status ${response.status}.`);
  return redacted(response.body, api.token);
}

async function freshUrl(api: Api, handle: string): Promise<URL> {
  const [channel = "", message = "", id] = handle.split("/");
  const read = await api.call({ method: "GET", route: Routes.channelMessage(channel, message) }, withFiles);
  const found = filesIn(read).find((one) => one.id === id);
  if (!found || !readAddress(found.url)) throw new AdapterError("not_found", "The file is no longer in its message.");
  const url = new URL(found.url);
  const isOfDiscord =
    (url.protocol === "https:" && HOSTS.includes(url.host)) || url.origin === new URL(api.apiUrl).origin;
  if (!isOfDiscord) throw new AdapterError("invalid", `Expected a file of Discord's, got one at ${url.host}.`);
  return url;
}

async function* redacted(body: AsyncIterable<Uint8Array>, token: string): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toAdapterError(error, token);
  }
}
