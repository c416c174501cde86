/** What one person wrote, and what was done for them, in threads that others share: it goes, and the rest stays as it is. */
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Database } from "better-sqlite3";
import type { InputFile } from "../agent/contract.ts";
import { soon, stored } from "./commit.ts";
import { fromJson } from "./database.ts";
import type { Request } from "./forget-request.ts";
import type { Removal } from "./removal.ts";
import { createTombstones } from "./tombstone.ts";

interface Deps {
  readonly db: Database;
  readonly removal: Removal;
  readonly now: () => number;
  readonly threadsFolder: string;
}
interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly post: string | null;
  readonly files: string | null;
}
interface ClosedQuestion {
  readonly id: string;
  readonly run: string;
  readonly closedBy: string | null;
  readonly reason: string | null;
}

/** Whoever answered or stopped, when that person is forgotten. */
const SOMEONE = "someone";

export function createSharedErasure({ db, removal, now, threadsFolder }: Deps, wantGiveUp: (thread: string) => void) {
  const tombstones = createTombstones(db, now);
  const rowsOf = db.prepare<[string], MessageRow>(
    "select seq, id, post, files from inbox where seq in (select value from json_each(?))",
  );
  const unquote = db.prepare(
    `update inbox set event_json = json_remove(event_json, '$.replyTo.text')
     where thread = ? and event_json ->> '$.replyTo.post' in (select value from json_each(?))`,
  );
  const filesShown = db
    .prepare<[string, string], string>("select view ->> '$.path' from slots where slot >= ? and slot < ?")
    .pluck();

  const bury = soon(db, (thread: string | null, rows: readonly MessageRow[]): void => {
    const posts = rows.flatMap(({ post }) => post ?? []);
    if (thread !== null && posts.length > 0) unquote.run(thread, JSON.stringify(posts));
    for (const { seq, id } of rows) {
      removal.removeSlot(`request:${id}`);
      removal.removeSlot(`notice:${id}`);
      tombstones.bury(seq);
    }
  });

  /** The files first: while the rows are there, a start after a crash finds them again. */
  async function removeFiles(thread: string, files: readonly string[]): Promise<void> {
    const folder = path.resolve(threadsFolder, thread) + path.sep;
    const inside = files.filter((file) => path.resolve(file).startsWith(folder));
    await Promise.all(inside.map((file) => rm(file, { force: true })));
  }

  return {
    /** To be called before anything of that thread is erased; more than once does no harm. */
    enter: soon(db, createEnter(db, removal, wantGiveUp)),
    async eraseMessages(thread: string | null, seqs: readonly number[]): Promise<void> {
      const rows = rowsOf.all(JSON.stringify(seqs));
      if (thread !== null) {
        const files = rows.flatMap(({ files }) => (files === null ? [] : fromJson<readonly InputFile[]>(files)));
        const paths = files.flatMap((file) => (file.type === "stored" ? [file.path] : []));
        await removeFiles(
          thread,
          paths.map((one) => path.join(threadsFolder, thread, one)),
        );
      }
      bury(thread, rows);
      await stored(db);
    },
    eraseFilesOf: (run: string, thread: string) => removeFiles(thread, filesShown.all(`file:${run}/`, `file:${run}0`)),
    /** A part of a run with many rows: until it returns 0. */
    eraseRun: soon(db, (run: string) => removal.removeRun(run)),
  };
}

/** Where others' rows name the person: as who began the thread, who answered or stopped, who is told to wait. */
function createEnter(db: Database, removal: Removal, wantGiveUp: (thread: string) => void) {
  const names = db
    .prepare<[string, string], string>("select distinct author from inbox where thread = ? and person = ?")
    .pluck();
  const unbegin = db.prepare("update threads set person = '' where id = ? and person = ?");
  // The first words of whoever asked first.
  const untitle = db.prepare(
    `update threads set title = '' where id = @thread and title <> '' and exists(select 1 from inbox
       where thread = @thread and person = @person and instr(event_json ->> '$.text', title) = 1)`,
  );
  const told = db
    .prepare<[string, string], string>(
      "select distinct slot from posts where thread = ? and slot like 'notice:await-%-' || ?",
    )
    .pluck();
  const closed = db.prepare<[string, string], ClosedQuestion>(
    `select questions.id, runs.id as run, view ->> '$.closed.by' as closedBy, view ->> '$.closed.reason' as reason
     from runs join questions on questions.run = runs.id join slots on slot = 'question:' || questions.id
     where runs.thread = ? and runs.person <> ?`,
  );
  const unanswerView = db.prepare(
    `update slots set view = json_replace(view, '$.closed.by', '${SOMEONE}', '$.closed.answer', '…',
       '$.closed.reason', 'stopped by ${SOMEONE}'), parts = null where slot = ?`,
  );
  const unanswerPosts = db.prepare("update posts set part = null where slot = ?");
  const unanswer = db.prepare("update questions set answer = null where id = ?");
  // Of a run that has ended nobody reads it.
  const unanswerRun = db.prepare(
    `update runs set input = '{"type":"answers","byInterrupt":{}}' where id = ? and state = 'ended'
       and input ->> '$.type' = 'answers'`,
  );

  return (thread: string, { person, name }: Request): void => {
    const known = new Set([...names.all(thread, person), name]);
    untitle.run({ thread, person });
    unbegin.run(thread, person);
    for (const slot of told.all(thread, person)) removal.removeSlot(slot);
    for (const { id, run, closedBy, reason } of closed.all(thread, person)) {
      if (!known.has(closedBy ?? reason?.replace("stopped by ", "") ?? SOMEONE)) continue;
      unanswerView.run(`question:${id}`);
      unanswerPosts.run(`question:${id}`);
      unanswer.run(id);
      unanswerRun.run(run);
    }
    wantGiveUp(thread);
  };
}
