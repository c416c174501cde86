import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markdownSpans } from "../../../adapters/shared/markdown-spans.ts";
import { textOf } from "../../../adapters/shared/spans.ts";
import { readPart } from "../../../adapters/slack/part.ts";
import { render } from "../../../adapters/slack/render.ts";
import type { View, ViewOf } from "../../../gateway/contract.ts";
import { executionId } from "../../../subagents/contract.ts";
import { blockViolations, readBlocks } from "../../wire/slack-blocks.ts";
import { textViolations } from "../../wire/slack-rules.ts";
import { buttonLabels, visibleText } from "../../wire/slack-visible-text.ts";

/** Refuses what Slack refuses, and what it would take although it pings or leads astray. */
function parts(view: View) {
  const shown = render(view).map(readPart);
  expect(shown.length).toBeGreaterThan(0);
  return shown.map((part) => {
    const blocks = readBlocks(part.blocks, "message");
    expect([...blockViolations(blocks), ...textViolations(part.text)]).toEqual([]);
    const visible = visibleText({ text: part.text, blocks });
    // Slack: `chat.update` fails above about 4,000 bytes of text.
    expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(4000);
    const besideTables = visibleText({ text: "", blocks: blocks.filter(({ type }) => type !== "table") });
    expect(Buffer.byteLength(besideTables)).toBeLessThanOrEqual(4000);
    return { ...part, visible, labels: buttonLabels(blocks) };
  });
}
const reply = (markdown: string) => parts({ type: "reply", markdown });
const rich = (markdown: string) => reply(markdown)[0]?.blocks[0];
const section = (...elements: unknown[]) => ({ type: "rich_text_section", elements });
const text = (value: string, style?: object) => ({ type: "text", text: value, ...(style && { style }) });
/** The text without blanks: a cut takes one separator away, and nothing else. */
const dense = (value: string) => value.replaceAll(/[\s\p{Z}\p{C}]/gu, "");

describe("rich text", () => {
  test("marks become styles, and whatever they hold stays text", () => {
    expect(rich("a **b *c*** ~~d~~ `e`")).toEqual({
      type: "rich_text",
      elements: [
        section(
          text("a "),
          text("b ", { bold: true }),
          text("c", { bold: true, italic: true }),
          text(" "),
          text("d", { strike: true }),
          text(" "),
          text("e", { code: true }),
        ),
      ],
    });
  });
  test("code in its language, quotes and what stands between are elements of their own, without the line breaks around them", () => {
    expect(rich("one\n\n```ts\nx = 1;\n\ny\n```\n\n> said\n> so\n\ntwo")).toEqual({
      type: "rich_text",
      elements: [
        section(text("one")),
        { type: "rich_text_preformatted", language: "ts", elements: [text("x = 1;\n\ny")] },
        { type: "rich_text_quote", elements: [text("said\nso")] },
        section(text("two")),
      ],
    });
  });
  test("a list is a list, with the nested one inside and its numbers kept", () => {
    const item = (words: string) => section(text(words));
    expect(rich("3. one\n   - two\n   - [x] three\n4. four\n5. five")).toEqual({
      type: "rich_text",
      elements: [
        { type: "rich_text_list", style: "ordered", indent: 0, offset: 2, elements: [item("one")] },
        { type: "rich_text_list", style: "bullet", indent: 1, elements: [item("two"), expect.anything()] },
        { type: "rich_text_list", style: "ordered", indent: 0, offset: 3, elements: [item("four"), item("five")] },
      ],
    });
  });
  test("code in a quote has a border, since a quote holds none", () => {
    expect(rich("> said\n>\n> ```\n> x\n> ```")).toMatchObject({
      elements: [{ type: "rich_text_quote" }, { type: "rich_text_preformatted", border: 1, elements: [text("x")] }],
    });
  });
  test("links lead where they say, and an address that is too long for one is text", () => {
    expect(rich("[docs](https://e.example/a) [https://bank.example](https://evil.example)")).toMatchObject({
      elements: [
        section(
          { type: "link", url: "https://e.example/a", text: "docs" },
          text(" "),
          text("https://bank.example"),
          text(" (https://evil.example/)"),
        ),
      ],
    });
    const long = `https://e.example/${"a".repeat(3100)}`;
    expect(reply(`[docs](${long})`).map(({ visible }) => visible)).toEqual([`docs (${long})`]);
    for (const sign of [">", "-"]) {
      const [only] = reply(`${sign} See [docs](${long}) of it.`)[0]?.blocks ?? [];
      expect(only).toMatchObject({ elements: [{ type: sign === ">" ? "rich_text_quote" : "rich_text_list" }] });
      expect(only?.["elements"]).toHaveLength(1);
    }
  });
  test("MD-04: what looks like a ping or a link of Slack's is text, escaped once in the fallback and nowhere else", () => {
    const [part] = reply("if a < b && c > d: `Map<K>` <!channel> <@U0FAKE1> [x](!here) @here");
    expect(part?.visible).toBe("if a < b && c > d: Map<K> <!channel> <@U0FAKE1> x (!here) @here");
    expect(part?.text).toBe(
      "if a &lt; b &amp;&amp; c &gt; d: Map&lt;K&gt; &lt;!channel&gt; &lt;@U0FAKE1&gt; x (!here) @here",
    );
    expect(JSON.stringify(part?.blocks)).not.toMatch(/"type":"(user|usergroup|broadcast|channel|emoji)"/);
  });
  test("MD-07: a table in a fence passes unchanged", () => {
    const table = "| name | value |\n|:--|--:|\n| a\\|b | 1 |\n| 中文 | 2 |";
    expect(reply(`\`\`\`\n${table}\n\`\`\``).map(({ visible }) => visible)).toEqual([table]);
  });
});

