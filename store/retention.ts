/**
 * Which threads go: those that are finished and have been quiet for long, and the oldest finished ones while the database
 * is larger than it shall be.
 *
 * Finished: no live run, no message that waits, no open question, nothing that is still to be shown. What is asked here
 * is asked of a few threads a step, in the order of their ids.
 */
import type { Database } from "better-sqlite3";
import type { Step } from "./checkpoint-upkeep.ts";
import { commitNow, soon } from "./commit.ts";
import { type Removal, STEP_ROWS } from "./removal.ts";
import { createTombstones } from "./tombstone.ts";
import { usedBytes } from "./vacuum.ts";

/** Threads that a step looks at. */
const STEP_THREADS = 100;
/** The oldest ones that one look over all threads remembers. */
const CANDIDATES = 100;

/** As the configuration names them. */
export type RetentionRule = "finished_threads_days" | "max_db_mb";
/** For the operator's log; ids and numbers only. */
export interface RetentionNews {
  /** These threads are gone for whoever looks. */
  deleting(rule: RetentionRule, threads: readonly string[]): void;
  /** The end of a sweep that deleted some. */
  deleted(rule: RetentionRule, count: number): void;
  /** The database is larger than it shall be, and no thread may go. */
  stuck(bytes: number): void;
}

const LIVE = "state in ('running', 'waiting', 'stopping')";
/** Of `threads`. */
const IS_FINISHED = `not exists(select 1 from runs where thread = threads.id and ${LIVE})
  and not exists(select 1 from inbox where thread = threads.id and state = 'queued')
  and not exists(select 1 from questions where thread = threads.id and state = 'open')
  and not exists(select 1 from slots where thread = threads.id and settled = 0)`;
/**
 * An earlier thread of the same place that was active after `time`, or is, would become the current one there: then this
 * one waits.
 */
const hidesNothing = (time: string): string => `not exists(select 1 from threads as other
  where other.platform = threads.platform and other.key = threads.key and other.selected < threads.selected
    and (other.active_at > ${time} or exists(select 1 from runs where thread = other.id and ${LIVE})))`;

const SEEN = `select id from threads where id > ? order by id limit ${STEP_THREADS}`;

/** Counts what a sweep deletes: what stands in the log is one line a sweep, however many threads went. */
function createTally(rule: RetentionRule, news: RetentionNews) {
  let count = 0;
  return {
    /** Committed. */
    add(threads: readonly string[]): void {
      if (threads.length > 0) news.deleting(rule, threads);
      count += threads.length;
    },
    end(): void {
      if (count > 0) news.deleted(rule, count);
      count = 0;
    },
  };
}

/** Threads that were quiet for longer than `quietMs`; with them what belongs to no thread and is as old. Begins again and again. */
export function createAgeLimit(
  db: Database,
  removal: Removal,
  { quietMs, now, news }: { quietMs: number; now: () => number; news: RetentionNews },
): () => Step {
  const seen = db.prepare<[string], string>(SEEN).pluck();
  const old = db
    .prepare<{ from: string; to: string; before: number }, string>(
      `select id from threads where id between @from and @to and active_at < @before
         and ${IS_FINISHED} and ${hidesNothing("@before")}`,
    )
    .pluck();
  const removeStrays = db.prepare(
    "delete from inbox where thread is null and state in ('done', 'dropped') and received_at < ? limit ?",
  );
  const begin = soon(db, (ids: readonly string[]) => ids.forEach((id) => removal.begin(id)));
  const strays = soon(db, (before: number) => removeStrays.run(before, STEP_ROWS).changes);

  return () => {
    const before = now() - quietMs;
    const tally = createTally("finished_threads_days", news);
    let cursor = "";
    return () => {
      const [from, ...rest] = seen.all(cursor);
      if (from === undefined) {
        tally.end();
        const removed = strays(before);
        commitNow(db);
        return removed > 0;
      }
      cursor = rest.at(-1) ?? from;
      const threads = old.all({ from, to: cursor, before });
      begin(threads);
      commitNow(db);
      tally.add(threads);
      return true;
    };
  };
}

/**
 * While more than `maxBytes` of the database file are in use, the oldest finished threads go, one after the other: to be
 * called only when what was removed before is gone from the file. `stuck` is told once when no thread may go.
 */
export function createSizeLimit(
  db: Database,
  removal: Removal,
  { maxBytes, news }: { maxBytes: number; news: RetentionNews },
): Step {
  const tally = createTally("max_db_mb", news);
  const seen = db.prepare<[string], string>(SEEN).pluck();
  const finished = db.prepare<{ from: string; to: string }, Candidate>(
    `select id, active_at as at from threads where id between @from and @to
       and ${IS_FINISHED} and ${hidesNothing("threads.active_at")}`,
  );
  const still = db.prepare<{ id: string; before: number }, string>(
    `select id from threads where id = @id and active_at < @before
       and ${IS_FINISHED} and ${hidesNothing("threads.active_at")}`,
  );
  let told = false;
  let cursor: string | undefined;
  let oldest: readonly Candidate[] = [];
  let ready: Candidate[] = [];
  const begin = soon(db, (id: string) => removal.begin(id));

  /** Looks at some more threads; true: there are more. */
  function survey(): boolean {
    const [from, ...rest] = seen.all(cursor ?? "");
    if (from === undefined) {
      ready = oldest.toReversed();
      [cursor, oldest] = [undefined, []];
      return false;
    }
    cursor = rest.at(-1) ?? from;
    const found = finished.all({ from, to: cursor });
    oldest = [...oldest, ...found].toSorted((a, b) => a.at - b.at).slice(0, CANDIDATES);
    return true;
  }

  function removeNext(): boolean {
    const next = ready.pop();
    if (!next) return false;
    // Somebody may have written there since, or in an earlier thread of the same place.
    const goes = still.get({ id: next.id, before: next.at + 1 }) !== undefined;
    if (goes) begin(next.id);
    commitNow(db);
    if (goes) tally.add([next.id]);
    return true;
  }

  return () => {
    const bytes = usedBytes(db);
    if (bytes <= maxBytes) {
      tally.end();
      [told, cursor, oldest, ready] = [false, undefined, [], []];
      return false;
    }
    if (removeNext() || survey() || ready.length > 0) return true;
    tally.end();
    if (!told) news.stuck(bytes);
    told = true;
    return false;
  };
}
interface Candidate {
  readonly id: string;
  readonly at: number;
}

/** What has served: events that no platform delivers again, and waits of platforms that are over. Once around. */
export function createSweepServed(db: Database, now: () => number): Step {
  const tombstones = createTombstones(db, now);
  const removeHolds = db.prepare("delete from holds where held_until < ? limit ?");
  const sweep = soon(db, () => tombstones.sweep(STEP_ROWS) + removeHolds.run(now(), STEP_ROWS).changes);
  return () => {
    const more = sweep() > 0;
    commitNow(db);
    return more;
  };
}
