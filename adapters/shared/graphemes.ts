/** Where a text may be cut without tearing what a reader takes for one character. */

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
/** A grapheme longer than this is noise and may be cut between two characters. */
const LONGEST_GRAPHEME = 64;
/** The segmenter copies its text: it gets no more than it has to see. */
const WINDOW = 1024;

/**
 * Boundaries from just before `at` onwards, in order: all of them within some hundred units, and none before `from`,
 * which has to be one. Neither `from` nor a place inside a surrogate pair is among them.
 */
export function* boundariesNear(text: string, from: number, at: number): Generator<number> {
  const start = whole(text, Math.max(from, at - LONGEST_GRAPHEME));
  for (const { segment, index } of segmenter.segment(text.slice(start, start + LONGEST_GRAPHEME + WINDOW))) {
    const begin = start + index;
    // What the window begins with may have begun earlier.
    if (begin > Math.max(start, from)) yield begin;
    if (segment.length <= LONGEST_GRAPHEME) continue;
    for (let inside = begin + LONGEST_GRAPHEME; inside < begin + segment.length; inside += 1)
      if (!isLowSurrogate(text, inside)) yield inside;
  }
}

/** The last place at or before `room` where a cut tears nothing. */
export function boundaryBefore(text: string, room: number): number {
  let last = 0;
  for (const boundary of boundariesNear(text, 0, room)) {
    if (boundary > room) break;
    last = boundary;
  }
  return last > 0 ? last : isLowSurrogate(text, room) ? room - 1 : room;
}

export const afterCharacter = (text: string, at: number): number => at + (isLowSurrogate(text, at + 1) ? 2 : 1);

/** The place itself, or the one behind the pair that it is in. */
export const whole = (text: string, at: number): number => (isLowSurrogate(text, at) ? at + 1 : at);

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Shortens to `max` units with `…`, between graphemes. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, boundaryBefore(text, max - 1)).trimEnd()}…`;
}

/** What no combining mark is likely to follow. */
const PLAIN = /^[\p{ASCII}\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\u2010-\u2027]$/u;

/** Where the last character of a growing text begins, if more of it may come; else the end. */
export function plainEnd(text: string): number {
  const end = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
  const start = whole(text, Math.max(0, end - 2 * LONGEST_GRAPHEME));
  const last = Array.from(segmenter.segment(text.slice(start, end))).at(-1);
  if (!last || PLAIN.test(last.segment)) return end;
  // Marks that combine with what has been shown already come when they are complete.
  return start + last.index + (PLAIN.test(last.segment.charAt(0)) ? 1 : 0);
}
