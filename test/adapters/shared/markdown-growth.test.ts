import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdownSpans } from "../../../adapters/shared/markdown-spans.ts";
import { richText } from "../../../adapters/web/rich-text.ts";

const LONG = process.env["THREADLINE_LONG"] !== undefined;
const SIZE = LONG ? 64_000 : 4_000;
/** Linear is 4, quadratic 16; the rest is for a machine that does other things at the same time. */
const GROWTH = 9;
/** Below, the clock's grain and the collector of garbage are what is measured. */
const MEASURABLE_MS = 60;

const filled = (unit: string) => (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const counted = (unit: (index: number) => string) => (length: number) => {
  let text = "";
  for (let index = 0; text.length < length; index++) text += unit(index);
  return text;
};

/** What has made parsers, or this program, take quadratic time. */
const SHAPES: Record<string, (length: number) => string> = {
  "nested quotes": (length) => `${"> ".repeat(length / 2)}x`,
  "nested lists": (length) => `${"- ".repeat(length / 2)}x`,
  "lines of nested quotes": filled(`${"> ".repeat(60)}x\n`),
  "lists that go deeper line by line": counted((index) => `${"  ".repeat(index % 60)}- x\n`),
  "quotes and lists in turn": filled("> - > - > - x\n"),
  "lazy lines": filled("> a\nb\n\n"),
  "items of one list": filled("- a\n"),
  "items that stand apart": filled("1. a\n\n"),
  "empty items": filled("-\n"),
  "open brackets": filled("["),
  "closed brackets": (length) => "[".repeat(length / 2) + "]".repeat(length / 2),
  "half links": filled("[a]("),
  "half pictures": filled("!["),
  "half references": filled("[a]["),
  "pictures in links": filled("[![a](https://e.example/1)](https://e.example/2) "),
  "open emphasis": filled("**a"),
  "emphasis in emphasis": (length) => "*a ".repeat(length / 6) + "b* ".repeat(length / 6),
  "short emphasis": filled("_a_ "),
  "crossing emphasis": filled("*a **b ~c "),
  "delimiters in one run": filled("*~_"),
  "emphasis of Chinese words": filled("**注意：**重要"),
  backticks: counted((index) => `${"`".repeat(index + 1)} `),
  "rows of a table": (length) => `| a | b |\n|---|---|\n${filled("| [x](https://e.example/1) | 2 |\n")(length)}`,
  "a wide table of short rows": (length) =>
    `${"|a".repeat(length / 8)}|\n${"|-".repeat(length / 8)}|\n${"|\n".repeat(length / 4)}`,
  "many tables": filled("a|b\n-|-\n"),
  footnotes: counted((index) => `t[^${index}]\n\n[^${index}]: n\n\n`),
  "footnotes in footnotes": filled("[^a]: "),
  "half footnotes": filled("[^"),
  definitions: counted((index) => `[a${index}]: x\n`),
  "half definitions": filled("[a\n"),
  entities: filled("&#1"),
  tags: filled("<a "),
  comments: filled("<!-- "),
  "half addresses in brackets": filled("<https://a"),
  addresses: filled("https://e.example/x "),
  "half addresses": filled("https://"),
  hosts: filled("www."),
  mail: filled("a@"),
  "a label of hosts": (length) => `[${filled("a.example ")(length)}](https://e.example)`,
  "a label that is one long word": (length) => `[${filled("a.")(length)}](https://e.example)`,
  "addresses with brackets that nothing closes": filled("https://a.b/("),
  "math that nothing closes": filled("\\(a $$b $c "),
  "math in a label that is closed behind it": (length) => `[${filled("\\(")(length)}](u) \\)`,
  "lines of math that nothing closes": filled("$$ a\n# h\n"),
  "a long word": filled("a"),
  "a long line": filled("word "),
  blanks: (length) => `a${" ".repeat(length)}b`,
  "empty lines": filled("\n"),
  "hard breaks": filled("a  \n"),
  backslashes: filled("\\"),
};

const DRAWN = { "as styled text": markdownSpans, "as HTML": richText };
type Draw = (text: string) => unknown;

function cpuMs(draw: Draw, text: string): number {
  const before = process.cpuUsage();
  draw(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** How many times longer four times the text takes: the best of some tries, or nothing when that is too short to tell. */
function growth(draw: Draw, text: (length: number) => string, size: number): number {
  let best = Infinity;
  for (let tries = 0; tries < 4 && best > GROWTH; tries++) {
    const whole = cpuMs(draw, text(4 * size));
    if (whole < MEASURABLE_MS) return 0;
    best = Math.min(best, whole / Math.max(1, cpuMs(draw, text(size))));
  }
  return best;
}

describe.each(Object.entries(DRAWN))("the time that markdown takes %s", (_where, draw) => {
  // Not yet compiled code is slow, and would make the shorter text look expensive.
  draw(filled("**a** `b` [c](https://e.example)\n\n- d\n\n| e |\n|-|\n| f |\n\n")(20_000));

  it.each(Object.entries(SHAPES))(
    "grows with its length: %s",
    (_shape, text) => {
      expect(growth(draw, text, SIZE)).toBeLessThan(GROWTH);
    },
    60_000,
  );

  const signs =
    '* _ ~ ` [ ] ( ) ! < > | - + # $ \\ : ^ & ; 1. a 注 。 https:// www. @ " = [^a] [^a]: [a]: ![ ]( ** ``` $$';
  const piece = fc.constantFrom(...signs.split(" "), " ", "  ", "\n", "\n\n", "    ", "|-|-|\n");
  const unit = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));

  it(
    `grows with its length, whatever is repeated in it (${LONG ? "2000" : "10"} generated units)`,
    () => {
      fc.assert(
        fc.property(unit, unit, fc.boolean(), (repeated, behind, nested) => {
          const text = nested
            ? (length: number) => filled(repeated)(length / 2) + filled(behind)(length / 2)
            : filled(repeated);
          expect(growth(draw, text, SIZE / 4)).toBeLessThan(GROWTH);
        }),
        { numRuns: LONG ? 2000 : 10, interruptAfterTimeLimit: LONG ? 300_000 : 5_000 },
      );
    },
    LONG ? 400_000 : 30_000,
  );
});
