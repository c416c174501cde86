/** The ledger as its contract says, in memory. */
import {
  type ExecutionId,
  isTerminal,
  type Ledger,
  type ModelCall,
  type RunId,
  type StoredTask,
  type TaskRest,
  type ToolStart,
  type Usage,
} from "../../subagents/contract.ts";

export interface MemoryLedger extends Ledger {
  readonly calls: readonly ModelCall[];
  readonly starts: readonly ToolStart[];
  readonly ended: ReadonlySet<string>;
}

export function createMemoryLedger(): MemoryLedger {
  const calls = new Map<string, ModelCall>();
  const tasks = new Map<ExecutionId, { run: RunId; order: number; task: StoredTask; rest: TaskRest | undefined }>();
  const starts: ToolStart[] = [];
  const open = new Set<string>();
  const ended = new Set<string>();
  const sum = (found: readonly ModelCall[]) => {
    const usage = found.flatMap((call) => call.usage ?? []).reduce(add, undefined);
    return { calls: found.length, ...(usage && { usage }) };
  };
  const taskUsage = (id: ExecutionId) => sum([...calls.values()].filter((call) => call.executionId === id));
  return {
    get calls() {
      return [...calls.values()];
    },
    starts,
    ended,
    modelCall(call) {
      const known = calls.get(call.callId);
      if (!known) calls.set(call.callId, call);
      else if (!known.usage && call.usage) calls.set(call.callId, { ...known, usage: call.usage });
    },
    taskUsage,
    runUsage: (id) => sum([...calls.values()].filter((call) => call.runId === id)),
    saveTask(run, task, rest) {
      const known = tasks.get(task.executionId);
      const order = known?.order ?? tasks.size + 1;
      const kept = known && isTerminal(known.task.state) ? known.task : task;
      tasks.set(task.executionId, {
        run,
        order,
        task: kept,
        rest: kept === task ? (rest ?? known?.rest) : known?.rest,
      });
      return { ...kept, order, ...taskUsage(task.executionId) };
    },
    taskRest: (id) => tasks.get(id)?.rest,
    tasks: (run) =>
      [...tasks.values()]
        .filter((one) => one.run === run)
        .map(({ task, order }) => ({ ...task, order, ...taskUsage(task.executionId) })),
    safe: () => Promise.resolve(),
    toolStarted(start) {
      const key = `${start.runId} ${start.key}`;
      const repeated = open.has(key);
      open.add(key);
      starts.push(start);
      return repeated ? "repeated" : "first";
    },
  };
}

function add(total: Usage | undefined, one: Usage): Usage {
  if (!total) return one;
  return { input: total.input + one.input, output: total.output + one.output, total: total.total + one.total };
}

/** The same ledger for one process: once that is dead, nothing it does reaches the ledger. */
export function mortal(ledger: Ledger, death: { readonly dead: boolean }): Ledger {
  const alive =
    <Args extends unknown[], Result>(verb: (...args: Args) => Result) =>
    (...args: Args): Result => {
      if (death.dead) throw new Error("This process is dead");
      return verb(...args);
    };
  return {
    modelCall: alive((call: ModelCall) => ledger.modelCall(call)),
    taskUsage: alive((id: ExecutionId) => ledger.taskUsage(id)),
    runUsage: alive((id: RunId) => ledger.runUsage(id)),
    saveTask: alive((run: RunId, task: StoredTask, rest?: TaskRest) => ledger.saveTask(run, task, rest)),
    taskRest: alive((id: ExecutionId) => ledger.taskRest(id)),
    tasks: alive((id: RunId) => ledger.tasks(id)),
    safe: () => Promise.resolve(),
    toolStarted: alive((start: ToolStart) => ledger.toolStarted(start)),
  };
}
