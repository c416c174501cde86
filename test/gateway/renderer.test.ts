import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../agent/contract.ts";
import { emptyRun, finalSlots, fold, progressView, type RunView } from "../../gateway/renderer.ts";
import { executionId, isTerminal, runId, SUBAGENT, type TaskSnapshot, type Usage } from "../../subagents/contract.ts";

const START = 1_800_000_000_000;
const states: TaskSnapshot["state"][] = ["pending", "running", ...SUBAGENT.statuses];

const IDS = ["x1", "x2", "x3"] as const;
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const counts = fc.record({ input: fc.nat(3000), output: fc.nat(2000), cacheRead: fc.nat(9) });
interface Change {
  readonly id: (typeof IDS)[number];
  readonly state: TaskSnapshot["state"];
  readonly calls: number;
  readonly steps: number;
  readonly used: { readonly input: number; readonly output: number; readonly cacheRead: number } | undefined;
}
const change: fc.Arbitrary<Change> = fc.record({
  id: fc.constantFrom(...IDS),
  state: fc.constantFrom(...states),
  calls: fc.nat(3),
  steps: fc.nat(3),
  used: some(counts),
});
const toTask = ({ id, state, calls, steps, used }: Change): TaskSnapshot => ({
  taskId: id,
  executionId: executionId(id),
  order: IDS.indexOf(id),
  description: id,
  subagent: "s",
  model: "m",
  state,
  calls,
  steps,
  startedAt: START,
  ...(isTerminal(state) && { endedAt: START + 9 }),
  ...(used && { usage: toUsage(used) }),
});
const toUsage = ({ input, output, cacheRead }: NonNullable<Change["used"]>): Usage => ({
  input,
  output,
  total: input + output,
  ...(cacheRead > 0 && { cacheRead }),
});
const told = (task: TaskSnapshot): AgentEvent => ({ type: "task", task });
const snapshot = change.map((one) => told(toTask(one)));

/** What the ledger says after each change: states only rise, the first end stays, counts only grow. */
function ledgerAfter(changes: readonly Change[]): readonly (readonly TaskSnapshot[])[] {
  const rank = (state: TaskSnapshot["state"]) => (isTerminal(state) ? 2 : state === "running" ? 1 : 0);
  const known = new Map<string, Change>();
  return changes.map((next) => {
    const before = known.get(next.id);
    const zero = { input: 0, output: 0, cacheRead: 0 };
    const [was, more] = [before?.used ?? zero, next.used ?? zero];
    const used = {
      input: was.input + more.input,
      output: was.output + more.output,
      cacheRead: was.cacheRead + more.cacheRead,
    };
    known.set(next.id, {
      id: next.id,
      state: before && rank(before.state) >= rank(next.state) ? before.state : next.state,
      calls: (before?.calls ?? 0) + next.calls,
      steps: (before?.steps ?? 0) + next.steps,
      used: before?.used || next.used ? used : undefined,
    });
    return [...known.values()].map(toTask).toSorted((one, other) => one.order - other.order);
  });
}
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
            for (const count of ["input", "output", "total"] as const)
              expect(after?.usage?.[count] ?? 0).toBeGreaterThanOrEqual(before.usage?.[count] ?? 0);
            expect(after?.calls).toBeGreaterThanOrEqual(before.calls);
            expect(after?.steps).toBeGreaterThanOrEqual(before.steps);
            if (before.state !== "pending") expect(after?.state).not.toBe("pending");
            if (isTerminal(before.state)) expect(after?.state).toBe(before.state);
          }
          run = next;
        }
      }),
    );
  });

  it("is the same in the end in whatever order the news came, how often, how much of it was lost, and after any restart", () => {
    const history = fc.array(change, { minLength: 1, maxLength: 12 }).map(ledgerAfter);
    // Which reading of the ledger is told, and whether the process begins anew with what the ledger then says.
    const arrival = fc.array(fc.record({ at: fc.nat(11), restart: fc.boolean() }), { maxLength: 30 });
    fc.assert(
      fc.property(history, arrival, (readings, arrivals) => {
        const read = (at: number) => readings[at % readings.length] ?? [];
        const tell = (run: RunView, tasks: readonly TaskSnapshot[]) => tasks.map(told).reduce(fold, run);
        const empty = emptyRun("Model", START);
        const some = arrivals.reduce(
          (run, { at, restart }) => tell(restart ? empty : run, restart ? read(at) : read(at).slice(at % 2)),
          empty,
        );
        const last = read(readings.length - 1);
        const card = (run: RunView) => progressView(run, "working", START + 10);
        expect(card(tell(some, last))).toEqual(card(tell(empty, last)));
        expect(card(tell(tell(empty, last), read(0)))).toEqual(card(tell(empty, last)));
        expect(card(tell(empty, last.toReversed())).tasks).toEqual(last);
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
