/** The custom events of a task (contract A3), made from its snapshot. Pure. */
import type { BaseMessage } from "@langchain/core/messages";
import type { TaskSnapshot } from "./contract.ts";
import { head } from "./cut.ts";
import { type WireUsage, wireUsage } from "./usage.ts";
import { visibleText } from "./visible-text.ts";

interface Common {
  /** The provider's tool-call id. */
  readonly task_id: string;
  readonly model_name: string;
}
export type TaskEvent = Common &
  (
    | { readonly type: "task_started"; readonly description: string }
    | {
        readonly type: "task_running";
        readonly message: { readonly kind: "ai" | "tool"; readonly text: string; readonly tool_name?: string };
        /** 1-based, among the subagent's assistant and tool messages. */
        readonly message_index: number;
        readonly total_messages: number;
        readonly usage: WireUsage | null;
      }
    | { readonly type: "task_completed"; readonly result: string; readonly usage: WireUsage | null }
    | { readonly type: "task_failed" | "task_cancelled"; readonly error: string; readonly usage: WireUsage | null }
    | {
        readonly type: "task_timed_out";
        /** Ours: tells the two clocks apart. */
        readonly status: "timed_out" | "polling_timed_out";
        /** A polling time-out has none. */
        readonly error?: string;
        readonly usage: WireUsage | null;
      }
  );

/** Text in a `task_running` event is for a card's details, not a transcript. */
const TEXT_CHARS = 2000;

export function startedEvent(task: TaskSnapshot): TaskEvent {
  return { type: "task_started", ...common(task), description: task.description };
}

export function runningEvent(task: TaskSnapshot, message: BaseMessage, index: number): TaskEvent {
  const kind = message.getType() === "tool" ? "tool" : "ai";
  return {
    type: "task_running",
    ...common(task),
    message: {
      kind,
      text: head(visibleText(message), TEXT_CHARS),
      ...(kind === "tool" && message.name && { tool_name: message.name }),
    },
    message_index: index,
    total_messages: task.steps,
    usage: usageOf(task),
  };
}

/** Undefined while the task has not ended. */
export function endedEvent(task: TaskSnapshot): TaskEvent | undefined {
  const rest = { ...common(task), usage: usageOf(task) };
  switch (task.state) {
    case "completed":
      return { type: "task_completed", ...rest, result: task.result ?? "" };
    case "failed":
      return { type: "task_failed", ...rest, error: task.error ?? "" };
    case "cancelled":
      return { type: "task_cancelled", ...rest, error: task.error ?? "" };
    case "timed_out":
      return { type: "task_timed_out", status: task.state, ...rest, error: task.error ?? "" };
    case "polling_timed_out":
      return { type: "task_timed_out", status: task.state, ...rest };
    case "pending":
    case "running":
      return undefined;
  }
}

/** Whether a custom event of the graph says that a task has changed. */
export function isTaskEvent(data: unknown): boolean {
  if (typeof data !== "object" || data === null || !("type" in data) || !("task_id" in data)) return false;
  return typeof data.type === "string" && data.type.startsWith("task_");
}

function common(task: TaskSnapshot): Common {
  return { task_id: task.taskId, model_name: task.model };
}
function usageOf(task: TaskSnapshot): WireUsage | null {
  return task.usage ? wireUsage(task.usage) : null;
}
