/** Does a reader see each word of a document once, in order, and nothing else? */
import type { Piece } from "./piece.ts";

/** What stands around words: bullets, numbers, boxes, rules, brackets around an address, names of columns. */
const DECORATION = /[•☑☐─—():.…\d\u24b6-\u24cf]*/uy;
/** Blanks and what shows nothing do not count: a cut takes a separator away. */
export const dense = (text: string): string => text.replaceAll(/[\s\p{Z}\p{C}]/gu, "");

/** The first thing that is wrong, or nothing. */
export function misread({ words, columns, addresses }: Piece, shown: string, readable = dense): string | undefined {
  const text = addresses.map(readable).reduce((rest, address) => rest.replaceAll(address, ""), readable(shown));
  let at = afterDecoration(text, 0);
  for (const word of words.map(readable).map((one) => one.slice(afterDecoration(one, 0)))) {
    if (!text.startsWith(word, at))
      return `expected "${word.slice(0, 40)}" and found "${text.slice(at, at + 40)}" after "${text.slice(Math.max(0, at - 40), at)}"`;
    at = afterDecoration(text, at + word.length);
  }
  if (at < text.length) return `nothing expected, and found "${text.slice(at, at + 40)}"`;
  const lost = columns.find((name) => !text.includes(name));
  return lost === undefined ? undefined : `the column "${lost}" is not named`;
}

function afterDecoration(text: string, at: number): number {
  DECORATION.lastIndex = at;
  return at + (DECORATION.exec(text)?.[0].length ?? 0);
}

/** The first long address that is neither shown nor linked to, or nothing. */
export function lostAddress({ addresses }: Piece, shown: string, links: readonly string[]): string | undefined {
  return addresses.find((address) => !links.includes(address) && !shown.includes(address));
}
