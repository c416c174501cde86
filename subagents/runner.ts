/** One execution of a subagent from its start to its end, whatever ends it. */
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isGraphBubbleUp } from "@langchain/langgraph";
import { stopReasonOf } from "./caps.ts";
import { type ClockSettings, type Clocks, startClocks } from "./clocks.ts";
import type { ExecutionId, StopReason, TaskSnapshot } from "./contract.ts";
import { isDetached } from "./detached.ts";
import type { Outcome } from "./outcome.ts";
import type { Slots } from "./slots.ts";
import type { SubagentCall, SubagentGraph } from "./subagent-graph.ts";
import type { TaskRecord } from "./task-record.ts";
import { visibleText } from "./visible-text.ts";

export interface Execution {
  readonly graph: SubagentGraph;
  readonly record: TaskRecord;
  readonly slots: Slots;
  readonly clocks: ClockSettings;
  readonly call: Omit<SubagentCall, "signal" | "onMessages">;
  /** What a provider's or a graph's error means, in a sentence. */
  readonly describeError: (error: unknown) => string;
  /** Resolves when none of its model calls is under way any more, and after `ms` at the latest. */
  readonly callsOver: (execution: ExecutionId, ms: number) => Promise<void>;
}
export interface Ended {
  readonly outcome: Outcome;
  readonly snapshot: TaskSnapshot;
}

/**
 * Runs the subagent and records its end. Throws only what must unwind the parent: an interrupt of LangGraph or a
 * `Detached` abort (the task is then paused, not ended), or any other abort of the parent, after the end was recorded.
 */
export async function execute(execution: Execution, parent: RunnableConfig): Promise<Ended> {
  const leave = await enter(execution, parent.signal);
  try {
    return await run(execution, parent);
  } finally {
    leave();
  }
}

async function enter({ slots, record }: Execution, signal: AbortSignal | undefined): Promise<() => void> {
  if (slots.full) record.wait();
  try {
    return await slots.enter(signal);
  } catch (error) {
    if (!isDetached(signal)) record.end({ state: "cancelled" });
    throw error;
  }
}

async function run(execution: Execution, parent: RunnableConfig): Promise<Ended> {
  const { record } = execution;
  record.start();
  const clocks = startClocks(execution.clocks, record.usedMs, parent.signal);
  try {
    const outcome = await Promise.race([
      work(execution, parent, clocks),
      clocks.givenUp.then((stop) => stopped(stop, execution.clocks)),
    ]);
    if (isDetached(parent.signal)) throw parent.signal?.reason;
    const snapshot = record.end(outcome);
    parent.signal?.throwIfAborted();
    return { outcome, snapshot };
  } finally {
    clocks.stop();
  }
}

async function work({ graph, record, call, ...rest }: Execution, parent: RunnableConfig, clocks: Clocks) {
  let messages: readonly BaseMessage[] = [];
  const onMessages = (soFar: readonly BaseMessage[]) => {
    messages = soFar;
    record.progress(soFar);
  };
  try {
    return reported(await graph.run({ ...call, signal: clocks.signal, onMessages }, parent));
  } catch (error) {
    if (isGraphBubbleUp(error)) throw error;
    const reason = clocks.reason();
    if (reason) {
      await rest.callsOver(call.executionId, rest.clocks.cancelGraceMs);
      return stopped(reason, rest.clocks);
    }
    const stopReason = stopReasonOf(error);
    if (stopReason) return capped(stopReason, messages);
    return { state: "failed", error: rest.describeError(error) } satisfies Outcome;
  }
}

function reported(messages: readonly BaseMessage[]): Outcome {
  const stopReason = stopReasonOf(messages.at(-1));
  if (stopReason) return capped(stopReason, messages);
  const result = lastText(messages.slice(-1));
  return result ? { state: "completed", result } : { state: "failed", error: "The subagent ended without a report." };
}

const LIMIT_NAMES: Record<StopReason, string> = {
  token_capped: "The token limit",
  turn_capped: "The turn limit",
  loop_capped: "A loop of the same calls",
};

/** Contract A1: capped with usable output is completed, else failed. */
function capped(stopReason: StopReason, messages: readonly BaseMessage[]): Outcome {
  const result = lastText(messages);
  return result
    ? { state: "completed", stopReason, result }
    : { state: "failed", stopReason, error: `${LIMIT_NAMES[stopReason]} was reached before there was a result.` };
}

function stopped(stop: "timed_out" | "polling_timed_out" | "cancelled", clocks: ClockSettings): Outcome {
  switch (stop) {
    case "timed_out":
      return { state: stop, error: `No result after ${seconds(clocks.timeoutMs)}.` };
    case "polling_timed_out": {
      const minutes = Math.round((clocks.timeoutMs + clocks.watchdogMs) / 60_000);
      return {
        state: stop,
        error: `Task polling timed out after ${minutes} minutes. It did not react to its time-out.`,
      };
    }
    case "cancelled":
      return { state: stop };
  }
}

function lastText(messages: readonly BaseMessage[]): string | undefined {
  const texts = messages.filter((message) => message.getType() === "ai").map(visibleText);
  return texts.findLast((text) => text !== "");
}
function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} seconds`;
}
