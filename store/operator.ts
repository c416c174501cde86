/** Where the running program takes orders of whoever owns this machine, and the word that proves it: for this user alone. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { fromJson } from "./database.ts";

export interface Operator {
  /** `http://127.0.0.1:8787` */
  readonly origin: string;
  /** 32 bytes, hex; another at each start. */
  readonly secret: string;
}

const KEY = "operator";

/** Written by the running program as soon as it listens. */
export function keepOperator(db: Database, origin: string): Operator {
  const operator: Operator = { origin, secret: randomBytes(32).toString("hex") };
  db.prepare("insert or replace into meta(key, value) values(?, ?)").run(KEY, JSON.stringify(operator));
  return operator;
}

/** Read by a command beside it; undefined: none has run here. */
export function readOperator(file: string): Operator | undefined {
  if (!existsSync(file)) return undefined;
  const db = new SqliteDatabase(file, { readonly: true });
  try {
    const text = db.prepare<[string], string>("select value from meta where key = ?").pluck().get(KEY);
    return text === undefined ? undefined : fromJson<Operator>(text);
  } finally {
    db.close();
  }
}
