/** The bytes of a file the person asked for, from what they gave, in the format they chose. */
import type { Content, Format } from "./jobs.ts";

export function fileName(content: Content, format: Format): string {
  return `${content.type === "last_reply" ? "answer" : "list"}.${format}`;
}

export function fileContent(content: Content, format: Format, lastReply = ""): string {
  if (content.type === "last_reply") return `${lastReply}\n`;
  const lines = { md: markdown, csv, txt: (rows: Rows) => rows.map((row) => row.join("\t")) }[format](content.rows);
  return `${lines.join("\n")}\n`;
}

type Rows = readonly (readonly string[])[];

/** One cell a row is a list; more is a table whose first row is the head. */
function markdown(rows: Rows): readonly string[] {
  if (rows.every((row) => row.length === 1)) return rows.map((row) => `- ${row.join()}`);
  const width = Math.max(...rows.map((row) => row.length));
  const lines = rows.map(
    (row) => `| ${Array.from({ length: width }, (_, at) => (row[at] ?? "").replaceAll("|", "\\|")).join(" | ")} |`,
  );
  return [lines[0] ?? "", `|${" --- |".repeat(width)}`, ...lines.slice(1)];
}

/** RFC 4180: quotes around cells with a comma, a quote or a line break. A cell that a spreadsheet would run is defused. */
const csv = (rows: Rows): readonly string[] => rows.map((row) => row.map(csvCell).join(","));
function csvCell(cell: string): string {
  const safe = /^[=+@]|^-(?!\d)/.test(cell) ? `'${cell}` : cell;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
