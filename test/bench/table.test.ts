import { expect, it } from "vitest";
import { cell, type Section } from "./measure.ts";
import { goalTable, sectionTable } from "./table.ts";

const section: Section = {
  title: "Turn time",
  unit: "ms",
  variants: ["stock", "ours", "peer"],
  base: "stock",
  rows: [{ point: "turn 1000", cells: { stock: cell([1253.4]), ours: cell([32.05]) } }],
  note: "Warm.",
};

it("a section is one table: the base as a figure, every other cell with its ratio, what was not measured as a dash", () => {
  expect(sectionTable(section).split("\n")).toEqual([
    "Turn time [ms] (ratio to stock)",
    "|           | stock | ours          | peer |",
    "|-----------|-------|---------------|------|",
    "| turn 1000 | 1253  | 32.0 (0.0256) | –    |",
    "Warm.",
  ]);
});

it("goals that were missed or not measured stand in the list beside the others", () => {
  const text = goalTable([
    { goal: "a", bound: "≤ 1", measured: 0.5, reached: "ok" },
    { goal: "b", bound: "≤ 1", measured: 1.01, reached: "NOT REACHED" },
    { goal: "c", bound: "≤ 1", reached: "not measured" },
  ]);
  expect(text.split("\n").slice(2)).toEqual([
    "| a    | ≤ 1   | 0.500    | ok           |",
    "| b    | ≤ 1   | 1.01     | NOT REACHED  |",
    "| c    | ≤ 1   | –        | not measured |",
  ]);
});
