/** Texts cut to a number of UTF-16 units, never inside a surrogate pair: half of one is no text that a provider takes. */

/** At most `max` units from the beginning. */
export function head(text: string, max: number): string {
  return text.slice(0, isInsidePair(text, max) ? max - 1 : max);
}

/** At most `max` units from the end. */
export function tail(text: string, max: number): string {
  const start = Math.max(0, text.length - max);
  return text.slice(isInsidePair(text, start) ? start + 1 : start);
}

function isInsidePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}
