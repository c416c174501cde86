/** A table, in a type that most chats do not have: aligned in a monospaced block, or as a list when it is wide. */
import { withAddresses } from "./link.ts";
import { bold, joined, plain } from "./spans.ts";
import type { Span, Table } from "./spans.ts";

interface TableText {
  readonly rows: readonly (readonly string[])[];
  readonly align: Table["align"];
}

/** A wider block is broken by a phone's screen, which makes it unreadable. */
const MAX_COLUMNS = 60;
const GAP = "  ";
/** Behind the name of a column without any value. */
export const UNUSED = ": –";

export function tableSpans(table: Table): Span[] {
  const rows = table.rows.map((row) => row.map((cell) => withAddresses(cell).replaceAll("\n", " ")));
  return drawn({ rows, align: table.align }).map((span) => ({ ...span, table }));
}

function drawn(table: TableText): Span[] {
  const widths = columnWidths(table.rows);
  const total = widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  return total <= MAX_COLUMNS ? [aligned(table, widths)] : asList(table.rows);
}

function aligned({ rows, align }: TableText, widths: readonly number[]): Span {
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, align[column] ?? null))
      .join(GAP)
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join(GAP);
  const [names = [], ...body] = rows;
  const lines = body.map(line).join("\n");
  if (names.every((name) => name === "")) return { text: lines, marks: [{ type: "pre" }] };
  const header = `${line(names)}\n${rule}`;
  return { text: body.length > 0 ? `${header}\n${lines}` : header, marks: [{ type: "pre" }], header };
}

/** One paragraph a row, so that a long table is cut between rows. */
function asList([header = [], ...body]: TableText["rows"]): Span[] {
  if (body.length === 0)
    return joined(
      header.map((name) => [bold(name)]),
      "\n",
    );
  const isUnused = header.map((_, column) => body.every((row) => !row[column]));
  const entry = (cell: string, column: number, row: number) => {
    const name = header[column];
    if (cell !== "") return [name ? [bold(name), plain(`: ${cell}`)] : [plain(cell)]];
    // The name of a column without a value is said once.
    return name && row === 0 && isUnused[column] ? [[bold(name), plain(UNUSED)]] : [];
  };
  const paragraphs = body
    .map((row, index) =>
      joined(
        header.flatMap((_, column) => entry(row[column] ?? "", column, index)),
        "\n",
      ),
    )
    .map(startingRow)
    .filter((paragraph) => paragraph.length > 0);
  return joined(paragraphs, "\n\n");
}

function startingRow([first, ...rest]: readonly Span[]): Span[] {
  return first ? [{ ...first, starts: "row" }, ...rest] : [];
}

function columnWidths(rows: TableText["rows"]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(1, widths[column] ?? 1, width(cell));
    });
  }
  return widths;
}

function pad(cell: string, to: number, align: Table["align"][number]): string {
  const missing = to - width(cell);
  const left = align === "right" ? missing : align === "center" ? Math.floor(missing / 2) : 0;
  return " ".repeat(left) + cell + " ".repeat(missing - left);
}

/** Columns that a monospaced font needs: CJK, Hangul, full-width forms and emoji take two, combining marks none. */
function width(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}
const COMBINING = /\p{M}|[\u200b-\u200d]|\ufe0f/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
