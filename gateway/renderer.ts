/** From what a run has said so far to what its thread shall show. Pure. */
import type { AgentEvent } from "../agent/contract.ts";
import { isTerminal, type RunId, type TaskSnapshot } from "../subagents/contract.ts";
import type { ProgressView, View } from "./contract.ts";
import { joinTasks } from "./join-tasks.ts";
import { type RunOutcome, slot, type SlotWrite } from "./store-contract.ts";

/** All that the agent has said in a run, folded together. */
export interface RunView {
  readonly model: string;
  readonly startedAt: number;
  readonly text: string;
  readonly tokens?: number;
  /** By execution id. */
  readonly tasks: ReadonlyMap<string, TaskSnapshot>;
}

export function emptyRun(model: string, startedAt: number): RunView {
  return { model, startedAt, text: "", tasks: new Map() };
}

/** Values replace, never add: an event that comes twice or late changes nothing. */
export function fold(run: RunView, event: AgentEvent): RunView {
  switch (event.type) {
    case "started":
      return { ...run, model: event.model };
    case "text":
      return { ...run, text: event.markdown };
    case "usage":
      return { ...run, tokens: Math.max(run.tokens ?? 0, event.tokens) };
    case "task":
      return { ...run, tasks: withTask(run.tasks, event.task) };
    case "file":
    case "question":
    case "end":
    case "error":
      return run;
  }
}

function withTask(tasks: RunView["tasks"], next: TaskSnapshot): RunView["tasks"] {
  return new Map(tasks).set(next.executionId, joinTasks(tasks.get(next.executionId), next));
}

export function progressView(run: RunView, state: ProgressView["state"], at: number, stopToken?: string): ProgressView {
  const live = state === "working" || state === "waiting";
  // The rows keep their places whatever is told first.
  const tasks = [...run.tasks.values()].toSorted((one, other) => one.order - other.order);
  return {
    type: "progress",
    state,
    tasks: live ? tasks : tasks.map((task) => endedTask(task, state, at)),
    ...(live && run.text !== "" && { preview: run.text }),
    ...(run.tokens !== undefined && { tokens: run.tokens }),
    model: run.model,
    startedAt: run.startedAt,
    at,
    ...(live && stopToken !== undefined && { stopToken }),
  };
}

/** No row says "running" under a card that has ended. */
function endedTask(task: TaskSnapshot, state: ProgressView["state"], at: number): TaskSnapshot {
  if (isTerminal(task.state)) return task;
  return { ...task, state: state === "cancelled" ? "cancelled" : "failed", endedAt: task.endedAt ?? at };
}

/** With tasks the card tells it. */
function usageBelow({ model, tokens, tasks }: RunView) {
  return tasks.size === 0 && tokens !== undefined ? { usage: { model, tokens } } : {};
}

/** What a run leaves in its thread: its one reply, then the end of its card. */
export function finalSlots(id: RunId, run: RunView, outcome: RunOutcome, at: number, failure = ""): SlotWrite[] {
  const card: SlotWrite = {
    slot: slot("progress", id),
    view: progressView(run, outcome, at),
    final: true,
    ifPosted: run.tasks.size === 0,
  };
  const reply = (view: View): SlotWrite => ({ slot: slot("reply", id), view, final: true });
  switch (outcome) {
    case "done":
      return [reply({ type: "reply", markdown: run.text, ...usageBelow(run) }), card];
    case "failed":
      return [reply({ type: "notice", markdown: failure, tone: "warning" }), card];
    case "cancelled":
      return [card];
  }
}
