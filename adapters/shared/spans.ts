/**
 * Styled text as a list of spans: each piece of text carries its own marks, so that whatever cuts or joins spans cannot
 * tear a mark. It is what every chat platform can show; how a mark is written is the adapter's business.
 */
export type Mark =
  | { readonly type: "bold" | "italic" | "strikethrough" | "code" | "quote" }
  | { readonly type: "pre"; readonly language?: string }
  | { readonly type: "link"; readonly url: string };

export interface Span {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** The innermost list item that the text belongs to. */
  readonly item?: Item;
  /** A better place to cut than the end of a line: a list item or a row of a table begins with this span. */
  readonly starts?: "item" | "row";
  /** The first lines of a table in one span: what goes on in the next message begins with them again. */
  readonly header?: string;
  /** The table that this text draws, with all its spans: a platform that has tables may show it in their place. */
  readonly table?: Table;
}
/** The first row is the header. */
export interface Table {
  readonly rows: readonly (readonly (readonly Span[])[])[];
  readonly align: readonly ("left" | "right" | "center" | null | undefined)[];
}
export interface Item {
  /** Lists around this one; each moves the lines after an item's first by `INDENT`. */
  readonly depth: number;
  /** Absent for a bullet. */
  readonly number?: number;
}
/** Block by block: of a huge text only those are in memory that are looked at. */
export type Text = Iterable<readonly Span[]>;

export const INDENT = "   ";

export const plain = (text: string): Span => ({ text, marks: [] });
export const bold = (text: string): Span => ({ text, marks: [{ type: "bold" }] });
export const italic = (text: string): Span => ({ text, marks: [{ type: "italic" }] });

export const textOf = (spans: readonly Span[]): string => spans.map((span) => span.text).join("");

export const hasMark = (span: Span, type: Mark["type"]): boolean => span.marks.some((mark) => mark.type === type);

/** The same for marks that mean the same. */
export function markKey(mark: Mark): string {
  if (mark.type === "link") return `link ${mark.url}`;
  return mark.type === "pre" ? `pre ${mark.language ?? ""}` : mark.type;
}

/**
 * Adds a mark to spans that may carry it: code holds nothing but may stand in a quote; a quote holds no second quote; a
 * link holds no link.
 */
export function marked(spans: readonly Span[], mark: Mark): Span[] {
  return spans.map((span) => (mayCarry(span, mark) ? { ...span, marks: [mark, ...span.marks] } : span));
}

function mayCarry(span: Span, mark: Mark): boolean {
  if (hasMark(span, mark.type)) return false;
  return mark.type === "quote" || !(hasMark(span, "code") || hasMark(span, "pre"));
}

/** A text whose blocks are changed as they come. */
export function* eachBlock(
  text: Text,
  change: (block: readonly Span[]) => readonly Span[],
): Generator<readonly Span[]> {
  for (const block of text) yield change(block);
}

/** Spans joined with one separator between each two. */
export function joined(groups: readonly (readonly Span[])[], separator: string): Span[] {
  return groups.flatMap((group, index) => (index === 0 ? [...group] : [plain(separator), ...group]));
}