const rows = (count: number, row: (index: number) => string) => Array.from({ length: count }, (_, at) => row(at));
const tableOf = (header: string, lines: readonly string[]) =>
  [header, header.replaceAll(/[^|\s]+/g, "---"), ...lines].join("\n");
const SMALL = tableOf("| name | value |", ["| a | 1 |"]);
const types = (shown: ReturnType<typeof parts>) => shown.map(({ blocks }) => blocks.map(({ type }) => type));

describe("a table", () => {
  test("MD-07: is Slack's own, in its place, each value once; its words are in the fallback too", () => {
    const [part, ...more] = reply("Before.\n\n| name | value |\n|:--|--:|\n| a\\|b | 1 |\n| 中文 | |\n\nAfter.");
    expect(more).toEqual([]);
    const name = (value: string) => ({ type: "rich_text", elements: [section(text(value, { bold: true }))] });
    const raw = (value: string) => ({ type: "raw_text", text: value });
    expect(part?.blocks).toEqual([
      { type: "rich_text", elements: [section(text("Before."))] },
      {
        type: "table",
        rows: [
          [name("name"), name("value")],
          [raw("a|b"), raw("1")],
          [raw("中文"), raw(" ")],
        ],
        column_settings: [{ align: "left" }, { align: "right" }],
      },
      { type: "rich_text", elements: [section(text("After."))] },
    ]);
    for (const word of ["Before.", "name", "a|b", "中文", "After."]) expect(part?.text).toContain(word);
  });
  test("keeps styles and links in its cells; what looks like a ping or a forged link there is text", () => {
    const [part] = reply(
      tableOf("| x |", [
        "| **b** `c` [docs](https://e.example/) |",
        "| <!channel> <@U1> @here [google.com](https://evil.example/) |",
      ]),
    );
    expect(part?.blocks[0]).toMatchObject({
      rows: [
        [{}],
        [
          {
            elements: [
              section(text("b", { bold: true }), text(" "), text("c", { code: true }), text(" "), {
                type: "link",
                url: "https://e.example/",
                text: "docs",
              }),
            ],
          },
        ],
        [{ type: "raw_text", text: "<!channel> <@U1> @here google.com (https://evil.example/)" }],
      ],
    });
  });
  test("without names of columns has no header", () => {
    const [part] = reply("| | |\n|--|--|\n| a | 1 |");
    expect(part?.blocks).toMatchObject([{ type: "table", rows: [[{ text: "a" }, { text: "1" }]] }]);
  });
  test("of 100 rows, of 20 columns, of 10,000 characters is Slack's own; a larger one is text as elsewhere", () => {
    const isOwn = (markdown: string) =>
      reply(markdown).some(({ blocks }) => blocks.some(({ type }) => type === "table"));
    const wide = (columns: number) => tableOf("| x ".repeat(columns) + "|", ["| y ".repeat(columns) + "|"]);
    const heavy = (length: number) =>
      tableOf(
        "| x |",
        rows(10, () => `| ${"w".repeat(length)} |`),
      );
    expect(
      [99, 100].map((count) =>
        isOwn(
          tableOf(
            "| x |",
            rows(count, (at) => `| ${at} |`),
          ),
        ),
      ),
    ).toEqual([true, false]);
    expect([20, 21].map((columns) => isOwn(wide(columns)))).toEqual([true, false]);
    expect([990, 1001].map((length) => isOwn(heavy(length)))).toEqual([true, false]);
    const long = tableOf(
      "| x | y |",
      rows(200, (at) => `| row ${at} | value of ${at} end |`),
    );
    expect(new Set(types(reply(long)).flat())).toEqual(new Set(["rich_text"]));
  });
  test("that is long begins a message of its own where it does not fit below its text", () => {
    const shown = reply(
      `${"word ".repeat(700)}\n\n${tableOf(
        "| x |",
        rows(10, () => `| ${"w".repeat(900)} |`),
      )}\n\nEnd.`,
    );
    expect(types(shown)).toEqual([["rich_text"], ["table", "rich_text"]]);
  });
  test("makes no file of an answer that is few messages without it", () => {
    const shown = reply(`${"word ".repeat(1800)}\n\n${rows(4, (at) => `Table ${at}:\n\n${SMALL}`).join("\n\n")}`);
    expect(shown.length).toBeLessThanOrEqual(5);
    expect(shown.at(-1)?.visible).toContain("Table 3:");
  });
  test("of cells with more styles than words is text", () => {
    const cells = `${"| **a***b*[c](https://e.example/1) ".repeat(20)}|`;
    const shown = reply(tableOf(cells, Array(99).fill(cells)));
    for (const { blocks } of shown) expect(JSON.stringify(blocks).length).toBeLessThan(100_000);
  });
  test("that is the second of a message begins the next one, with what leads to it; the fifth of an answer is text", () => {
    const shown = reply(rows(6, (at) => `## Part ${at}\n\n${SMALL}\n\nSo much for that.`).join("\n\n"));
    expect(types(shown)).toEqual([
      ["rich_text", "table", "rich_text"],
      ["rich_text", "table", "rich_text"],
      ["rich_text", "table", "rich_text"],
      ["rich_text", "table", "rich_text"],
    ]);
    expect(shown.map(({ visible }) => visible.split("\n")[0])).toEqual(["Part 0", "Part 1", "Part 2", "Part 3"]);
    expect(shown[3]?.visible).toMatch(/Part 5\s+name +value\n─/);
    expect(types(reply(`${SMALL}\n\n${SMALL.replaceAll("a", "b")}`))).toEqual([["table"], ["table"]]);
  });
  test("in a quote, in a list, in a note, in the card that is edited and in a question is text", () => {
    const views: View[] = [
      { type: "reply", markdown: SMALL.replaceAll(/^/gm, "> ") },
      { type: "reply", markdown: `- item\n\n${SMALL.replaceAll(/^/gm, "  ")}` },
      { ...progress, preview: SMALL },
      { ...question, context: SMALL },
    ];
    for (const view of views) expect(types(parts(view)).flat()).not.toContain("table");
    const note = reply(`a[^1]\n\n[^1]: Above.\n\n${SMALL.replaceAll(/^/gm, "    ")}\n\n    Below.`);
    expect(note[0]?.visible).toMatch(/Above\.[^]*value[^]*Below\./);
  });
});

