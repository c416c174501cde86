/**
 * What `/metrics` asks of the store, however much is stored: totals are kept as rows are written (`totals.ts`), the rest
 * is read through indexes that hold only what is open.
 */
import { statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "better-sqlite3";
import type { Figures } from "../gateway/store-contract.ts";
import { type Census, createCensus } from "./census.ts";

const SUBAGENT = "json_extract(snapshot, '$.subagent')";
const STATE = "json_extract(snapshot, '$.state')";
const CHECKPOINT_TABLES = ["graph_checkpoints", "graph_pieces", "graph_writes"];

/** The index of live runs is used only where its own condition stands word by word. */
const LIVE = "state in ('running', 'waiting', 'stopping')";

/** What reads all figures, never blocking for long. */
export function createFigures(db: Database): () => Promise<Figures> {
  const queued = count(db, "select count(*) from inbox where state = 'queued'");
  const busy = count(
    db,
    `select count(*) from (select thread from runs where ${LIVE} and state <> 'waiting'
       union select thread from inbox where state = 'queued' and thread is not null)`,
  );
  const runs = db.prepare<[], Figures["runs"][number]>(
    `select state, count(*) as count from runs where ${LIVE} group by state`,
  );
  const runTotals = db.prepare<[], Figures["runTotals"][number]>("select state, count from run_totals");
  // `cross join`: the few live runs first, then the tasks of each.
  const tasks = db.prepare<[], Figures["tasks"][number]>(
    `select ${SUBAGENT} as subagent, ${STATE} as state, count(*) as count from runs cross join tasks on tasks.run = runs.id
     where runs.${LIVE} and ended = 0 group by 1, 2`,
  );
  const taskTotals = db.prepare<[], Figures["taskTotals"][number]>("select subagent, state, count from task_totals");
  const usage = db.prepare<[], Figures["usage"][number]>(
    "select model, caller, calls, input, output, cached, reasoning from usage_totals",
  );
  const checkpoints = CHECKPOINT_TABLES.map((table) => ({ table, census: createCensus(db, table) }));
  const read = (): Omit<Figures, "checkpoints"> => ({
    queuedMessages: queued(),
    busyThreads: busy(),
    runs: runs.all(),
    runTotals: runTotals.all(),
    tasks: tasks.all(),
    taskTotals: taskTotals.all(),
    usage: usage.all(),
    bytes: bytesOf(db),
  });
  return async () => {
    const figures = read();
    for (const { census } of checkpoints) await countOn(census, db);
    const sizes = checkpoints.flatMap(({ table, census: { size } }) => (size ? [{ table, ...size }] : []));
    return { ...figures, checkpoints: sizes };
  };
}

/** Enough for 100,000 rows in the scrapes of some minutes. */
const STEPS_A_SCRAPE = 20;

/** With a pause after each step, in which others have the loop; the database may be closed in it. */
async function countOn(census: Census, db: Database): Promise<void> {
  for (let steps = 0; steps < STEPS_A_SCRAPE && db.open; steps += 1) {
    if (census.step() === "through") return;
    await nextTurn();
  }
}

function count(db: Database, sql: string): () => number {
  const statement = db.prepare<[], number>(sql).pluck();
  return () => statement.get() ?? 0;
}

/** `free`: pages inside the file that hold nothing and will be used again. */
function bytesOf(db: Database): Figures["bytes"] {
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const pragma = (name: string) => Number(db.pragma(name, { simple: true }));
  return {
    database: size(db.name),
    wal: size(`${db.name}-wal`),
    free: pragma("freelist_count") * pragma("page_size"),
  };
}
