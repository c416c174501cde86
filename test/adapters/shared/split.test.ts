import fc from "fast-check";
import { expect, test } from "vitest";
import { markdownSpans, spanBlocks } from "../../../adapters/shared/markdown-spans.ts";
import { bold, plain, textOf } from "../../../adapters/shared/spans.ts";
import type { Span } from "../../../adapters/shared/spans.ts";
import { shorten } from "../../../adapters/shared/graphemes.ts";
import { split } from "../../../adapters/shared/split.ts";
import type { Limit } from "../../../adapters/shared/limit.ts";
import { toEntities } from "../../../adapters/telegram/entities.ts";

const units =
  (max: number): Limit =>
  () => {
    let taken = 0;
    return { take: (_, start, end) => (taken += end - start) <= max };
  };
const cut = (text: string, max: number) => inSpans([plain(text)], max);

test("a cut prefers a blank line, then a line's end, then a space, and takes only that away", () => {
  expect(cut("first\n\nsecond part\nthird word", 20)).toEqual(["first\n\nsecond part", "third word"]);
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

const inSpans = (spans: readonly Span[], max: number) => Array.from(split([spans], units(max)), textOf);

test("a cut prefers the next item to a line within one", () => {
  const items = markdownSpans("Some words.\n\n- one one\n- two\\\n  two\n- three three");
  expect(inSpans(items, 42)).toEqual(["Some words.\n\n• one one\n• two\n   two", "• three three"]);
  expect(inSpans(items, 30)).toEqual(["Some words.\n\n• one one", "• two\n   two\n• three three"]);
});

test("code that is cut loses one line break and nothing else, and keeps its blank lines", () => {
  const code = Array.from({ length: 40 }, (_, index) => `f${index}()  {\n\n}`).join("\n\n\n");
  const pre: Span = { text: code, marks: [{ type: "pre", language: "js" }] };
  const lines = inSpans([pre], 50);
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.join("\n")).toBe(code);
  const long = "a b  c ".repeat(60);
  expect(inSpans([{ ...pre, text: long }], 50).join("")).toBe(long);
});

test("a table that is cut repeats its header, which is never left alone", () => {
  const rows = Array.from({ length: 9 }, (_, index) => `| r${index} | ${index} |`).join("\n");
  const header = "na  v\n──  ─";
  for (let max = 36; max < 60; max += 1) {
    const parts = inSpans(markdownSpans(`Before it.\n\n| na | v |\n|---|---|\n${rows}`), max);
    const tables = parts
      .map((part) => part.slice(Math.max(0, part.indexOf("na "))))
      .filter((part) => part !== "Before it.");
    for (const table of tables) expect(table).toMatch(/^na {2}v\n── {2}─\nr\d/);
    expect(
      tables
        .map((table) => table.slice(header.length + 1))
        .join("\n")
        .split("\n"),
    ).toHaveLength(9);
  }
});

test("a text that comes block by block is cut where it is cut as a whole, also where a message has no limit", () => {
  const table = `| a | b |\n|---|---|\n${"| x | y |\n".repeat(40)}`;
  const chapter = `## Words\n\nSome **bold** ones, ${"and more of them, ".repeat(30)}\n\n- one\n- two\n\n${table}\n`;
  for (const max of [700, 4096, Infinity]) {
    const blocks = Array.from(spanBlocks(chapter.repeat(300)));
    const whole = Array.from(split([blocks.flat()], units(max)), textOf);
    expect(Array.from(split(blocks, units(max)), textOf)).toEqual(whole);
    expect(whole.length > 50).toBe(max !== Infinity);
  }
});

test("a mark that is cut goes on in the next message", () => {
  const parts = split([[bold("x".repeat(25))]], units(10));
  expect(Array.from(parts, toEntities)).toEqual([10, 10, 5].map((length) => [{ type: "bold", offset: 0, length }]));
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
