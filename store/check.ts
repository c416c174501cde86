/** For `doctor`: is the database sound? Reads only, also beside a running program. */
import { existsSync } from "node:fs";
import Database from "better-sqlite3";

interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

/** One line; never throws. A large database takes some seconds. */
export function checkDatabase(file: string): readonly Finding[] {
  if (!existsSync(file)) return [{ ok: true, text: "not there yet; made at the first start" }];
  try {
    const db = new Database(file, { readonly: true });
    try {
      const found = db.pragma("quick_check(1)", { simple: true });
      if (found === "ok") return [{ ok: true, text: "sound" }];
      return [
        { ok: false, text: `damaged (${String(found)}): restore a copy of ${file}, or move it away to start empty` },
      ];
    } finally {
      db.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ ok: false, text: `${file} cannot be read (${reason}): restore a copy, or move it away to start empty` }];
  }
}
