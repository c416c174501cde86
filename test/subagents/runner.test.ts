import { getEventListeners, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { GraphInterrupt } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { executionId, runId } from "../../subagents/contract.ts";
import type { TaskEvent } from "../../subagents/events.ts";
import { Detached } from "../../subagents/detached.ts";
import { execute } from "../../subagents/runner.ts";
import { createSlots } from "../../subagents/slots.ts";
import type { SubagentGraph } from "../../subagents/subagent-graph.ts";
import { openTaskRecord } from "../../subagents/task-record.ts";
import { TurnLimit } from "../../subagents/caps.ts";
import { createMemoryLedger } from "../agent/memory-ledger.ts";

function bench(run: SubagentGraph["run"], clocks = { timeoutMs: 5000, watchdogMs: 5000, cancelGraceMs: 50 }) {
  const ledger = createMemoryLedger();
  const slots = createSlots(1);
  const events: TaskEvent[] = [];
  const emit = (event: TaskEvent) => void events.push(event);
  const run1 = runId("r1");
  const identity = {
    runId: run1,
    executionId: executionId("e1"),
    taskId: "t1",
    description: "d",
    subagent: "s",
    model: "M",
  };
  const record = openTaskRecord({ ledger, now: () => 7, emit }, identity);
  const call = { executionId: executionId("e1"), prompt: "p", metadata: {} };
  const execution = {
    graph: { run },
    record,
    slots,
    clocks,
    call,
    describeError: (error: unknown) => `told: ${String(error)}`,
    callsOver: () => Promise.resolve(),
  };
  const start = (signal?: AbortSignal) => execute(execution, signal ? { signal } : {});
  return { start, events, slots, stored: () => ledger.tasks(run1)[0], record };
}
const never = new Promise<never>(() => undefined);
const said = (text: string): BaseMessage[] => [new AIMessage(text)];

describe("an execution", () => {
  it("tells its start, each new message once with its place, and its end", async () => {
    const { start, events } = bench(async ({ onMessages }) => {
      onMessages(said("one"));
      onMessages(said("one"));
      onMessages([...said("one"), ...said("two")]);
      return said("two");
    });
    await start();
    expect(events.map(({ type }) => type)).toEqual(["task_started", "task_running", "task_running", "task_completed"]);
    expect(events[2]).toEqual({
      type: "task_running",
      task_id: "t1",
      model_name: "M",
      message: { kind: "ai", text: "two" },
      message_index: 2,
      total_messages: 2,
      usage: null,
    });
  });

  it("that ignores its time-out is given up by the watchdog; what it says later changes nothing", async () => {
    let late: () => void = () => undefined;
    const { start, stored, events } = bench(
      ({ onMessages }) => new Promise((resolve) => (late = () => (onMessages(said("late")), resolve(said("late"))))),
      { timeoutMs: 30, watchdogMs: 60, cancelGraceMs: 50 },
    );
    const { outcome } = await start();
    expect(outcome.state).toBe("polling_timed_out");
    late();
    await setTimeout(10);
    expect(stored()?.state).toBe("polling_timed_out");
    expect(events.at(-1)).toMatchObject({ type: "task_timed_out", status: "polling_timed_out" });
  });

  it("that ignores its time-out and is then cancelled by its parent has timed out", async () => {
    const { start, stored } = bench(() => never, { timeoutMs: 20, watchdogMs: 5000, cancelGraceMs: 50 });
    const parent = new AbortController();
    const ended = start(parent.signal);
    await setTimeout(60);
    parent.abort(new Error("stop"));
    await expect(ended).rejects.toThrow("stop");
    expect(stored()).toMatchObject({ state: "timed_out", error: "No result after 0 seconds." });
  });

  it("that obeys its time-out is timed out", async () => {
    const { start, stored } = bench(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
      { timeoutMs: 30, watchdogMs: 5000, cancelGraceMs: 50 },
    );
    await start();
    expect(stored()).toMatchObject({ state: "timed_out", endedAt: 7 });
  });

  it("whose parent is cancelled ends as cancelled, also when it does not listen, and unwinds the parent", async () => {
    const { start, stored, events } = bench(() => never);
    const parent = new AbortController();
    const ended = start(parent.signal);
    parent.abort(new Error("stop"));
    await expect(ended).rejects.toThrow("stop");
    expect(stored()?.state).toBe("cancelled");
    expect(events.at(-1)?.type).toBe("task_cancelled");
  });

  it("that is cancelled while it waits for its turn ends as cancelled, without having begun", async () => {
    let began = false;
    const { start, stored, slots } = bench(() => ((began = true), never));
    const leave = await slots.enter(undefined);
    const parent = new AbortController();
    const ended = start(parent.signal);
    await setTimeout(5);
    expect(stored()?.state).toBe("pending");
    parent.abort(new Error("stop"));
    await expect(ended).rejects.toThrow("stop");
    expect([stored()?.state, began, slots.waiting]).toEqual(["cancelled", false, 0]);
    leave();
  });

  it("that waits for its turn when nobody listens any more is not ended", async () => {
    const { start, stored, slots } = bench(() => never);
    await slots.enter(undefined);
    const parent = new AbortController();
    const ended = start(parent.signal);
    parent.abort(new Detached());
    await expect(ended).rejects.toThrow(Detached);
    expect(stored()?.state).toBe("pending");
  });

  it("has all of its time when its turn has come", async () => {
    const { start, stored, slots } = bench(async () => (await setTimeout(60), said("done")), {
      timeoutMs: 120,
      watchdogMs: 5000,
      cancelGraceMs: 50,
    });
    const leave = await slots.enter(undefined);
    const ended = start();
    await setTimeout(150);
    leave();
    await ended;
    expect(stored()?.state).toBe("completed");
  });

  it.each<[string, SubagentGraph["run"], unknown]>([
    ["completed", async () => said("done"), undefined],
    ["failed", () => Promise.reject(new Error("raw")), undefined],
    ["cancelled", () => never, new Error("stop")],
    ["timed_out", ({ signal }) => once(signal, "abort").then(() => Promise.reject(new Error("late"))), undefined],
    ["polling_timed_out", () => never, undefined],
    ["running", () => never, new Detached()],
  ])("that is %s in the end leaves no listener, no timer and no slot behind", async (state, graph, stop) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { start, stored, slots } = bench(graph, { timeoutMs: 20, watchdogMs: 20, cancelGraceMs: 10 });
    const parent = new AbortController();
    const ended = start(parent.signal).catch(() => undefined);
    if (stop) parent.abort(stop);
    await vi.advanceTimersByTimeAsync(100);
    await ended;
    expect(stored()?.state).toBe(state);
    expect([getEventListeners(parent.signal, "abort").length, vi.getTimerCount(), slots.taken]).toEqual([0, 0, 0]);
  });

  it("that pauses with an interrupt is not ended", async () => {
    const { start, stored, events } = bench(() => Promise.reject(new GraphInterrupt([])));
    await expect(start()).rejects.toThrow();
    expect(stored()?.state).toBe("running");
    expect(events.map(({ type }) => type)).toEqual(["task_started"]);
  });

  it("that fails says why in words of ours", async () => {
    const { start, stored } = bench(() => Promise.reject(new Error("raw")));
    await start();
    expect(stored()).toMatchObject({ state: "failed", error: "told: Error: raw" });
  });

  it("at the turn limit is completed with what there is, or failed with nothing", async () => {
    const limit = new Error("wrapped", { cause: new TurnLimit("limit") });
    const usable = bench(async ({ onMessages }) => {
      onMessages(said("half a result"));
      throw limit;
    });
    expect((await usable.start()).outcome).toEqual({
      state: "completed",
      stopReason: "turn_capped",
      result: "half a result",
    });
    const nothing = bench(() => Promise.reject(limit));
    expect((await nothing.start()).outcome).toMatchObject({ state: "failed", stopReason: "turn_capped" });
  });

  it("without a report has failed", async () => {
    const { start } = bench(async () => said("<think>hm</think>"));
    expect((await start()).outcome).toMatchObject({ state: "failed", error: "The subagent ended without a report." });
  });

  it("the first end wins", async () => {
    const { record, stored } = bench(() => never);
    record.start();
    record.end({ state: "timed_out", error: "x" });
    expect(record.end({ state: "completed", result: "late" }).state).toBe("timed_out");
    expect(stored()).not.toHaveProperty("result");
  });
});
