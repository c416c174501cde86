/** The one SQLite file: opened, checked and set up so that what was committed survives a power failure. */
import { chmodSync } from "node:fs";
import Database from "better-sqlite3";
import { commitAtClose } from "./commit.ts";
import { migrate } from "./migrations.ts";
import { StoreError } from "./store-error.ts";
import { keepLogShort } from "./write-ahead-log.ts";

/**
 * Opens or creates the database and migrates it.
 * @throws StoreError for a corrupt, foreign or newer file.
 */
export function openDatabase(file: string): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(file);
    chmodSync(file, 0o600);
    // Counts for a file that is new; what is deleted gives its space back in small steps (`vacuum.ts`).
    db.pragma("auto_vacuum = incremental");
    // What is deleted is overwritten where that costs no further write.
    db.pragma("secure_delete = fast");
    db.pragma("journal_mode = WAL");
    // What must survive a power failure is flushed where it is waited for, see `safe` in `commit.ts`.
    db.pragma("synchronous = NORMAL");
    db.pragma("busy_timeout = 5000");
    db.pragma("foreign_keys = ON");
    migrate(db);
    keepLogShort(db);
    return keepAtClose(db);
  } catch (error) {
    db?.close();
    throw explain(file, error);
  }
}

/** What was written and is not on disk yet is put there before the connection goes. */
function keepAtClose(db: Database.Database): Database.Database {
  const close = db.close.bind(db);
  db.close = () => {
    if (db.open) commitAtClose(db);
    return close();
  };
  return db;
}

const CORRUPT = ["SQLITE_NOTADB", "SQLITE_CORRUPT"];

function explain(file: string, error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const code = error instanceof Database.SqliteError ? error.code : "";
  const detail = error instanceof Error ? error.message : String(error);
  const advice = CORRUPT.some((one) => code.startsWith(one))
    ? "the file is damaged: restore a copy of it, or move it away to start empty"
    : "check that the folder is writable and the disk has space";
  return new StoreError(`Cannot open the database ${file} (${detail}): ${advice}`, { cause: error });
}

/** A value that this program wrote as JSON itself. */
export function fromJson<T>(text: string): T {
  return JSON.parse(text) as T; // boundary: only columns that this program writes
}
