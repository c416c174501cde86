/**
 * Sweeps checkpoints up: what was given up, and what a thread has more of than it shall keep. In steps of a few
 * milliseconds, since they run on the loop that answers people. A step that is broken off leaves nothing half: what is
 * still referred to is never touched, and the next step goes on.
 */
import type { Database } from "better-sqlite3";
import type { Checkpointer } from "./checkpointer.ts";
import { commitNow, soon } from "./commit.ts";
import { fromJson } from "./database.ts";
import { baseOf, NUMBERS } from "./piece-keys.ts";
import { gaps, type Ranges, union } from "./ranges.ts";

/** Does a little; true: there is more to do. */
export type Step = () => boolean;

/** Rows that a step deletes: some milliseconds with a slow disk. */
const ROWS = 200;
/** Scopes that a step looks at when there is nothing to delete in them. */
const SCOPES = 50;

interface ScopeRow {
  readonly id: number;
  readonly thread: string;
  readonly ns: string;
  /** Checkpoints were deleted, and pieces may be left to which nothing refers any more. */
  readonly uncollected: 0 | 1;
}

/** Deletes the rows of scopes that were given up. */
export function createSweep(db: Database): Step {
  const next = db.prepare<[], number>("select id from graph_scopes where thread is null order by id limit 1").pluck();
  const drop = ["graph_writes", "graph_checkpoints"].map((table) =>
    db.prepare(`delete from ${table} where rowid in (select rowid from ${table} where scope = ? limit ${ROWS})`),
  );
  const dropPieces = db.prepare(
    `delete from graph_pieces where key in (select key from graph_pieces where key between ? and ? limit ${ROWS})`,
  );
  const dropScope = db.prepare("delete from graph_scopes where id = ?");
  const sweep = soon(db, (scope: number): void => {
    const deleted = drop.map((one) => one.run(scope).changes).reduce((sum, one) => sum + one, 0);
    const [first, last] = NUMBERS;
    const pieces = dropPieces.run(baseOf(scope) + first, baseOf(scope) + last).changes;
    if (deleted + pieces === 0) dropScope.run(scope);
  });
  return () => {
    const scope = next.get();
    if (scope === undefined) return false;
    sweep(scope);
    commitNow(db);
    return true;
  };
}

/**
 * Keeps the newest `keep` checkpoints of each scope, with their writes, so that what waits for answers or is under way can
 * go on; and the messages that these refer to. A subagent's scope goes with the checkpoint of the lead agent that it
 * belongs to. Each call of the returned function begins a pass over all scopes.
 */
export function createPrune(db: Database, checkpointer: Checkpointer, keep: number): () => Step {
  const scopes = db.prepare<[number], ScopeRow>(
    `select id, thread, ns, uncollected from graph_scopes where id > ? and thread is not null order by id limit ${SCOPES}`,
  );
  const oldestKept = db
    .prepare<[number], string>(
      `select id from graph_checkpoints where scope = ? order by id desc limit 1 offset ${keep - 1}`,
    )
    .pluck();
  const dropCheckpoints = db.prepare(
    `delete from graph_checkpoints where rowid in (
       select rowid from graph_checkpoints where scope = ? and id < ? limit ${ROWS})`,
  );
  const dropWrites = db.prepare(
    `delete from graph_writes where rowid in (
       select rowid from graph_writes where scope = ? and checkpoint < ? limit ${ROWS})`,
  );
  const referred = db
    .prepare<[number, number], string>(
      "select pieces from graph_checkpoints where scope = ? union select pieces from graph_writes where scope = ?",
    )
    .pluck();
  const dropPieces = db.prepare(
    `delete from graph_pieces where key in (select key from graph_pieces where key between ? and ? limit ${ROWS})`,
  );
  const parents = db
    .prepare<[number], string | null>(
      `select json_extract(metadata, '$.parents.""') from graph_checkpoints where scope = ? order by id desc limit 1`,
    )
    .pluck();
  const root = db.prepare(
    `select 1 from graph_checkpoints join graph_scopes on graph_scopes.id = scope
     where thread = ? and ns = '' and graph_checkpoints.id = ?`,
  );
  const giveUp = db.prepare("update graph_scopes set thread = null where id = ?");
  const setUncollected = db.prepare<[0 | 1, number]>("update graph_scopes set uncollected = ? where id = ?");

  /** True: something was done, and there may be more. */
  const prune = soon(db, ({ id, thread, ns, uncollected }: ScopeRow): boolean => {
    const parent = ns === "" ? null : parents.get(id);
    if (typeof parent === "string" && !root.get(thread, parent)) {
      giveUp.run(id);
      return false;
    }
    if (dropOld(id)) {
      // With the rows that go: who is killed now collects at the next start.
      if (!uncollected) setUncollected.run(1, id);
      return true;
    }
    if (!uncollected) return false;
    if (!collect(id)) setUncollected.run(0, id);
    return true;
  });

  function dropOld(scope: number): boolean {
    const oldest = oldestKept.get(scope);
    if (oldest === undefined) return false;
    return dropCheckpoints.run(scope, oldest).changes + dropWrites.run(scope, oldest).changes > 0;
  }

  /** Deletes pieces that nothing refers to any more. */
  function collect(scope: number): boolean {
    const kept = union(referred.all(scope, scope).flatMap((text) => fromJson<Ranges>(text)));
    const last = kept.at(-1)?.[1];
    // What is newer than all that is referred to may be on its way.
    if (last === undefined) return false;
    for (const [from, to] of gaps(kept, [0, last])) {
      const { changes } = dropPieces.run(baseOf(scope) + from, baseOf(scope) + to);
      if (changes === 0) continue;
      checkpointer.swept(scope, from, to);
      return true;
    }
    return false;
  }

  return () => {
    let cursor = 0;
    return () => {
      const found = scopes.all(cursor);
      for (const scope of found) {
        const more = prune(scope);
        if (more) {
          commitNow(db);
          return true;
        }
        cursor = scope.id;
      }
      commitNow(db);
      return found.length > 0;
    };
  };
}
