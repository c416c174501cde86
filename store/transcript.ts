/** What a platform without a server of its own shows: its threads, and in each what came in and what was posted. */
import type { Database } from "better-sqlite3";
import {
  type Entry,
  type InboundFile,
  type Part,
  postRef,
  type ThreadKey,
  threadKey,
  type ThreadSummary,
  type Transcript,
} from "../gateway/contract.ts";
import { safe } from "./commit.ts";
import { fromJson } from "./database.ts";

export interface StoredTranscript extends Transcript {
  /** For use inside the work that deletes the thread: who listens is told when that is safe, and never if it is undone. */
  deleted(platform: string, thread: ThreadKey): void;
}

interface ThreadRow {
  key: string;
  title: string | null;
  active_at: number;
  state: "waiting" | "running" | "stopping" | "queued" | null;
}
interface InboundRow {
  at: number;
  post: string;
  author: string;
  text: string;
  files: string;
}
interface PostRow {
  at: number;
  post: string | null;
  nonce: string;
  part: string;
}

export function createTranscript(db: Database): StoredTranscript {
  const listeners: { readonly platform: string; readonly tell: (thread: ThreadKey) => void }[] = [];
  const threads = db.prepare<[string], ThreadRow>(
    // SQLite: with a single max(), the bare columns come from the row that has it: the newest thread of the key.
    `select key, max(active_at) as active_at,
       (select title from threads as other where other.platform = threads.platform and other.key = threads.key
          and title <> '' order by selected desc limit 1) as title,
       (select state from runs where thread = threads.id and state <> 'ended'
        union all select 'queued' from inbox where inbox.thread = threads.id and state = 'queued' limit 1) as state
     from threads where platform = ? and selected > 0 group by key order by active_at desc`,
  );
  const inbound = db.prepare<[string, string], InboundRow>(
    `select received_at as at, post, author, event_json ->> '$.text' as text, event_json -> '$.files' as files from inbox
     where post is not null and state <> 'dropped' and thread in (select id from threads where platform = ? and key = ?)
     order by seq`,
  );
  const posts = db.prepare<[string, string], PostRow>(
    `select at, post, slot || '/' || idx || '/' || generation as nonce, part from posts
     where state in ('intended', 'sent') and part is not null
       and thread in (select id from threads where platform = ? and key = ?) order by at, idx`,
  );
  return {
    threads: (platform: string) => threads.all(platform).map(toSummary),
    entries: (platform: string, thread: ThreadKey) => {
      const said = inbound.all(platform, thread).map(toInbound);
      const posted = posts.all(platform, thread).map(toPost);
      return [...said, ...posted].sort((a, b) => a.at - b.at);
    },
    onDeleted: (platform, tell) => void listeners.push({ platform, tell }),
    deleted(platform, thread) {
      const told = listeners.filter((one) => one.platform === platform);
      if (told.length === 0) return;
      const tell = () => told.forEach((one) => one.tell(thread));
      safe(db).then(tell, () => {}); // undone: nothing was deleted
    },
  };
}

function toSummary(row: ThreadRow): ThreadSummary {
  const state = row.state === null ? "idle" : row.state === "waiting" ? "waiting" : "working";
  return { thread: threadKey(row.key), title: row.title ?? "", updatedAt: row.active_at, state };
}

function toInbound({ at, post, author, text, files }: InboundRow): Entry {
  return { type: "inbound", at, post: postRef(post), author, text, files: fromJson<InboundFile[]>(files) };
}

function toPost({ at, post, nonce, part }: PostRow): Entry {
  return { type: "post", at, post: post === null ? null : postRef(post), nonce, part: fromJson<Part>(part) };
}
