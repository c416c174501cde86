/**
 * The savers on their files, each with the settings that it comes with: WAL, and no flush at a commit. Ours is flushed by
 * the gateway, where a turn's message is acknowledged and its reply sent; that is in the parts that measure the store.
 */
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";
import { createCheckpointer } from "../../../store/checkpointer.ts";
import { openDatabase } from "../../../store/database.ts";
import { settled } from "./loop-gap.ts";

export interface FileSaver {
  readonly saver: BaseCheckpointSaver;
  readonly db: Database.Database;
}

export function openStock(file: string): FileSaver {
  const db = new Database(file);
  return { db, saver: new SqliteSaver(db) };
}

export function openOurs(file: string): FileSaver {
  const db = openDatabase(file);
  return { db, saver: createCheckpointer(db) };
}

/** Bytes of the file once all that was written is in it, pages that became free included. */
export async function fileBytes(db: Database.Database): Promise<number> {
  await settled();
  db.pragma("wal_checkpoint(TRUNCATE)");
  return Number(db.pragma("page_count", { simple: true })) * Number(db.pragma("page_size", { simple: true }));
}
