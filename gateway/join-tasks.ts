/**
 * Two snapshots of one task, made one. It does not matter in which order they come, nor how often: the state that is
 * further on stays (pending → running → the first end), counts only grow. So whatever is told late, twice or not at all,
 * the newest reading of the ledger gives the same card. Pure.
 */
import { isTerminal, type TaskSnapshot, type TaskState, type Usage } from "../subagents/contract.ts";

export function joinTasks(known: TaskSnapshot | undefined, next: TaskSnapshot): TaskSnapshot {
  if (!known) return next;
  const usage = joinUsage(known.usage, next.usage);
  return {
    ...(rank(next.state) > rank(known.state) ? next : known),
    ...(usage && { usage }),
    calls: Math.max(known.calls, next.calls),
    steps: Math.max(known.steps, next.steps),
    startedAt: Math.min(known.startedAt, next.startedAt),
  };
}

function rank(state: TaskState): number {
  if (isTerminal(state)) return 2;
  return state === "running" ? 1 : 0;
}

/** Each is cumulative: of two figures the larger one is the later one. */
function joinUsage(known: Usage | undefined, next: Usage | undefined): Usage | undefined {
  if (!known || !next) return known ?? next;
  const cacheRead = Math.max(known.cacheRead ?? 0, next.cacheRead ?? 0);
  const reasoning = Math.max(known.reasoning ?? 0, next.reasoning ?? 0);
  return {
    input: Math.max(known.input, next.input),
    output: Math.max(known.output, next.output),
    total: Math.max(known.total, next.total),
    ...(cacheRead > 0 && { cacheRead }),
    ...(reasoning > 0 && { reasoning }),
  };
}
