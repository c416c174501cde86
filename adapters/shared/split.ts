/** Cuts styled text into messages that a platform accepts. */
import { afterCharacter, boundariesNear, whole } from "./graphemes.ts";
import type { Limit, Meter } from "./limit.ts";
import { hasMark } from "./spans.ts";
import type { Span, Text } from "./spans.ts";

/**
 * Each group fits one message; joined they are the whole text but for the one separator at each cut, and for the header
 * of a table, which its next message repeats. Cuts between blocks, else between list items or rows, else at a line's
 * end, else at a space, else between two graphemes; code is cut at a single line break or takes no loss. Groups without
 * anything visible are left out, so the result may be empty.
 *
 * One pass: a message that is full is begun again at a place in its second half, so that each unit is looked at a few
 * times, however long the text is.
 */
export function* split(text: Text, limit: Limit): Generator<Span[]> {
  let waiting: Span[] = [];
  let [length, enough] = [0, BATCH];
  for (const block of text) {
    for (const span of block) waiting.push(span);
    length += lengthOf(block);
    if (length < enough) continue;
    const groups = cutUp(waiting, limit);
    // The last one has room for more.
    waiting = groups.pop() ?? [];
    yield* groups;
    length = lengthOf(waiting);
    enough = 2 * length + BATCH;
  }
  yield* cutUp(waiting, limit);
}

/** Units of text that are cut in one go: many messages, and few enough to be gone from memory soon. */
const BATCH = 65_536;

const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + text.length, 0);

function cutUp(spans: readonly Span[], limit: Limit): Span[][] {
  const source = sourceOf(spans);
  const groups: Span[][] = [];
  for (let from = 0; from < source.text.length;) {
    const cut = fill(source, from, limit);
    const group = between(source, from, cut.end);
    if (isVisible(source.text.slice(from, cut.end))) groups.push(group);
    from = cut.next;
  }
  return groups;
}

/** Platforms refuse a text of nothing but blanks and invisible characters. */
export const isVisible = (text: string): boolean => /[^\p{Z}\p{C}\s]/u.test(text);

interface Source {
  readonly spans: readonly Span[];
  readonly text: string;
  /** Where each span begins in the text. */
  readonly starts: readonly number[];
}

function sourceOf(all: readonly Span[]): Source {
  const spans = all.filter((span) => span.text !== "");
  const starts: number[] = [];
  let at = 0;
  for (const span of spans) {
    starts.push(at);
    at += span.text.length;
  }
  return { spans, text: spans.map((span) => span.text).join(""), starts };
}

/** A span and where it begins; the last one for the end of the text. */
interface Piece {
  readonly index: number;
  readonly span: Span;
  readonly start: number;
  readonly end: number;
}

function pieceAt({ starts, spans, text }: Source, at: number): Piece {
  let [low, high] = [0, spans.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? Infinity) <= at) low = middle;
    else high = middle;
  }
  return piece({ starts, spans, text }, low);
}

function piece({ starts, spans, text }: Source, index: number): Piece {
  const span = spans[index] ?? { text: "", marks: [] };
  return { index, span, start: starts[index] ?? text.length, end: starts[index + 1] ?? text.length };
}

function between(source: Source, from: number, end: number): Span[] {
  const found: Span[] = [];
  for (let one = pieceAt(source, from); one.start < end; one = piece(source, one.index + 1)) {
    const text = one.span.text.slice(Math.max(0, from - one.start), end - one.start);
    const header = found.length === 0 ? repeated(one, from) : "";
    found.push(text === one.span.text ? one.span : { ...one.span, text: header + text });
  }
  return found;
}

/** What a message that begins inside a table has to begin with. */
const repeated = ({ span, start }: Piece, from: number): string =>
  span.header !== undefined && from > start ? `${span.header}\n` : "";

interface Cut {
  readonly end: number;
  readonly next: number;
}

/** More than any word; a word without end is looked at piece by piece. At least as long as any link in a text. */
const LONGEST_STEP = 1024;

