/** Tables as Slack's own. Shapes and limits: https://docs.slack.dev/reference/block-kit/blocks/table-block */
import { hasMark, marked, textOf } from "../shared/spans.ts";
import type { Span, Table, Text } from "../shared/spans.ts";
import { escaped } from "./escaped.ts";
import { inline, withoutLongLinks } from "./inline.ts";
import type { Fields } from "./part.ts";

/** Slack: 100 rows, the header among them, of 20 cells, with 10,000 characters in all. */
const MAX_ROWS = 100;
const MAX_COLUMNS = 20;
const MAX_CHARACTERS = 10_000;
/** Ours: the largest plain table has 80 kB; one whose cells are all styles and links has half a megabyte. */
const MAX_JSON = 100_000;
/** Slack: one table a message (`only_one_table_allowed`), and a thread is not to be buried by them. Ours. */
const MOST_TABLES = 4;

/** Stands for a whole table, which no cut can tear. */
interface TableSpan extends Span {
  readonly block: Fields;
  /** As Slack counts them, where that is known: `&<>` are counted as they are escaped. */
  readonly characters: number;
  /** What it says, for where no table can be. */
  readonly words: string;
}
export const isTable = (span: Span): span is TableSpan => "block" in span;

/** Separates what leads to a table from what is before it. */
interface LeadSpan extends Span {
  readonly leadsToTable: true;
}
export const leadsToTable = (span: Span): span is LeadSpan => "leadsToTable" in span;

/**
 * The same text with its first tables as Slack's own, if they are within its limits and in no list or quote. Where a
 * message has a table already, the block before the next one is a good place to begin another message.
 */
export function* withTables(text: Text): Generator<readonly Span[]> {
  let before: readonly Span[] = [];
  let count = 0;
  for (const block of text) {
    const table = count < MOST_TABLES ? nativeIn(block) : undefined;
    yield table && !before.some(isTable) ? leading(before) : before;
    before = table ? [...separatorOf(block), table] : block;
    if (table) count += 1;
  }
  yield before;
}

/** What is between this block and the one before. */
const separatorOf = ([first]: readonly Span[]): Span[] => (first?.text === "\n\n" ? [first] : []);

function leading(block: readonly Span[]): readonly Span[] {
  const leads = separatorOf(block).map((span): LeadSpan => ({ ...span, leadsToTable: true }));
  return [...leads, ...block.slice(leads.length)];
}

/** The table that a block is, and nothing else. */
function nativeIn(block: readonly Span[]): TableSpan | undefined {
  const drawn = block.slice(separatorOf(block).length);
  const table = drawn[0]?.table;
  const isAll = drawn.every((span) => span.table === table && !span.item && !hasMark(span, "quote"));
  return table && isAll ? nativeTable(table, drawn) : undefined;
}

function nativeTable(table: Table, words: readonly Span[]): TableSpan | undefined {
  const [names = []] = table.rows;
  const rows = names.every((name) => textOf(name) === "") ? table.rows.slice(1) : table.rows;
  if (rows.length === 0 || rows.length > MAX_ROWS) return undefined;
  const columns = Math.max(...rows.map((row) => row.length));
  // A blank for each cell, in case it is empty.
  const characters = rows.flat(2).reduce((sum, span) => sum + charactersOf(span), rows.length * columns);
  if (columns > MAX_COLUMNS || characters > MAX_CHARACTERS) return undefined;
  const drawn = rows.map((row) => {
    const isHeader = row === names;
    return Array.from({ length: columns }, (_, column) => cell(row[column] ?? [], isHeader));
  });
  const column_settings = Array.from({ length: columns }, (_, column) => ({ align: table.align[column] ?? "left" }));
  // U+FFFC is Unicode's sign for an object among text.
  const block = { type: "table", rows: drawn, column_settings };
  if (JSON.stringify(block).length > MAX_JSON) return undefined;
  return { text: "\ufffc", marks: [], block, characters, words: textOf(words) };
}

const charactersOf = ({ text, marks }: Span): number =>
  escaped(text).length + marks.reduce((sum, mark) => sum + (mark.type === "link" ? mark.url.length : 0), 0);

/** Neither kind of cell is parsed by Slack. None may be empty. */
function cell(spans: readonly Span[], isHeader: boolean): Fields {
  const shown = withoutLongLinks(spans)
    .map((span) => ({ ...span, text: span.text.replaceAll("\n", " ") }))
    .filter(({ text }) => text !== "");
  if (shown.length === 0) return { type: "raw_text", text: " " };
  const styled = isHeader ? marked(shown, { type: "bold" }) : shown;
  if (styled.every(({ marks }) => marks.length === 0)) return { type: "raw_text", text: textOf(styled) };
  return { type: "rich_text", elements: [{ type: "rich_text_section", elements: styled.map(inline) }] };
}
