/**
 * One process for each data folder: an SQLite file of its own, beside the database, whose write lock the holder keeps
 * for as long as it lives. The operating system lets go of the lock when the process dies, however it dies, so a dead
 * holder blocks nobody; readers may look while it is held, so the holder's pid can be named.
 */
import { chmodSync } from "node:fs";
import Database from "better-sqlite3";
import { StoreError } from "./store-error.ts";

/**
 * Takes the lock or says who has it. Returns what releases it.
 * @throws StoreError when another process holds it.
 */
export function lockDataFolder(file: string): () => void {
  const db = new Database(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    db.exec("create table if not exists holder(one integer primary key check(one = 1), pid integer not null)");
    db.prepare("insert into holder values(1, ?) on conflict(one) do update set pid = excluded.pid").run(process.pid);
    // Between the commit above and this line another process may be faster; then it is we who are refused.
    db.exec("begin immediate");
  } catch (error) {
    const holder = readHolder(file);
    db.close();
    throw explain(file, holder, error);
  }
  return () => db.close();
}

function explain(file: string, holder: number | undefined, error: unknown): unknown {
  const code = error instanceof Database.SqliteError ? error.code : "";
  if (code.startsWith("SQLITE_BUSY"))
    return new StoreError(
      `Another Threadline (process ${holder ?? "unknown"}) uses this data folder; stop it first, or set data_dir to another folder`,
      { cause: error },
    );
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT"))
    return new StoreError(`${file} is damaged: it holds nothing of yours; remove it and start again`, { cause: error });
  return error;
}

/** The process that holds or last held the lock. */
function readHolder(file: string): number | undefined {
  const db = new Database(file, { readonly: true, timeout: 0 });
  try {
    return db.prepare<[], number>("select pid from holder").pluck().get();
  } catch {
    return undefined; // the holder is writing its pid at this moment
  } finally {
    db.close();
  }
}
