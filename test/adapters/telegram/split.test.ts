import fc from "fast-check";
import { expect, test } from "vitest";
import { bold, plain, textOf } from "../../../adapters/shared/spans.ts";
import { shorten, split } from "../../../adapters/shared/split.ts";
import type { Limit } from "../../../adapters/shared/split.ts";
import { toEntities } from "../../../adapters/telegram/entities.ts";

const units = (max: number): Limit => ({ max, size: (spans) => textOf(spans).length });
const cut = (text: string, max: number) => split([plain(text)], units(max)).map(textOf);

test("a cut prefers a blank line, then a line's end, then a space, and takes only that away", () => {
  expect(cut("first part\n\nsecond\nthird word", 20)).toEqual(["first part\n\nsecond", "third word"]);
  expect(cut("aaaa bbbb\n\ncccc dddd", 14)).toEqual(["aaaa bbbb", "cccc dddd"]);
  expect(cut("aaaa bbbb cccc", 11)).toEqual(["aaaa bbbb", "cccc"]);
  expect(cut("a\n\n    indented", 6)).toEqual(["a\n\n   ", "indent", "ed"]);
});

test("a space that carries a combining mark is no place to cut", () => {
  const text = `${"a".repeat(60)} \u0301${"b".repeat(60)}`;
  const parts = cut(text, 62);
  expect(parts.join("")).toBe(text);
  expect(parts.some((part) => part.startsWith("\u0301"))).toBe(false);
});

test("a mark that is cut goes on in the next message", () => {
  const parts = split([bold("x".repeat(25))], units(10));
  expect(parts.map(toEntities)).toEqual([10, 10, 5].map((length) => [{ type: "bold", offset: 0, length }]));
});

test("a word without end is cut between graphemes and loses nothing", () => {
  const word = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
    .filter((text) => !/[\s\p{Z}\p{C}]/u.test(text));
  const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  const graphemes = (text: string) => [...segmenter.segment(text)].map(({ segment }) => segment);
  fc.assert(
    fc.property(word, fc.integer({ min: 30, max: 50 }), (text, max) => {
      const parts = cut(text, max);
      expect(parts.join("")).toBe(text);
      expect(parts.flatMap(graphemes)).toEqual(graphemes(text));
    }),
    { numRuns: 200 },
  );
});

test("shortening keeps whole characters and says that something is missing", () => {
  expect(shorten("short", 5)).toBe("short");
  expect(shorten("👍👍👍", 5)).toBe("👍👍…");
  expect(shorten("👍👍👍", 4)).toBe("👍…");
});
