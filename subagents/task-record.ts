/**
 * What is known of one task while it runs: kept in the ledger, told as custom events.
 *
 * pending → running → completed | failed | cancelled | timed_out | polling_timed_out. The ledger keeps the first terminal state;
 * whoever comes later reads what won. After a restart a task that had not ended goes on as running, with its first
 * start time and the usage of the calls made before.
 */
import type { BaseMessage } from "@langchain/core/messages";
import {
  type ExecutionId,
  isTerminal,
  type Ledger,
  type RunId,
  type StoredTask,
  type TaskRest,
  type TaskSnapshot,
} from "./contract.ts";
import { endedEvent, runningEvent, startedEvent, type TaskEvent } from "./events.ts";
import { brief, type Outcome } from "./outcome.ts";

export interface TaskIdentity {
  readonly runId: RunId;
  readonly executionId: ExecutionId;
  /** The provider's tool-call id. */
  readonly taskId: string;
  readonly description: string;
  readonly subagent: string;
  /** Display name of the model that really runs. */
  readonly model: string;
}
export interface TaskRecord {
  /** The end that an earlier process already stored, if any. */
  readonly earlierEnd: { readonly outcome: Outcome; readonly snapshot: TaskSnapshot } | undefined;
  /** How long earlier processes had worked on it, up to its last stored step. */
  readonly usedMs: number;
  /** It waits behind others from here on; one that had begun before is said to go on nevertheless. */
  wait(): void;
  /** It is at work from here on. */
  start(): void;
  /** The subagent's messages so far, whole; each new one is told once. */
  progress(messages: readonly BaseMessage[]): void;
  /** Returns what is stored: an earlier end stays. */
  end(outcome: Outcome): TaskSnapshot;
}
interface RecordDeps {
  readonly ledger: Ledger;
  readonly now: () => number;
  readonly emit: (event: TaskEvent) => void;
}

export function openTaskRecord({ ledger, now, emit }: RecordDeps, task: TaskIdentity): TaskRecord {
  const { runId, ...identity } = task;
  const earlier = ledger.tasks(runId).find((one) => one.executionId === task.executionId);
  let steps = earlier?.steps ?? 0;
  let told = 0;
  let startedAt = earlier && earlier.state !== "pending" ? earlier.startedAt : undefined;
  const rest = ledger.taskRest(task.executionId);
  const usedMs = rest?.activeMs ?? 0;
  let goesOnAt = now();
  const save = (change: Partial<StoredTask>, report?: string): TaskSnapshot =>
    ledger.saveTask(
      runId,
      { ...identity, state: "running", steps, startedAt: startedAt ?? now(), ...change },
      { activeMs: usedMs + now() - goesOnAt, ...(report && { report }) },
    );

  return {
    earlierEnd: earlier && endOf(earlier, rest),
    usedMs,
    wait: () => emit(startedEvent(save({ state: startedAt === undefined ? "pending" : "running" }))),
    start() {
      goesOnAt = now();
      startedAt ??= goesOnAt;
      emit(startedEvent(save({})));
    },
    progress(messages) {
      const all = messages.filter(isStep);
      steps = Math.max(steps, all.length);
      const snapshot = save({});
      if (isTerminal(snapshot.state)) return; // the work goes on although its end is decided
      for (const message of all.slice(told)) emit(runningEvent(snapshot, message, ++told));
    },
    end({ state, stopReason, result, error }) {
      const report = state === "completed" ? (result ?? "") : undefined;
      const end = {
        state,
        endedAt: now(),
        ...(stopReason && { stopReason }),
        ...(report !== undefined && { result: brief(report) }),
        ...(error && { error }),
      };
      const stored = save(end, report);
      const event = endedEvent(stored);
      if (event) emit(event);
      return stored;
    },
  };
}

/** As the result of the same call. An earlier version stored no report: then what it stored of it must do. */
function endOf(task: TaskSnapshot, rest: TaskRest | undefined): TaskRecord["earlierEnd"] {
  const { state, stopReason, error } = task;
  if (!isTerminal(state)) return undefined;
  const result = rest?.report ?? task.result;
  const outcome = { state, ...(stopReason && { stopReason }), ...(result && { result }), ...(error && { error }) };
  return { outcome, snapshot: task };
}

function isStep(message: BaseMessage): boolean {
  return ["ai", "tool"].includes(message.getType());
}
