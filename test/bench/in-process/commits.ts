/**
 * How many transactions were committed, read from the write-ahead log itself, so that nothing in the measured code is
 * counted on its word. Format: https://www.sqlite.org/fileformat2.html section 4.1.
 */
import { existsSync, readFileSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { settled } from "./loop-gap.ts";

const HEADER = 32;
const FRAME_HEADER = 24;

/** Frames with a database size in bytes 4 to 7 end a transaction. The log must have been empty when counting began. */
function commitFrames(log: Buffer): number {
  if (log.length < HEADER) return 0;
  const frame = FRAME_HEADER + log.readUInt32BE(8);
  let commits = 0;
  for (let at = HEADER; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  return commits;
}

/** Commits to this database by `work`. Reading alone is no commit. */
export async function commitsDuring(db: Database, work: () => unknown): Promise<number> {
  const automatic = Number(db.pragma("wal_autocheckpoint", { simple: true }));
  await settled();
  db.pragma("wal_autocheckpoint = 0");
  db.pragma("wal_checkpoint(TRUNCATE)");
  await work();
  await settled();
  const log = `${db.name}-wal`;
  const commits = existsSync(log) ? commitFrames(readFileSync(log)) : 0;
  db.pragma(`wal_autocheckpoint = ${automatic}`);
  return commits;
}
