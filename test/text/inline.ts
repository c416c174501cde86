/** What stands in a line: styles, links, images, math, and what looks like a ping. */
import fc from "fast-check";
import { latin, piece, short, together, words } from "./piece.ts";
import type { Piece } from "./piece.ts";

export const around = (open: string, inside: fc.Arbitrary<Piece>, close = open) =>
  inside.map((one) => ({ ...one, markdown: open + one.markdown + close }));

const address = fc.integer({ min: 1, max: 300 }).map((length) => `https://e.example/${"p".repeat(length)}`);
/** Longer than a message of Discord, or than Slack's links. No one of them is the beginning of another. */
const longAddress = fc
  .tuple(fc.constantFrom(2000, 3000), fc.integer({ min: 1, max: 300 }))
  .map(([least, more]) => `https://long.example/${"p".repeat(least + more)}/`);
const link = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(short, address).map(([label, url]) => piece(`[${label.markdown}](${url})`, label.words)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(short, address)
      .map(([label, url]) => piece(`[citation:${label.markdown}](${url})`, label.words)),
  },
  { weight: 3, arbitrary: short.map((label) => piece(`[${label.markdown}][ref]`, label.words)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(short, latin)
      .map(([label, code]) => piece(`[${label.markdown}](javascript:${code})`, [...label.words, `javascript:${code}`])),
  },
  fc
    .tuple(short, longAddress)
    .map(([label, url]) => piece(`[${label.markdown}](${url})`, label.words, { addresses: [url] })),
  longAddress.map((url) => url.replace("long", "bare")).map((url) => piece(`<${url}>`, [url])),
);
const image = fc.oneof(
  fc.tuple(short, address).map(([alt, url]) => piece(`![${alt.markdown}](${url})`, alt.words)),
  address.map((url) => piece(`![](${url})`, ["image"])),
  short.map((alt) => piece(`![${alt.markdown}][ref]`, alt.words)),
  // Nothing can be both: where the outer one leads stands beside it.
  fc
    .tuple(short, address, address)
    .map(([alt, url, outer]) => piece(`[![${alt.markdown}](${url})](${outer})`, [...alt.words, outer])),
);

/** Shown as it is written, although much of it would be markdown elsewhere. */
const TERMS = ["x_1", "a*b*c", "\\frac{a}{b}", "\\{1,2\\}", "f(x)<y>", "**k**", "~~n~~"];
export const formula = fc
  .array(fc.oneof(latin, fc.constantFrom(...TERMS)), { minLength: 1, maxLength: 5 })
  .map((terms) => terms.join(" "));
export const math = fc
  .tuple(formula, fc.constantFrom(["$", "$"], ["$$", "$$"], ["\\(", "\\)"], ["\\[", "\\]"]))
  .map(([body, [open, close]]) => piece(`${open}${body}${close}`));

/** A name that is a ping only when what is styled and what is not is read together. */
const ping = fc
  .tuple(latin, fc.constantFrom("**", "*", "~~"))
  .map(([name, mark]) => piece(`@${mark}some${name}${mark}`, [`@some${name}`]));

const inline: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: words },
  around("**", words),
  around("*", words),
  around("~~", words),
  around("**", around("*", short)),
  around("`", short),
  link,
  image,
  math,
  ping,
);
/** Begins with a word, as what begins with a sign may be a block of another kind. */
export const line = fc
  .tuple(latin, fc.array(inline, { minLength: 1, maxLength: 3 }))
  .map(([first, pieces]) => together([piece(first), ...pieces], " "));
/** In a cell of a table, where some platforms have no links: where it leads stands beside it there. */
export const linkInCell = fc
  .tuple(short, fc.constantFrom("", "!"), fc.integer({ min: 1, max: 60 }))
  .map(([label, sign, length]) => ({ label, sign, url: `https://cell.example/${"p".repeat(length)}/` }))
  .map(({ label, sign, url }) => piece(`${sign}[${label.markdown}](${url})`, label.words, { addresses: [url] }));