/** How far one message goes that begins at `from`. */
function fill(source: Source, from: number, limit: Limit): Cut {
  const { text } = source;
  const best = new Map<Strength, Cut>();
  const meter = limit();
  let one = pieceAt(source, from);
  begin(meter, one, from);
  for (let at = from; at < text.length;) {
    if (at >= one.end) one = piece(source, one.index + 1);
    const found = at > from ? cutAt(source, one, at) : undefined;
    if (found) best.set(found.strength, found);
    const end = stepEnd(text, at, one.end);
    if (!meter.take(one.span, at - one.start, end - one.start))
      return bestCut(best, from, at) ?? cutInside(source, { from, at, end }, limit);
    at = end;
  }
  return { end: text.length, next: text.length };
}

function begin(meter: Meter, one: Piece, from: number): void {
  const header = repeated(one, from);
  if (header !== "") meter.take({ text: header, marks: one.span.marks }, 0, header.length);
}

/** A separator and the word behind it, of one span. */
function stepEnd(text: string, at: number, spanEnd: number): number {
  const last = Math.min(spanEnd, whole(text, at + LONGEST_STEP));
  let end = at + 1;
  while (end < last && !isSeparator(text.charCodeAt(end))) end += 1;
  return end;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
const isSeparator = (unit: number): boolean => unit === NEWLINE || unit === SPACE;

/** From the best place to cut to the worst. */
const STRENGTHS = ["block", "item", "inner", "line", "word"] as const;
type Strength = (typeof STRENGTHS)[number];

/** What separates at `at` and how well. */
function cutAt(source: Source, one: Piece, at: number): (Cut & { readonly strength: Strength }) | undefined {
  const { text } = source;
  const unit = text.charCodeAt(at);
  if (!isSeparator(unit)) return undefined;
  if (hasMark(one.span, "pre")) return cutInCode(one, at, unit);
  const isBlank = unit === NEWLINE && text.charCodeAt(at + 1) === NEWLINE;
  const next = at + (isBlank ? 2 : 1);
  if (isTorn(text, next)) return undefined;
  if (unit === SPACE) return { end: at, next, strength: "word" };
  return { end: at, next, strength: strengthAt(source, one, next, isBlank) };
}

/** Nothing is taken away but one line break; a table's header stays with its first row. */
function cutInCode(
  { span, start }: Piece,
  at: number,
  unit: number,
): (Cut & { readonly strength: Strength }) | undefined {
  if (span.header !== undefined && at - start <= span.header.length) return undefined;
  return unit === NEWLINE ? { end: at, next: at + 1, strength: "line" } : { end: at, next: at, strength: "word" };
}

function strengthAt(source: Source, from: Piece, next: number, isBlank: boolean): Strength {
  let one = from;
  // What begins a line is behind the blanks that indent it.
  while (one.index < source.spans.length && source.text.slice(Math.max(next, one.start), one.end).trim() === "")
    one = piece(source, one.index + 1);
  const { starts, item } = one.span;
  if (starts && one.start >= next) return (item?.depth ?? 0) === 0 ? "item" : "inner";
  return isBlank ? (item ? "inner" : "block") : "line";
}

/** A mark that combines with the separator would be torn off it. */
const isTorn = (text: string, at: number): boolean =>
  text.charCodeAt(at) >= 0x300 && /^(?:\p{M}|\u200d|\ufe0f)/u.test(text.slice(at, at + 2));

/** A separator in the first half would leave a short message: then the next finer one is tried. */
function bestCut(best: ReadonlyMap<Strength, Cut>, from: number, full: number): Cut | undefined {
  const half = (from + full) / 2;
  return STRENGTHS.map((strength) => best.get(strength)).find((cut) => cut !== undefined && cut.end > half);
}

/** In the word from `at` to `end`, which does not fit: between the last two graphemes that leave it small enough. */
function cutInside(
  source: Source,
  { from, at, end }: { readonly from: number; readonly at: number; readonly end: number },
  limit: Limit,
): Cut {
  const meter = limit();
  let one = pieceAt(source, from);
  begin(meter, one, from);
  for (; one.end <= at; one = piece(source, one.index + 1))
    meter.take(one.span, Math.max(0, from - one.start), one.end - one.start);
  let taken = Math.max(from, one.start);
  // At least one character, so that every text comes to an end.
  let cut = at > from ? at : afterCharacter(source.text, from);
  for (const boundary of boundariesNear(source.text, from, at)) {
    if (boundary >= end || !meter.take(one.span, taken - one.start, Math.max(taken, boundary) - one.start)) break;
    taken = Math.max(taken, boundary);
    cut = boundary;
  }
  return { end: cut, next: cut };
}
