/** Whether what was measured keeps within the bounds. No goal is left out: one that could not be judged says so. */
import type { Goal, Section } from "./measure.ts";

export interface Verdict {
  /** `Turn time: ours at turn 100 / stock SqliteSaver`. */
  readonly goal: string;
  /** `≤ 0.25`, with the aim behind it where there is one. */
  readonly bound: string;
  /** Absent: a row or variant was not measured this time. */
  readonly measured?: number;
  readonly reached: "ok" | "NOT REACHED" | "not measured";
}

export function verdicts(sections: readonly Section[]): Verdict[] {
  return sections.flatMap((section) => (section.goals ?? []).map((goal) => judge(section, goal)));
}

function judge(section: Section, goal: Goal): Verdict {
  const said = { goal: describe(section, goal), bound: boundOf(goal) };
  const measured = measure(section, goal);
  if (measured === undefined) return { ...said, reached: "not measured" };
  const reached = "atMost" in goal ? measured <= goal.atMost : measured >= goal.atLeast;
  return { ...said, measured, reached: reached ? "ok" : "NOT REACHED" };
}

function measure(section: Section, { row, of, against, againstRow }: Goal): number | undefined {
  const judged = figure(section, row, of);
  if (against === undefined && againstRow === undefined) return judged;
  const other = figure(section, againstRow ?? row, against ?? of);
  return judged === undefined || other === undefined ? undefined : judged / other;
}

function figure({ rows }: Section, point: string, variant: string): number | undefined {
  return rows.find((row) => row.point === point)?.cells[variant]?.median;
}

function describe({ title }: Section, { row, of, against, againstRow }: Goal): string {
  const judged = `${title}: ${of} at ${row}`;
  if (againstRow !== undefined) return `${judged} / ${against ?? of} at ${againstRow}`;
  return against === undefined ? judged : `${judged} / ${against}`;
}

function boundOf(goal: Goal): string {
  const bound = "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
  return goal.aim === undefined ? bound : `${bound} (aim ${goal.aim})`;
}
