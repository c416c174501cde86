/**
 * What is left of an event whose content is gone: enough to know it when its platform delivers it again, which must not
 * start a run. Its id stands there as a hash, since some platforms put the author's account into it.
 */
import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { createDropFiles } from "./dropped-files.ts";

/** Ours: the longest that a platform goes on delivering what it believes undelivered is an hour (Slack), then a restart. */
const KEEP_TOMBSTONES_MS = 24 * 3_600_000;
const MARK = "sha256:";
const EMPTY = "{}";

/** What an event id becomes once its content is gone. */
export const buriedId = (event: string): string =>
  event.startsWith(MARK) ? event : `${MARK}${createHash("sha256").update(event).digest("base64url")}`;

export interface Tombstones {
  /** Empties this row of the inbox, or removes it when no platform would deliver it again. For use inside other work. */
  bury(seq: number): void;
  /** Removes up to `limit` tombstones that have served. Returns how many. */
  sweep(limit: number): number;
}

export function createTombstones(db: Database, now: () => number): Tombstones {
  const find = db.prepare<[number], { event: string; received_at: number }>(
    "select event, received_at from inbox where seq = ?",
  );
  const empty = db.prepare(
    `update inbox set event = ?, thread = null, person = '', author = '', post = null, state = 'done', addressed = 0,
       run = null, event_json = '${EMPTY}', files = null where seq = ?`,
  );
  const remove = db.prepare("delete from inbox where seq = ?");
  const dropFiles = createDropFiles(db);
  const sweep = db.prepare(
    `delete from inbox where thread is null and event_json = '${EMPTY}' and received_at < ? limit ?`,
  );
  return {
    bury(seq) {
      const row = find.get(seq);
      if (!row) return;
      dropFiles(seq);
      if (row.received_at < now() - KEEP_TOMBSTONES_MS) remove.run(seq);
      else empty.run(buriedId(row.event), seq);
    },
    sweep: (limit) => sweep.run(now() - KEEP_TOMBSTONES_MS, limit).changes,
  };
}
