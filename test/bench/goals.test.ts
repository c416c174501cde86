import { describe, expect, it } from "vitest";
import { verdicts } from "./goals.ts";
import { cell, type Goal, type Section } from "./measure.ts";

const section = (...goals: Goal[]): Section => ({
  title: "Time",
  unit: "ms",
  variants: ["stock", "ours"],
  rows: [
    { point: "turn 1", cells: { stock: cell([10]), ours: cell([2]) } },
    { point: "turn 2", cells: { stock: cell([20]), ours: cell([3]) } },
  ],
  goals,
});
const judge = (goal: Goal) => verdicts([section(goal)])[0];

describe("a goal", () => {
  it("is the ratio to another variant in the same row", () => {
    const goal = { row: "turn 1", of: "ours", against: "stock" };
    expect(judge({ ...goal, atMost: 0.2 })).toMatchObject({ measured: 0.2, reached: "ok", bound: "≤ 0.2" });
    expect(judge({ ...goal, atMost: 0.19 })).toMatchObject({ measured: 0.2, reached: "NOT REACHED" });
    expect(judge({ ...goal, atLeast: 0.21 })).toMatchObject({ measured: 0.2, reached: "NOT REACHED" });
  });

  it("is the ratio to another row of the same variant", () => {
    const verdict = judge({ row: "turn 2", of: "ours", againstRow: "turn 1", atMost: 1.2 });
    expect(verdict).toMatchObject({
      goal: "Time: ours at turn 2 / ours at turn 1",
      measured: 1.5,
      reached: "NOT REACHED",
    });
  });

  it("is a bound on the figure itself where it names nothing to compare with", () => {
    expect(judge({ row: "turn 2", of: "ours", atMost: 3 })).toMatchObject({ measured: 3, reached: "ok" });
  });

  it("stays in the list, and says so, where it was not measured", () => {
    expect(judge({ row: "turn 9", of: "ours", against: "stock", atMost: 1 })).toMatchObject({
      reached: "not measured",
    });
    expect(judge({ row: "turn 1", of: "ours", against: "peer", atMost: 1 })).toMatchObject({ reached: "not measured" });
  });

  it("shows its aim and is not judged by it", () => {
    const verdict = judge({ row: "turn 1", of: "ours", against: "stock", atMost: 0.5, aim: 0.1 });
    expect(verdict).toMatchObject({ bound: "≤ 0.5 (aim 0.1)", reached: "ok" });
  });
});
