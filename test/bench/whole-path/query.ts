/** Looks into a bot's database beside the bot, without writing. */
import Database from "better-sqlite3";

export function query<T>(file: string, read: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

/** Pages times their size: exact, and what lies in the write-ahead log is counted. */
export const pageBytes = (db: Database.Database): number =>
  Number(db.pragma("page_count", { simple: true })) * Number(db.pragma("page_size", { simple: true }));
