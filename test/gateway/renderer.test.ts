import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../agent/contract.ts";
import { emptyRun, finalSlots, fold, progressView } from "../../gateway/renderer.ts";
import { executionId, isTerminal, runId, SUBAGENT, type TaskSnapshot } from "../../subagents/contract.ts";

const START = 1_800_000_000_000;
const states: TaskSnapshot["state"][] = ["pending", "running", ...SUBAGENT.statuses];

const snapshot = fc
  .record({
    id: fc.constantFrom("x1", "x2", "x3"),
    state: fc.constantFrom(...states),
    total: fc.option(fc.nat(5000), { nil: undefined }),
  })
  .map(({ id, state, total }): AgentEvent => ({
    type: "task",
    task: {
      taskId: id,
      executionId: executionId(id),
      description: id,
      subagent: "s",
      model: "m",
      state,
      calls: 1,
      steps: 1,
      startedAt: START,
      ...(total !== undefined && { usage: { input: total, output: 0, total } }),
    },
  }));
const usage = fc.nat(9000).map((tokens): AgentEvent => ({ type: "usage", tokens }));

describe("what a run shows", () => {
  it("never falls in a total and never leaves a terminal state, whatever comes late or twice", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(snapshot, usage), { maxLength: 40 }), (events) => {
        let run = emptyRun("Model", START);
        for (const event of events) {
          const next = fold(fold(run, event), event);
          expect(next).toEqual(fold(run, event));
          expect(next.tokens ?? 0).toBeGreaterThanOrEqual(run.tokens ?? 0);
          for (const [id, before] of run.tasks) {
            const after = next.tasks.get(id);
            expect(after?.usage?.total ?? 0).toBeGreaterThanOrEqual(before.usage?.total ?? 0);
            if (isTerminal(before.state)) expect(after?.state).toBe(before.state);
          }
          run = next;
        }
      }),
    );
  });

  it("has no row that still runs under a card that has ended", () => {
    fc.assert(
      fc.property(fc.array(snapshot), fc.constantFrom("done", "cancelled", "failed"), (events, state) => {
        const run = events.reduce(fold, emptyRun("Model", START));
        const view = progressView(run, state, START + 1000, "token");
        expect(view.tasks.every((task) => isTerminal(task.state))).toBe(true);
        expect(view.stopToken).toBeUndefined();
        expect(view.preview).toBeUndefined();
      }),
    );
  });

  it("ends in one reply, or in none when it was stopped, and then in the end of its card", () => {
    const run = emptyRun("Model", START);
    const types = (outcome: "done" | "failed" | "cancelled") =>
      finalSlots(runId("r"), run, outcome, START).map((one) => one.slot);
    expect(types("done")).toEqual(["reply:r", "progress:r"]);
    expect(types("failed")).toEqual(["reply:r", "progress:r"]);
    expect(types("cancelled")).toEqual(["progress:r"]);
  });
});
