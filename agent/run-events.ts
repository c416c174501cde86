/** What the gateway has not been told yet in this run: read from ledger and state, so that nothing hangs on a stream. */
import type { BaseMessage } from "@langchain/core/messages";
import type { Ledger, RunId, TaskSnapshot } from "../subagents/contract.ts";
import { readRequest, toClarification } from "./clarification/request.ts";
import type { AgentEvent } from "./contract.ts";
import type { Pending } from "./position.ts";
import { presentedFiles } from "./tools/present-files.ts";
import { locate } from "./tools/thread-folder.ts";

export interface News {
  /** The tasks that changed since the last call. */
  tasks(): AgentEvent[];
  /** The run's total, when it changed since the last call. */
  usage(): AgentEvent[];
  /** The questions among these interrupts that were not told yet. */
  questions(pending: readonly Pending[]): AgentEvent[];
}

export function createNews(ledger: Ledger, runId: RunId): News {
  const told = new Map<string, string>();
  const asked = new Set<string>();
  let tokens: number | undefined;
  const isNews = (task: TaskSnapshot): boolean => {
    const text = JSON.stringify(task);
    if (told.get(task.executionId) === text) return false;
    told.set(task.executionId, text);
    return true;
  };
  return {
    tasks: () =>
      ledger
        .tasks(runId)
        .filter(isNews)
        .map((task) => ({ type: "task", task })),
    usage() {
      const total = ledger.runUsage(runId).usage?.total;
      if (total === undefined || total === tokens) return [];
      tokens = total;
      return [{ type: "usage", tokens: total }];
    },
    questions(pending) {
      const fresh = pending.filter(({ interruptId }) => !asked.has(interruptId));
      for (const { interruptId } of fresh) asked.add(interruptId);
      return questionEvents(fresh);
    },
  };
}

/** Interrupts that are no question of ours are none for people. */
export function questionEvents(pending: readonly Pending[]): AgentEvent[] {
  return pending.flatMap(({ interruptId, value }): AgentEvent[] => {
    const request = readRequest(value);
    return request ? [{ type: "question", request: toClarification(request, interruptId) }] : [];
  });
}

/** Files that a turn presented and that are still inside the thread's folder. */
export async function fileEvents(turn: readonly BaseMessage[], folder: string): Promise<AgentEvent[]> {
  const found = await Promise.allSettled(presentedFiles(turn).map((virtual) => locate(folder, virtual)));
  return found.flatMap((one): AgentEvent[] =>
    one.status === "fulfilled" ? [{ type: "file", path: one.value.absolute }] : [],
  );
}
