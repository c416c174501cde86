/**
 * GFM tables. markdown-it's own rule drops the cells of a row that has more than the header; here they are kept in the
 * row's last cell.
 */
import type MarkdownIt from "markdown-it";
import type { StateBlock } from "markdown-it";

export function addTables(md: MarkdownIt): void {
  md.block.ruler.at("table", table, { alt: ["paragraph", "reference"] });
}

/** Cells that short rows leave out, together: some bytes must not become millions of cells. The number is markdown-it's. */
const MOST_MISSING = 0x10000;
const DELIMITERS = /^[-:|][-:|\s]+$/;
/** A quote, a list and a heading come before the table: the line of delimiters may be no part of them. */
const BEGINS_A_BLOCK = /^(?:>|[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s)/;
const DELIMITER = /^:?-+:?$/;

function table(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const isRow = (line: number) =>
    line < endLine && (state.sCount[line] ?? 0) >= state.blkIndent && (state.sCount[line] ?? 0) - state.blkIndent < 4;
  if (!isRow(startLine) || !isRow(startLine + 1)) return false;
  const delimiters = lineOf(state, startLine + 1);
  // A dash and a blank begin a list.
  if (!DELIMITERS.test(delimiters) || /^-\s/.test(delimiters)) return false;
  const first = lineOf(state, startLine);
  if (!first.includes("|") || BEGINS_A_BLOCK.test(first)) return false;
  const styles = cells(delimiters);
  const header = cells(first);
  if (header.length !== styles.length || !styles.every((each) => DELIMITER.test(each))) return false;
  if (silent) return true;

  const open = state.push("table_open", "table", 1);
  open.meta = styles.map(alignment);
  pushRow(state, startLine, header);
  const next = pushRows(
    state,
    startLine + 2,
    header.length,
    (line) => isRow(line) && !endsBefore(state, line, endLine),
  );
  open.map = [startLine, next];
  state.push("table_close", "table", -1);
  state.line = next;
  return true;
}

function pushRows(state: StateBlock, from: number, columns: number, isRow: (line: number) => boolean): number {
  let missing = 0;
  let line = from;
  for (; isRow(line); line++) {
    const text = lineOf(state, line);
    const row = cells(text);
    missing += Math.max(0, columns - row.length);
    if (text === "" || missing > MOST_MISSING) break;
    const rest = row.length > columns ? [row.slice(columns - 1).join(" | ")] : row.slice(columns - 1);
    pushRow(state, line, [...row.slice(0, columns - 1), ...rest]);
  }
  return line;
}

/** What ends a quote ends a table. */
const endsBefore = (state: StateBlock, line: number, endLine: number): boolean =>
  state.md.block.ruler.getRules("blockquote").some((rule) => rule(state, line, endLine, true));

function pushRow(state: StateBlock, line: number, row: readonly string[]): void {
  state.push("row_open", "tr", 1).map = [line, line + 1];
  for (const cell of row) {
    const token = state.push("inline", "", 0);
    token.content = cell;
    token.children = [];
  }
  state.push("row_close", "tr", -1);
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim();
}

function alignment(delimiter: string): "left" | "right" | "center" | null {
  const [left, right] = [delimiter.startsWith(":"), delimiter.endsWith(":")];
  return left && right ? "center" : right ? "right" : left ? "left" : null;
}

/** `|` cuts, `\|` is a `|`, also in code. */
function cells(line: string): string[] {
  const found: string[] = [];
  let from = line.startsWith("|") ? 1 : 0;
  const push = (end: number) => found.push(line.slice(from, end).replaceAll("\\|", "|").trim());
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line[at] === "|") {
      push(at);
      from = at + 1;
    }
  }
  if (from < line.length) push(line.length);
  return found;
}
