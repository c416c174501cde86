/**
 * Styled text as a list of spans: each piece of text carries its own marks. Whatever cuts or joins spans cannot tear a
 * mark, because offsets exist only at the very end, in `toEntities`.
 */
export type Mark =
  | { readonly type: "bold" | "italic" | "strikethrough" | "code" | "blockquote" }
  | { readonly type: "pre"; readonly language?: string }
  | { readonly type: "text_link"; readonly url: string };

export interface Span {
  readonly text: string;
  readonly marks: readonly Mark[];
}
/** https://core.telegram.org/bots/api#messageentity; offset and length in UTF-16 units. */
export type Entity = Mark & { readonly offset: number; readonly length: number };

export const plain = (text: string): Span => ({ text, marks: [] });
export const bold = (text: string): Span => ({ text, marks: [{ type: "bold" }] });
export const italic = (text: string): Span => ({ text, marks: [{ type: "italic" }] });

export const textOf = (spans: readonly Span[]): string => spans.map((span) => span.text).join("");

export const hasMark = (span: Span, type: Mark["type"]): boolean => span.marks.some((mark) => mark.type === type);

/**
 * Adds a mark to spans that may carry it. Telegram: code and pre hold nothing but may stand in a quote; a quote holds
 * no second quote; a link holds no link.
 */
export function marked(spans: readonly Span[], mark: Mark): Span[] {
  return spans.map((span) => (mayCarry(span, mark) ? { ...span, marks: [mark, ...span.marks] } : span));
}

function mayCarry(span: Span, mark: Mark): boolean {
  if (hasMark(span, mark.type)) return false;
  return mark.type === "blockquote" || !(hasMark(span, "code") || hasMark(span, "pre"));
}

/** The part of the spans from `start` to `end`, in UTF-16 units. */
export function slice(spans: readonly Span[], start: number, end = Infinity): Span[] {
  const kept: Span[] = [];
  let at = 0;
  for (const span of spans) {
    if (at >= end) break;
    const next = at + span.text.length;
    // A long answer is cut some hundred times: what is not cut itself is not copied.
    if (next > start && at >= start && next <= end) kept.push(span);
    else if (next > start) kept.push({ ...span, text: span.text.slice(Math.max(0, start - at), end - at) });
    at = next;
  }
  return kept.filter((span) => span.text !== "");
}

/** Spans joined with one separator between each two. */
export function joined(groups: readonly (readonly Span[])[], separator: string): Span[] {
  return groups.flatMap((group, index) => (index === 0 ? [...group] : [plain(separator), ...group]));
}

const keyOf = (mark: Mark): string => JSON.stringify(mark);

/** Neighbours with the same mark share one entity. Sorted by offset, the outer one first. */
export function toEntities(spans: readonly Span[]): Entity[] {
  const entities: Entity[] = [];
  const open = new Map<string, { readonly mark: Mark; readonly offset: number }>();
  let at = 0;
  const close = (kept: ReadonlySet<string>) => {
    for (const [key, { mark, offset }] of open) {
      if (kept.has(key)) continue;
      entities.push({ ...mark, offset, length: at - offset });
      open.delete(key);
    }
  };
  for (const span of spans) {
    if (span.text === "") continue;
    close(new Set(span.marks.map(keyOf)));
    for (const mark of span.marks) if (!open.has(keyOf(mark))) open.set(keyOf(mark), { mark, offset: at });
    at += span.text.length;
  }
  close(new Set());
  return entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
}
