/** Cuts styled text into messages that a platform accepts. */
import { slice, textOf } from "./spans.ts";
import type { Span } from "./spans.ts";

/** What fits into one message, as the platform counts it. */
export interface Limit {
  readonly max: number;
  /** Of the spans as they are sent: at least one for each UTF-16 unit of their text; more text is never smaller. */
  readonly size: (spans: readonly Span[]) => number;
}

/**
 * Each group fits one message; joined they are the whole text but for the one separator at each cut. Cuts at a blank
 * line, else at a line's end, else at a space, else between two graphemes. Groups without anything visible are left
 * out, so the result may be empty.
 */
export function split(spans: readonly Span[], limit: Limit): Span[][] {
  const groups: Span[][] = [];
  let rest: Span[] = slice(spans, 0);
  while (rest.length > 0) {
    // Only what can be in this message is looked at, and as much beyond as a cut needs to see.
    const near = slice(rest, 0, limit.max + LONGEST_GRAPHEME);
    const text = textOf(near);
    const room = fitting(near, text.length, limit);
    const cut = room >= text.length ? { end: room, next: room } : cutAt(text, room);
    groups.push(slice(rest, 0, cut.end));
    rest = slice(rest, cut.next);
  }
  return groups.filter((group) => isVisible(textOf(group)));
}

/** Platforms refuse a text of nothing but blanks and invisible characters. */
const isVisible = (text: string): boolean => /[^\p{Z}\p{C}\s]/u.test(text);

/** How many units from the start may be in one message; at least one, so that every text comes to an end. */
function fitting(spans: readonly Span[], length: number, { max, size }: Limit): number {
  if (size(spans) <= max) return length;
  let [fits, tooMany] = [1, Math.min(length, max + 1)];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (size(slice(spans, 0, middle)) <= max) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

interface Cut {
  readonly end: number;
  readonly next: number;
}

/** A separator in the first half would leave a short message: then the next finer one is tried. */
function cutAt(text: string, room: number): Cut {
  const half = Math.floor(room / 2);
  for (const separator of ["\n\n", "\n", " "]) {
    const end = text.lastIndexOf(separator, room);
    const next = end + separator.length;
    if (end > half && isBoundary(text, next)) return { end, next };
  }
  const end = graphemeBoundary(text, room);
  return { end, next: end };
}

/** A mark that combines with the separator would be torn off it. */
const isBoundary = (text: string, at: number): boolean => !/^(?:\p{M}|\u200d|\ufe0f)/u.test(text.slice(at, at + 2));

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** A grapheme longer than this is noise and may be cut between two characters. */
const LONGEST_GRAPHEME = 64;

/** The last place at or before `room` where a cut tears neither a grapheme nor a surrogate pair. */
function graphemeBoundary(text: string, room: number): number {
  const from = Math.max(0, room - LONGEST_GRAPHEME);
  const start = isLowSurrogate(text, from) ? from + 1 : from;
  const window = graphemes.segment(text.slice(start, room + LONGEST_GRAPHEME));
  const boundary = start + (window.containing(room - start)?.index ?? 0);
  if (boundary > start) return boundary;
  return isLowSurrogate(text, room) && room > 1 ? room - 1 : room;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Shortens to `max` units with `…`, between graphemes. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, graphemeBoundary(text, max - 1)).trimEnd()}…`;
}