describe("splitting", () => {
  test("SPLIT-07: a long question comes whole, every part with a fallback, the buttons once and last", () => {
    const shown = parts({ ...question, question: "word ".repeat(2000) });
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.every((part) => part.text.length > 0)).toBe(true);
    expect(shown.map(({ labels }) => labels.length)).toEqual([...shown.slice(1).map(() => 0), 2]);
    expect(dense(shown.map(({ visible }) => visible).join(""))).toContain("word".repeat(2000));
  });
  test("SPLIT-09: bytes count, so that an edit is never too long; nothing is lost", () => {
    const long = `${"界".repeat(600)} ${"word ".repeat(840)}`;
    const shown = reply(long);
    expect(dense(shown.map(({ visible }) => visible).join(""))).toBe(dense(long));
    expect(shown).toHaveLength(2);
  });
  test("a fence that is cut goes on as a fence", () => {
    const lines = Array.from({ length: 500 }, (_, index) => `x_${index} = ${index}`);
    const shown = reply(`Intro\n\n\`\`\`python\n${lines.join("\n")}\n\`\`\`\n\nDone.`);
    expect(shown.length).toBeGreaterThan(1);
    for (const { blocks } of shown) expect(JSON.stringify(blocks)).toContain("rich_text_preformatted");
    expect(shown.map(({ visible }) => visible).join("\n")).toBe(`Intro\n${lines.join("\n")}\nDone.`);
  });
  test("nothing visible is still a message", () => {
    for (const markdown of ["", "\u200b \n"]) expect(reply(markdown).map(({ visible }) => visible)).toEqual(["…"]);
  });
  test("a text of nothing but what is escaped has a fallback within the limit", () => {
    expect(reply("\\&".repeat(3900))[0]?.text).toMatch(/^(&amp;){499}…$/);
  });

  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 10 }),
    fc.constantFrom(
      "**",
      "_",
      "~~",
      "`",
      "```js\n",
      "\n```\n",
      "> ",
      "\n- ",
      "\n1. ",
      "[a](https://e.example)",
      "\n\n",
      "\n",
    ),
    fc.constantFrom("<!channel> ", "word ".repeat(200), "界".repeat(1500), "<@U1>", "\\"),
  );
  const markdown = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  test("any text at all becomes messages that Slack takes, with everything visible in them once", () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const whole = dense(textOf(markdownSpans(source)));
        expect(
          dense(
            reply(source)
              .map(({ visible }) => visible)
              .join(""),
          ),
        ).toBe(whole || "…");
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

const task = (fields: Partial<ViewOf<"progress">["tasks"][number]> = {}) => ({
  taskId: "t1",
  executionId: executionId("e1"),
  order: 1,
  description: "Look up the rates",
  subagent: "researcher",
  model: "Claude Sonnet",
  state: "running" as const,
  calls: 0,
  steps: 0,
  startedAt: 0,
  ...fields,
});
const progress: ViewOf<"progress"> = {
  type: "progress",
  state: "working",
  tasks: [task(), task({ state: "completed", usage: { input: 1, output: 2, total: 12_345 }, calls: 2, endedAt: 4000 })],
  tokens: 14_000,
  model: "Claude Sonnet",
  startedAt: 0,
  at: 8000,
  stopToken: "stop1",
};

describe("progress", () => {
  test("is one message with a button to stop, which goes with the stop token", () => {
    const [card, ...more] = parts(progress);
    expect(more).toEqual([]);
    expect(card?.visible.split("\n")).toEqual([
      "Working… · 14.0k tokens",
      "⏳ Look up the rates",
      "researcher · Claude Sonnet · collecting… · 8 s",
      "✓ Look up the rates",
      "researcher · Claude Sonnet · 12.3k tokens · 4 s",
      "Claude Sonnet · 8 s",
    ]);
    expect(card?.labels).toEqual(["◼ Stop"]);
    const { stopToken: _, ...ended } = progress;
    expect(parts({ ...ended, state: "done" })[0]?.labels).toEqual([]);
  });
  test("with many long tasks and a long preview it is still one message with its button", () => {
    const tasks = Array.from({ length: 120 }, () => task({ description: "界面 ".repeat(80), model: "M".repeat(300) }));
    const [card, ...more] = parts({ ...progress, tasks, preview: "word ".repeat(2000) });
    expect(more).toEqual([]);
    expect(card?.visible.match(/⏳/g)).toHaveLength(120);
    expect(card?.labels).toEqual(["◼ Stop"]);
  });
});

const options = (count: number, label: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({ token: `t${index}`.padEnd(16, "x"), label: label(index) }));
const question: ViewOf<"question"> = {
  type: "question",
  icon: "🔀",
  question: "Which **region**?",
  options: [
    { token: "a1", label: "North" },
    { token: "a2", label: "South" },
  ],
  asked: "Sam",
};
const actionsOf = (shown: ReturnType<typeof parts>) => shown.at(-1)?.blocks.at(-1);

describe("questions", () => {
  test("each option is a button that carries its token and nothing else", () => {
    const shown = parts(question);
    expect(shown[0]?.visible).toBe("🔀 Which region?\n\nFor Sam");
    expect(actionsOf(shown)).toEqual({
      type: "actions",
      elements: [
        { type: "button", action_id: "a1", value: "a1", text: { type: "plain_text", text: "North", emoji: false } },
        { type: "button", action_id: "a2", value: "a2", text: { type: "plain_text", text: "South", emoji: false } },
      ],
    });
  });
  test("BTN-02: labels above 75 characters are cut and numbered on the buttons, and whole in the text", () => {
    const labels = [1, 2, 3, 4].map((index) => `${"x".repeat(76)} ${"y".repeat(12)}${index}`);
    const [part] = parts({ ...question, options: options(4, (index) => labels[index] ?? "") });
    for (const [index, label] of labels.entries()) expect(part?.visible).toContain(`${index + 1}. ${label}`);
    expect(new Set(part?.labels).size).toBe(4);
    expect(part?.labels.every((label) => label.length <= 75 && label.endsWith("…"))).toBe(true);
  });
  test("25 options are buttons, 26 to 100 a menu: none is lost", () => {
    const shown = (count: number) => parts({ ...question, options: options(count, (index) => `Option ${index + 1}`) });
    const elements = (count: number) => actionsOf(shown(count))?.["elements"];
    expect(elements(25)).toHaveLength(25);
    expect(elements(26)).toMatchObject([{ type: "static_select", placeholder: { text: "Choose…" } }]);
    expect(shown(90).at(-1)?.labels).toHaveLength(90);
    expect(shown(90)[0]?.visible).not.toContain("90.");
  });
  test("100 options of long labels are still taken: shorter in the menu, whole in the text", () => {
    const shown = parts({
      ...question,
      options: options(100, (index) => `${"long label ".repeat(7)}${index}`),
      question: "why ".repeat(900),
    });
    expect(shown.at(-1)?.labels).toHaveLength(100);
    expect(new Set(shown.at(-1)?.labels).size).toBe(100);
    expect(dense(shown.map(({ visible }) => visible).join(""))).toContain(`100.${"longlabel".repeat(7)}99`);
  });
  test("more options than Slack takes in a message stand in the text alone, numbered, and a form keeps its button", () => {
    const long = "word ".repeat(14);
    for (const count of [101, 750, 3000]) {
      const shown = parts({ ...question, options: options(count, (index) => `${long}${index}`) });
      const body = dense(shown.map(({ visible }) => visible).join(""));
      expect(body).toContain(`${count}.${dense(long)}${count - 1}`);
      expect(shown.at(-1)?.labels).toEqual([]);
    }
    const form = { token: "f1", title: "Trip", fields: [] };
    expect(parts({ ...question, options: options(101, String), form }).at(-1)?.labels).toEqual(["Fill in the form"]);
  });
  test("an option without a visible label is a number", () => {
    expect(parts({ ...question, options: options(2, () => " ") })[0]?.labels).toEqual(["1", "2"]);
  });
  test("a form opens by a button", () => {
    const form = {
      token: "f1",
      title: "Trip",
      fields: [{ name: "a", label: "A", required: true, type: "text" as const }],
    };
    const shown = parts({ ...question, options: [], form });
    expect(shown[0]?.labels).toEqual(["Fill in the form"]);
    expect(actionsOf(shown)).toMatchObject({ elements: [{ value: "f1" }] });
  });
  test("a closed question says who answered what, and has no buttons", () => {
    const [part] = parts({ ...question, closed: { type: "answered", answer: "South", by: "Sam" } });
    expect(part?.visible).toContain("✓ South (Sam)");
    expect(part?.labels).toEqual([]);
    expect(parts({ ...question, closed: { type: "given_up", reason: "Stopped by Ana" } })[0]?.visible).toContain(
      "✗ Stopped by Ana",
    );
  });
});

test("a progress message is one, whatever addresses grow in it", () => {
  for (const end of [`[l](https://e.example/${"p".repeat(3100)}`, `https://e.example/x${"漢".repeat(340)}`])
    expect(parts({ ...progress, preview: `${"word ".repeat(400)}${end}) and` })).toHaveLength(1);
});

test("a request is named and quoted, as it was typed", () => {
  const [part] = parts({ type: "request", author: "Ana", text: "*who* is <@U1>?\nnow" });
  expect(part?.blocks).toEqual([
    {
      type: "rich_text",
      elements: [
        section(text("Ana", { bold: true }), text(" asked:")),
        { type: "rich_text_quote", elements: [text("*who* is <@U1>?\nnow")] },
      ],
    },
  ]);
});

test("a reply's footer, a warning's sign, a notice's actions and a file's name", () => {
  expect(parts({ type: "reply", markdown: "Done.", usage: { model: "Claude", tokens: 950 } })[0]?.visible).toBe(
    "Done.\n\nClaude · 950 tokens",
  );
  const actions = [{ token: "old1", label: "Continue the old one" }];
  const [warning] = parts({ type: "notice", markdown: "It failed.", tone: "warning", actions });
  expect(warning).toMatchObject({ visible: "⚠️ It failed.", labels: ["Continue the old one"] });
  const [file] = parts({ type: "file", path: "/x/y", name: "a.csv", mime: "text/csv", sizeBytes: 3 });
  expect(file).toMatchObject({ visible: "📎 a.csv", file: { name: "a.csv", sizeBytes: 3 } });
});
