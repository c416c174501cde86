/**
 * Removing whole threads, and single runs and slots of threads that stay.
 *
 *   (a thread) ──begin──▶ rows ──all rows are gone──▶ folder ──`folderGone`──▶ (nothing)
 *
 * `begin` takes the thread away at once for whoever looks: its row and its graph. The rest goes in small steps. The state
 * is a row of `meta`, so that a start after a crash goes on.
 */
import type { Database } from "better-sqlite3";
import { type ThreadKey, threadKey } from "../gateway/contract.ts";
import { type ThreadId, threadId } from "../subagents/contract.ts";
import { commitNow, soon } from "./commit.ts";
import { createTombstones } from "./tombstone.ts";

/** Rows that a step deletes: some milliseconds with a slow disk. */
export const STEP_ROWS = 200;
const KEY = "removing:";

/** The verbs are for use inside other work; a step is a unit of its own. */
export interface Removal {
  begin(thread: string): void;
  /** Its rows or its folder are still there. */
  isUnderWay(thread: string): boolean;
  /** The slot, its receipts and its buttons. Returns how many rows went. */
  removeSlot(slot: string): number;
  /** The run with its tasks, questions and slots, a part of them when there are many: until it returns 0. */
  removeRun(run: string): number;
  /** Removes a few rows of a thread that is being removed; true: there is more to do. */
  step(): boolean;
  /** Threads of which only the folder is left. */
  folders(): readonly ThreadId[];
  folderGone(thread: ThreadId): void;
}

export interface RemovalDeps {
  readonly db: Database;
  /** The checkpointer's. */
  readonly giveUp: (thread: string) => void;
  readonly now: () => number;
  /** For who shows it; called inside the work that deletes it. */
  readonly onDeleted: (platform: string, thread: ThreadKey) => void;
}

export function createRemoval({ db, giveUp, now, onDeleted }: RemovalDeps): Removal {
  const tombstones = createTombstones(db, now);
  const { removeSlot, removeRun } = createPieces(db);
  const mark = db.prepare("insert or replace into meta(key, value) values(?, ?)");
  const marked = db.prepare<[string], string>("select value from meta where key = ?").pluck();
  const unmark = db.prepare("delete from meta where key = ?");
  const inState = db
    .prepare<[string, number], string>(
      `select substr(key, ${KEY.length + 1}) from meta where key >= '${KEY}' and key < 'removing;' and value = ? limit ?`,
    )
    .pluck();
  const removeThread = db.prepare<[string], { platform: string; key: string }>(
    "delete from threads where id = ? returning platform, key",
  );
  const removeHolds = db.prepare(
    "delete from holds where held_until <= ? and key in (select key from threads where id = ? union select place_key from threads where id = ?)",
  );
  const runs = db.prepare<[string], string>(`select id from runs where thread = ? limit ${STEP_ROWS}`).pluck();
  const slots = db
    .prepare<{ thread: string }, string>(
      `select slot from (select slot from posts where thread = @thread limit ${STEP_ROWS})
       union select slot from (select slot from slots where thread = @thread and settled = 0 limit ${STEP_ROWS})`,
    )
    .pluck();
  const inbox = db.prepare<[string], number>(`select seq from inbox where thread = ? limit ${STEP_ROWS}`).pluck();

  function begin(thread: string): void {
    removeHolds.run(now(), thread, thread);
    const deleted = removeThread.get(thread);
    if (deleted) onDeleted(deleted.platform, threadKey(deleted.key));
    giveUp(thread);
    mark.run(KEY + thread, "rows");
  }

  /** About `STEP_ROWS` rows; false: none is left. */
  function removeSome(thread: string): boolean {
    let removed = 0;
    const goOn = (): boolean => removed < STEP_ROWS;
    for (const run of runs.all(thread)) if (goOn()) removed += removeRun(run);
    if (!goOn()) return true;
    for (const slot of slots.all({ thread })) if (goOn()) removed += removeSlot(slot);
    for (const seq of goOn() ? inbox.all(thread) : []) {
      tombstones.bury(seq);
      removed += 1;
    }
    return removed > 0;
  }

  const step = soon(db, (): boolean => {
    const [thread] = inState.all("rows", 1);
    if (thread === undefined) return false;
    if (!removeSome(thread)) mark.run(KEY + thread, "folder");
    return true;
  });

  return {
    begin,
    isUnderWay: (thread) => marked.get(KEY + thread) !== undefined,
    removeSlot,
    removeRun,
    step() {
      const more = step();
      commitNow(db);
      return more;
    },
    folders: () => inState.all("folder", 20).map(threadId),
    folderGone: (thread) => void unmark.run(KEY + thread),
  };
}

/** What belongs to a run or a slot, found through the indexes that are there for the daily work. */
function createPieces(db: Database): Pick<Removal, "removeSlot" | "removeRun"> {
  const removeTokens = db.prepare(
    `delete from tokens where token in (
       select value ->> '$.token' from slots, json_each(view, '$.actions') where slot = ?)`,
  );
  const removePosts = db.prepare("delete from posts where slot = ?");
  const dropSlot = db.prepare("delete from slots where slot = ?");
  const slotsBetween = db
    .prepare<[string, string], string>("select slot from slots where slot >= ? and slot < ?")
    .pluck();
  const removeTasks = db.prepare(`delete from tasks where run = ? limit ${STEP_ROWS}`);
  const removeCalls = db.prepare(`delete from tool_calls where run = ? limit ${STEP_ROWS}`);
  const questions = db.prepare<[string], { id: string; tokens: string }>(
    "select id, tokens from questions where run = ?",
  );
  const removeQuestionTokens = db.prepare("delete from tokens where token in (select value from json_each(?))");
  const removeQuestion = db.prepare("delete from questions where id = ?");
  const removeStop = db.prepare("delete from tokens where meaning = json_object('type', 'stop', 'run', ?)");
  const dropRun = db.prepare("delete from runs where id = ?");

  function removeSlot(slot: string): number {
    const tokens = removeTokens.run(slot).changes;
    return tokens + removePosts.run(slot).changes + dropSlot.run(slot).changes;
  }

  function removeRun(run: string): number {
    const many = removeTasks.run(run).changes + removeCalls.run(run).changes;
    if (many >= STEP_ROWS) return many;
    const asked = questions.all(run);
    for (const { id, tokens } of asked) {
      removeQuestionTokens.run(tokens);
      removeQuestion.run(id);
    }
    // `0` is the character after `/`, `.` the one after `-`.
    const handed = ["file", "notice"].flatMap((type) => slotsBetween.all(`${type}:${run}/`, `${type}:${run}0`));
    const awaited = asked.flatMap(({ id }) => slotsBetween.all(`notice:await-${id}-`, `notice:await-${id}.`));
    const questionSlots = asked.map(({ id }) => `question:${id}`);
    const own = [`reply:${run}`, `progress:${run}`, ...questionSlots, ...handed, ...awaited];
    const slots = own.flatMap((slot) => [slot, `notice:lost-${slot}`]);
    const shown = slots.reduce((sum, slot) => sum + removeSlot(slot), 0);
    return many + asked.length + shown + removeStop.run(run).changes + dropRun.run(run).changes;
  }

  return { removeSlot, removeRun };
}
