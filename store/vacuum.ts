/**
 * Gives space back to the disk. What is deleted leaves free pages in the file; with `auto_vacuum = incremental` they are
 * cut off a few at a time. A rewrite of the whole file (SQLite's VACUUM) blocks whoever uses it, measured at two
 * to three seconds for each 100 MB, and is left for the start of the program and for what must leave no trace.
 */
import type { Database } from "better-sqlite3";
import { commitNow } from "./commit.ts";

/** Pages that a step cuts off: a millisecond or two. */
const STEP_PAGES = 16;
/** Fewer free pages are worth nothing: the next rows take them. 256 KB. */
const WORTH_PAGES = 64;
/** Ours: a file up to this size is converted at a start within a second or two. */
const SMALL_BYTES = 64_000_000;
const TRACES = "traces";

const pragma = (db: Database, name: string): number => Number(db.pragma(name, { simple: true }));

/** Bytes of the file that hold something. */
export const usedBytes = (db: Database): number =>
  (pragma(db, "page_count") - pragma(db, "freelist_count")) * pragma(db, "page_size");

const isSmall = (db: Database): boolean => usedBytes(db) <= SMALL_BYTES;

/** Each call cuts a few free pages off; true: there are more. Ends with the file as short as what it holds. */
export function createVacuum(db: Database): () => boolean {
  let cutting = false;
  return () => {
    const free = pragma(db, "freelist_count");
    if (pragma(db, "auto_vacuum") !== 2 || free < (cutting ? 1 : WORTH_PAGES)) return end();
    cutting = true;
    commitNow(db); // it cannot run inside a transaction
    db.pragma(`incremental_vacuum(${STEP_PAGES})`);
    return true;
  };

  function end(): false {
    // The file itself gets shorter when the journal is written into it.
    if (cutting) db.pragma("wal_checkpoint(PASSIVE)");
    return (cutting = false);
  }
}

/**
 * Deleted rows may leave bytes of theirs in pages that others' rows share, also with `secure_delete`: only a rewrite
 * leaves none. Kept in the store until it has been done. For use inside other work.
 */
export function wantRewrite(db: Database): void {
  db.prepare("insert or replace into meta(key, value) values('rewrite', ?)").run(TRACES);
}

/**
 * A file of a version that could not give space back is made anew while that is quick: when it is small, or more than
 * half of it is free. A larger one stays as it is: its free pages are used again, and it does not get shorter.
 */
function isWorthConverting(db: Database): boolean {
  if (pragma(db, "auto_vacuum") !== 0) return false;
  return isSmall(db) || pragma(db, "freelist_count") > pragma(db, "page_count") / 2;
}

export const isRewriteWanted = (db: Database): boolean =>
  db.prepare("select 1 from meta where key = 'rewrite'").get() !== undefined;

/**
 * Before anybody works: what must leave no trace, and what an earlier version made. Told before and after; where the disk
 * does not suffice everything stays as it is, and the next start tries again.
 */
export function rewriteAtStart(db: Database, tell: RewriteNews): void {
  if (!isRewriteWanted(db) && !isWorthConverting(db)) return;
  const begun = performance.now();
  tell.rewriting();
  try {
    rewrite(db);
    emptyJournal(db);
  } catch (error) {
    return tell.notRewritten(error);
  }
  tell.rewriting(performance.now() - begun);
}
export interface RewriteNews {
  /** The file is about to be written anew, which blocks; called again with the time it took. */
  rewriting(tookMs?: number): void;
  notRewritten(error: unknown): void;
}

/**
 * Writes the file anew, without free pages and without traces. Needs as much free disk as the file takes.
 * @throws SqliteError when the disk does not suffice; then nothing has changed.
 */
export function rewrite(db: Database): void {
  commitNow(db);
  db.pragma("auto_vacuum = incremental");
  db.exec("vacuum");
}

/**
 * Brings what is in the journal into the file and empties it; what was wanted is done then. False: somebody reads it at
 * this moment (a backup), and it is to be called again.
 */
export function emptyJournal(db: Database): boolean {
  commitNow(db);
  const timeout = pragma(db, "busy_timeout");
  db.pragma("busy_timeout = 0"); // a reader is not waited for on the loop that answers people
  try {
    const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[]; // boundary: SQLite's documented row
    if (result?.busy !== 0) return false;
  } finally {
    db.pragma(`busy_timeout = ${timeout}`);
  }
  db.prepare("delete from meta where key = 'rewrite'").run();
  return true;
}
