/**
 * A file that an adapter keeps in its own folder, under the file's id, for the message that it came with: it goes with the
 * message. What is to go is a row of `meta`, written with the removal of the message, so that a start after a crash goes
 * on.
 */
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Database } from "better-sqlite3";
import type { Chore } from "../gateway/store-contract.ts";
import { soon, stored } from "./commit.ts";

const KEY = "dropping:";
/** `<platform>/<id>`; an id that could lead elsewhere is no file name of ours. */
const OWN_FILE = /^[a-z]+\/[\w-]{1,200}$/;

/** The files of this row of the inbox are no longer wanted. For use inside other work. */
export function createDropFiles(db: Database): (seq: number) => void {
  const mark = db.prepare(
    `insert or ignore into meta(key, value)
     select '${KEY}' || platform || '/' || (value ->> '$.id'), '' from inbox, json_each(event_json, '$.files') where seq = ?`,
  );
  return (seq) => void mark.run(seq);
}

/** Removes them, one a call. */
export function createDroppedFiles(db: Database, dataDir: string): Chore {
  const next = db
    .prepare<[], string>(
      `select substr(key, ${KEY.length + 1}) from meta where key >= '${KEY}' and key < 'dropping;' limit 1`,
    )
    .pluck();
  const unmark = db.prepare("delete from meta where key = ?");
  const gone = soon(db, (file: string) => void unmark.run(KEY + file));
  return async () => {
    const file = next.get();
    if (file === undefined) return "idle";
    await stored(db);
    if (OWN_FILE.test(file)) await rm(path.join(dataDir, file), { force: true });
    gone(file);
    return "more";
  };
}
