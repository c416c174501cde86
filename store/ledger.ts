/**
 * Tasks, tool-call starts and usage: written by the agent side, seen at once. They are on disk before the checkpoint that
 * follows them, or with it.
 */
import type { Database } from "better-sqlite3";
import {
  type ExecutionId,
  isTerminal,
  type Ledger,
  type ModelCall,
  type RunId,
  type StoredTask,
  type TaskRest,
  type TaskSnapshot,
  type ToolStart,
  type Usage,
} from "../subagents/contract.ts";
import { safe, soon } from "./commit.ts";
import { fromJson } from "./database.ts";

interface Sums {
  calls: number;
  input: number | null;
  output: number | null;
  total: number | null;
  cache_read: number | null;
  reasoning: number | null;
}

interface TaskRow {
  snapshot: string;
  seq: number;
}

const SUM = `sum(input) as input, sum(output) as output, sum(total) as total,
  sum(cache_read) as cache_read, sum(reasoning) as reasoning`;
const SUMS = `select count(*) as calls, ${SUM} from usage`;

export function createLedger(db: Database): Ledger {
  const addCall = db.prepare(
    `insert into usage(call, run, thread, person, execution, caller, model, reported_model, input, output, total, cache_read, reasoning, at)
     values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) 
     on conflict(call) do update set input = excluded.input, output = excluded.output, total = excluded.total,
       cache_read = excluded.cache_read, reasoning = excluded.reasoning
     where usage.total is null and excluded.total is not null`,
  );
  const executionSums = db.prepare<[string], Sums>(`${SUMS} where execution = ?`);
  const runSums = db.prepare<[string], Sums>(`${SUMS} where run = ?`);
  const getTask = db.prepare<[string], TaskRow>("select snapshot, seq from tasks where execution = ?");
  const putTask = db.prepare<[string, RunId, number, string, number | null, string | null, RunId], TaskRow>(
    `insert into tasks(execution, run, ended, snapshot, active_ms, report, seq)
     values(?, ?, ?, ?, ?, ?, (select coalesce(max(seq), 0) + 1 from tasks where run = ?))
     on conflict(execution) do update set ended = excluded.ended, snapshot = excluded.snapshot,
       active_ms = coalesce(excluded.active_ms, active_ms), report = coalesce(excluded.report, report)
     returning snapshot, seq`,
  );
  const getRest = db.prepare<[string], { active_ms: number | null; report: string | null }>(
    "select active_ms, report from tasks where execution = ?",
  );
  const runTasks = db.prepare<[string], Sums & TaskRow>(
    `select snapshot, seq, count(call) as calls, ${SUM} from tasks left join usage using(execution)
     where tasks.run = ? group by tasks.execution order by seq`,
  );
  const startTool = db.prepare(
    "insert into tool_calls(run, key, tool, effect, started_at) values(?, ?, ?, ?, ?) on conflict do nothing",
  );

  const saveTask = soon(db, (run: RunId, task: StoredTask, rest?: TaskRest): TaskSnapshot => {
    const known = getTask.get(task.executionId);
    const stored = known && readTask(known);
    const usage = toUsage(executionSums.get(task.executionId));
    if (stored && isTerminal(stored.state)) return { ...stored, ...usage };
    const ended = isTerminal(task.state) ? 1 : 0;
    const [activeMs, report] = [rest?.activeMs ?? null, rest?.report ?? null];
    const put = putTask.get(task.executionId, run, ended, JSON.stringify(task), activeMs, report, run);
    return { ...task, order: put?.seq ?? 0, ...usage };
  });

  const start = ({ runId, key, tool, effect, at }: ToolStart): "first" | "repeated" =>
    startTool.run(runId, key, tool, effect, at).changes === 1 ? "first" : "repeated";

  return {
    modelCall: soon(db, (call: ModelCall) => {
      const { usage } = call;
      addCall.run(
        call.callId,
        call.runId,
        call.threadId,
        call.principal,
        call.executionId ?? null,
        call.caller,
        call.model,
        call.reportedModel ?? null,
        usage?.input ?? null,
        usage?.output ?? null,
        usage?.total ?? null,
        usage?.cacheRead ?? null,
        usage?.reasoning ?? null,
        call.at,
      );
    }),
    taskUsage: (execution: ExecutionId) => toUsage(executionSums.get(execution)),
    runUsage: (run: RunId) => toUsage(runSums.get(run)),
    saveTask,
    taskRest(execution: ExecutionId): TaskRest | undefined {
      const row = getRest.get(execution);
      return row && { activeMs: row.active_ms ?? 0, ...(row.report !== null && { report: row.report }) };
    },
    tasks: (run: RunId) =>
      runTasks.all(run).map(({ snapshot, seq, ...sums }) => ({ ...readTask({ snapshot, seq }), ...toUsage(sums) })),
    toolStarted: soon(db, start),
    safe: () => safe(db),
  };
}

/** Earlier versions stored usage and calls too, as they were when the task was last saved. */
function readTask({ snapshot, seq }: TaskRow): Omit<TaskSnapshot, "usage" | "calls"> {
  const { usage: _usage, calls: _calls, ...stored } = fromJson<StoredTask & Partial<TaskSnapshot>>(snapshot);
  return { ...stored, order: seq };
}

/** SQL sums skip absent figures; a sum over none of them is null, and so is the usage. */
function toUsage(sums: Sums | undefined): { usage?: Usage; calls: number } {
  if (!sums || sums.total === null) return { calls: sums?.calls ?? 0 };
  const usage: Usage = {
    input: sums.input ?? 0,
    output: sums.output ?? 0,
    total: sums.total,
    ...(sums.cache_read !== null && { cacheRead: sums.cache_read }),
    ...(sums.reasoning !== null && { reasoning: sums.reasoning }),
  };
  return { usage, calls: sums.calls };
}
