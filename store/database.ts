/** The one SQLite file: opened, checked and set up so that what was committed survives a power failure. */
import { chmodSync } from "node:fs";
import Database from "better-sqlite3";
import { migrate } from "./migrations.ts";
import { StoreError } from "./store-error.ts";

/**
 * Opens or creates the database and migrates it.
 * @throws StoreError for a corrupt, foreign or newer file.
 */
export function openDatabase(file: string): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(file);
    chmodSync(file, 0o600);
    db.pragma("journal_mode = WAL");
    // FULL: a commit is on disk before an event is acknowledged to its platform.
    db.pragma("synchronous = FULL");
    db.pragma("busy_timeout = 5000");
    db.pragma("foreign_keys = ON");
    migrate(db);
    return db;
  } catch (error) {
    db?.close();
    throw explain(file, error);
  }
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

/**
 * A transaction that takes the write lock before it reads: one that reads first and writes then is refused at once, not
 * after `busy_timeout`, when somebody else has written in between.
 */
export function transaction<Args extends unknown[], Result>(
  db: Database.Database,
  work: (...args: Args) => Result,
): (...args: Args) => Result {
  const wrapped = db.transaction(work);
  return (...args) => wrapped.immediate(...args);
}

/** A value that this program wrote as JSON itself. */
export function fromJson<T>(text: string): T {
  return JSON.parse(text) as T; // boundary: only columns that this program writes
}
