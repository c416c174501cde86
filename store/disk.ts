/**
 * Whether the database takes writes.
 *
 *   open ──a write failed for the disk, or writes were undone──▶ shut ──`tryAgain` has put a row on disk──▶ open
 *
 * Shut refuses every write: on a full disk a small one may still find room where a large one did not, and then what is
 * stored would say things that did not happen in that order. Reads go on.
 */
import { SqliteError, type Database } from "better-sqlite3";
import { guardWrites, transaction } from "./commit.ts";

export interface Writes {
  /** Called at once when writes are shut, inside the write that failed: it must not write. */
  onShut(listener: (reason: string) => void): void;
  /** @throws Error the reason why nothing can be written yet; else writes are open. */
  tryAgain(): void;
}

/** No room, no right to write any more, or a fault of the disk. <https://sqlite.org/rescode.html> */
const OF_THE_DISK = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;

/** More than a turn writes at once, so that what fits is worth going on for. Ours. */
const PROBE_BYTES = 256 * 1024;

/** One for each connection; `db` comes from `openDatabase`. */
export function watchWrites(db: Database): Writes {
  let listener: (reason: string) => void = () => {};
  let shut: Error | undefined;
  let trying = false;
  guardWrites(db, {
    check() {
      if (shut && !trying) throw shut;
    },
    failed(error, undone) {
      if (shut || !(undone || isOfTheDisk(error))) return;
      const reason = reasonOf(error);
      shut = new Error(`Nothing can be stored until the disk takes writes again (${reason})`, { cause: error });
      listener(reason);
    },
  });
  const put = db.prepare("insert or replace into meta(key, value) values('disk_probe', ?)");
  const remove = db.prepare("delete from meta where key = 'disk_probe'");
  const putNow = transaction(db, () => void put.run("x".repeat(PROBE_BYTES)));
  const removeNow = transaction(db, () => void remove.run());
  return {
    onShut: (tell) => (listener = tell),
    tryAgain() {
      trying = true;
      try {
        putNow();
        removeNow();
        shut = undefined;
      } finally {
        trying = false;
      }
    },
  };
}

const isOfTheDisk = (error: unknown): boolean => error instanceof SqliteError && OF_THE_DISK.test(error.code);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof SqliteError ? `${error.code}: ${error.message}` : error.message;
}
