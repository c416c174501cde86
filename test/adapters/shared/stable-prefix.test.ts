import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockSpans, markdownSpans } from "../../../adapters/shared/markdown-spans.ts";
import { textOf } from "../../../adapters/shared/spans.ts";
import { stableBlocks } from "../../../adapters/shared/stable-prefix.ts";
import { documents } from "../../text/documents.ts";
import { dense } from "../../text/visible.ts";

const LONG = process.env["THREADLINE_LONG"] !== undefined;

/** What a reader sees; blank lines may come later. */
const seen = (markdown: string) => dense(textOf(Array.from(blockSpans(stableBlocks(markdown))).flat()));
const whole = (markdown: string) => dense(textOf(markdownSpans(markdown)));

/** The first beginning of the text whose drawing does not stay, or nothing. */
function unstable(markdown: string, ends: Iterable<number>): string | undefined {
  let [before, shown] = ["", ""];
  for (const end of ends) {
    const text = markdown.slice(0, end);
    const next = seen(text);
    if (!next.startsWith(shown))
      return `"${before.slice(-60)}" → "${shown.slice(-60)}", "${text.slice(-60)}" → "${next.slice(-60)}"`;
    [before, shown] = [text, next];
  }
  return whole(markdown).startsWith(shown) ? undefined : `"${before.slice(-60)}" → "${shown.slice(-60)}" at the end`;
}
const everyEnd = (markdown: string) => Array.from({ length: markdown.length + 1 }, (_, end) => end);

describe("the beginning of a text that is being written", () => {
  it.each([
    ["emphasis", "Hello **big *old* world** and ~~no~~ __more__ x"],
    ["emphasis around emphasis", "***both** one* and *a **b** c* y"],
    ["delimiters in a word", "un**frig**ging 2*3*4 snake_case_name x"],
    ["stars that multiply", "2 * 3 * 4 = 24"],
    ["code", "Use `a **b` or ``c ` d`` now"],
    ["a link", "See [the **docs**](https://e.example/a?b=c) now"],
    ["a link with a title", 'See [docs](https://e.example "A title") now'],
    ["a citation", "As [citation:Report](https://e.example/r) says"],
    ["a label that names another host", "See [bank.example](https://evil.example) now"],
    ["a picture", "See this: ![a cat](https://e.example/cat.png) there"],
    ["brackets that are no link", "An [aside] and a [ ] box."],
    ["an address", "<https://e.example/x> and https://e.example/y?z=1 end"],
    ["an entity", "Fish &amp; chips &#38; AT&T &copy"],
    ["an escape", "1 \\* 2 \\\\ 3 \\_x\\_"],
    ["math", "So $a*b*c$ and \\(x_1 * y_1\\) and $$(a)*(b)$$ but $5 for **one** and $6."],
    ["a block of math", "$$\n(a)*(b)*(c)\n$$\n\nand\n\n\\[\n*x* y\n\\]\n\nend"],
    ["a numbered list", "1. a\n2. b\n10. c\n\nend"],
    ["a list in a list", "- a\n  - **b**\n  - c\n- d\n\nend"],
    ["a list of tasks", "- [ ] a\n- [x] b\n- [c](https://e.example)\n\nend"],
    ["a rule", "a\n\n---\n\nb\n\n***\n\n**c**"],
    ["a heading by an underline", "Title\n=====\n\nMore\n---\n\nend"],
    ["headings", "# A\n\n## B `c` #\n\n#hashtag"],
    ["a fence", "Look:\n\n```ts\nconst a = `b` * 2;\n\nif (a || b) c();\n```\n\nend"],
    ["a fence in a list", "- x\n\n  ```js\n  a | b\n  ```\n- y\n\nend"],
    ["a fence of tildes", "~~~\na\n~~\n~~~\n~~b~~"],
    ["a table", "Rates:\n\n| a | b |\n|---|:-:|\n| 1 | **2** |\n| a long one | [x](https://e.example) |\n\nend"],
    ["a table without bars at the ends", "a | b\n--|--\n1 | 2\n\nend"],
    ["a bar in a sentence", "either a | b\nor c"],
    ["a quote", "> **a**\n> - b\n>\n> c\n\nend"],
    ["a definition", "[a]: https://e.example/1\n\nSee [a] and [b][a]."],
    ["Chinese emphasis", "**注意：**重要です。これは**「強調」**です。"],
    ["brackets that begin a line", "```toml\nname = 1\n[dependencies]\n```\n\n[ -f a ] and\n[a for a in b]"],
    ["a table before a bracket", "| a | b |\n|---|---|\n| c | d |\n\n- [label] x"],
    ["emoji", "ok 👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 नमस्ते é done"],
  ])("keeps what it has shown: %s", (_what, markdown) => {
    expect(unstable(markdown, everyEnd(markdown))).toBeUndefined();
  });

  it.each([
    ["Hello **wor", "Hello"],
    ["See [the docs](https://e.ex", "See"],
    ["1. a\n2", "1. a"],
    ["1. a\n2.", "1. a"],
    ["text\n\n| a | b |\n|--", "text"],
    ["text\n\n```py", "text"],
    ["Fish &am", "Fish"],
    ["ok 👨‍👩", "ok"],
    ["A whole sentence.", "A whole sentence."],
    ["漢字。", "漢字。"],
    ["```py\nprint(1)\npri", "print(1)\npri"],
  ])("holds back what is open: %j is shown as %j", (markdown, shown) => {
    expect(textOf(Array.from(blockSpans(stableBlocks(markdown))).flat()).trimEnd()).toBe(shown);
  });

  /** Definitions come at its end, which nobody can know. */
  const defined = documents
    .map(({ markdown }) =>
      markdown
        .replaceAll("[ref]: https://e.example/ref", "")
        .replaceAll("][ref]", "](https://e.example/ref)")
        .trimEnd(),
    )
    .filter((markdown) => !markdown.includes("[^"));

  it(
    `keeps what it has shown, whatever is written (${LONG ? "1,000" : "100"} generated documents)`,
    () => {
      const cut = fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 10 });
      fc.assert(
        fc.property(defined, cut, fc.nat(), (markdown, places, around) => {
          const ends = places.map((place) => Math.floor((place / 10_000) * markdown.length));
          const near = Array.from({ length: 12 }, (_, at) =>
            Math.min(markdown.length, (around % (markdown.length + 1)) + at),
          );
          const sorted = [...ends, ...near, markdown.length].toSorted((a, b) => a - b);
          expect(unstable(markdown, sorted)).toBeUndefined();
        }),
        { numRuns: LONG ? 1000 : 100, endOnFailure: !LONG },
      );
    },
    LONG ? 600_000 : 60_000,
  );
});

it("looks at each sign of a line once, however many brackets it has", () => {
  expect(stableBlocks(`${"[ ".repeat(4000)}a`)).toEqual([]);
}, 5000);
