/** Sections and verdicts as text: a median in each cell, behind it the ratio to the base. */
import type { Verdict } from "./goals.ts";
import type { Cell, Section } from "./measure.ts";

export function sectionTable(section: Section): string {
  const { title, unit, variants, base, rows, note } = section;
  const heading = base === undefined ? `${title} [${unit}]` : `${title} [${unit}] (ratio to ${base})`;
  const body = rows.map(({ point, cells }) => [
    point,
    ...variants.map((variant) =>
      cellText(cells[variant], variant === base || base === undefined ? undefined : cells[base]),
    ),
  ]);
  return [heading, grid([["", ...variants], ...body]), ...(note === undefined ? [] : [note])].join("\n");
}

export function goalTable(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ goal, bound, measured, reached }) => [
    goal,
    bound,
    measured === undefined ? "–" : number(measured),
    reached,
  ]);
  return grid([["goal", "bound", "measured", ""], ...lines]);
}

function cellText(cell: Cell | undefined, base: Cell | undefined): string {
  if (!cell) return "–";
  return base ? `${number(cell.median)} (${number(cell.median / base.median)})` : number(cell.median);
}

/** Three digits that count: 1253, 27.5, 0.043. */
function number(value: number): string {
  if (value === 0 || Math.abs(value) >= 100) return value.toFixed(0);
  return value.toPrecision(Math.abs(value) < 0.001 ? 1 : 3);
}

/** Columns of equal width; the first line is the head. */
function grid(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const text = lines.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [text[0], rule, ...text.slice(1)].join("\n");
}
