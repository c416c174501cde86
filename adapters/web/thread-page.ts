/** A thread and the list of threads, as JSON for the page. */
import type { Entry, ThreadKey, Transcript } from "../../gateway/contract.ts";
import { PLATFORM } from "./posted.ts";
import { fileOf, forPage } from "./part.ts";
import type { Changes } from "./changes.ts";

/** The revision is read first: what is read after it is at least as new. */
export async function threadForPage(transcript: Transcript, changes: Changes, thread: ThreadKey) {
  const revision = changes.revision();
  const entries = await transcript.entries(PLATFORM, thread);
  return { revision, entries: entries.map(entryForPage) };
}

/** A message of ours goes by its nonce, from before it is posted until it is removed. */
function entryForPage(entry: Entry) {
  if (entry.type === "inbound") return saidForPage(entry);
  return { type: "shown", key: entry.nonce, at: entry.at, part: forPage(entry.part) };
}

export function saidForPage({ post, at, author, text, files }: Extract<Entry, { type: "inbound" }>) {
  return { type: "said" as const, key: post, at, author, text, files };
}

/** A file that this thread really showed or was sent; undefined for anything else. */
export async function knownFile(
  transcript: Transcript,
  thread: ThreadKey,
  wanted: string,
): Promise<{ type: "path"; name: string; path: string } | { type: "upload"; name: string; id: string } | undefined> {
  for (const entry of await transcript.entries(PLATFORM, thread)) {
    if (entry.type === "inbound") {
      const file = entry.files.find(({ id }) => id === wanted);
      if (file) return { type: "upload", name: file.name, id: file.id };
    } else if (entry.nonce === wanted) {
      const file = fileOf(entry.part);
      return file && { type: "path", name: file.name, path: file.path };
    }
  }
  return undefined;
}
