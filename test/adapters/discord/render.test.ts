import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withoutLongLinks } from "../../../adapters/discord/discord-markdown.ts";
import { readPart } from "../../../adapters/discord/part.ts";
import { render } from "../../../adapters/discord/render.ts";
import { markdownSpans } from "../../../adapters/shared/markdown-spans.ts";
import { textOf } from "../../../adapters/shared/spans.ts";
import type { View, ViewOf } from "../../../gateway/contract.ts";
import { executionId } from "../../../subagents/contract.ts";
import { pressables } from "../../wire/discord-components.ts";
import { contentAfter, messageBody, misdeeds } from "../../wire/discord-content.ts";
import { compileSchemas } from "../../wire/discord-schemas.ts";
import { readAs } from "../../wire/discord-site.ts";
import { visibleText } from "../../wire/discord-visible-text.ts";

compileSchemas();

const parts = (view: View) => render(view).map(readPart);
const reply = (markdown: string) => parts({ type: "reply", markdown });

/** Refuses what Discord refuses, and what no good client sends. */
function expectAcceptable(shown: ReturnType<typeof parts>): void {
  expect(shown.length).toBeGreaterThan(0);
  for (const { content, components = [] } of shown) {
    const violations: string[] = [];
    const json = { content, components, allowed_mentions: { parse: [] } };
    const body = messageBody(readAs("message", json, (what) => void violations.push(what)));
    const after = contentAfter(undefined, body, []);
    expect(content.length).toBeGreaterThan(0);
    expect(content.length).toBeLessThanOrEqual(2000);
    expect([...violations, ...misdeeds(body, after, [])]).toEqual([]);
  }
}
const seen = (shown: ReturnType<typeof parts>): string[] =>
  shown.map(({ content }) => visibleText({ content, embeds: [], components: [] }));
/** The text without blanks and without what shows nothing: a cut takes one separator away, and nothing else. */
const dense = (text: string) => text.replaceAll(/[\s\p{Z}\p{C}]/gu, "");

describe("what is written is what is seen", () => {
  test.each([
    ["plain", "**bold** *italic* ~~gone~~ `code`", "**bold** *italic* ~~gone~~ `code`"],
    ["nested", "**bold _both_** _a **b**_", "**bold *both*** *a* ***b***"],
    ["side by side", "**a**_b_", "**a**\u200b*b*"],
    ["a heading", "# Title\n\ntext", "**Title**\n\ntext"],
    ["a list", "- one\n- two\n\n1. three", "• one\n• two\n\n1\\. three"],
    ["a quote", "> one\n> two\n\nthree", "> one\n> two\n\nthree"],
    ["code in a quote", "> ```js\n> x\n> ```", "> ```js\n> x\n> ```"],
    ["a fence", "```ts\nconst a = 1;\n```\nafter", "```ts\nconst a = 1;\n```\n\nafter"],
    ["ticks in code", "`` a`b ``", "`` a`b ``"],
    ["a fence in a fence", "````md\n```js\n````", "```md\n`\u200b``js\n```"],
    ["a link", "[docs](https://e.example/a_b)", "[docs](<https://e.example/a_b>)"],
    ["a bare address", "see https://e.example/a_b_c.", "see <https://e.example/a_b_c>."],
    ["brackets in a label", "[a \\[1\\]](https://e.example/)", String.raw`a \[1] (<https://e.example/>)`],
    ["parentheses in an address", "[w](https://e.example/X_(y))", "[w](<https://e.example/X_%28y%29>)"],
  ])("%s", (_, markdown, content) => {
    const shown = reply(markdown);
    expectAcceptable(shown);
    expect(shown.map((part) => part.content)).toEqual([content]);
  });
  test.each([
    ["a spoiler", "||secret||"],
    ["a mention of a person, a role, a channel", "<@1100000000000000001> <@!1> <@&5> <#7> <id:home>"],
    ["a mention of everybody", "@everyone @here"],
    ["a moment", "<t:1700000000:R>"],
    ["an emoji", "<:party:123> <a:wave:4> :tada:"],
    ["a command", "</ask:123>"],
    ["a heading, small print", "\\# no heading\n\n\\-# no small print"],
    ["a masked link", "\\[bank](https://evil.example)"],
    ["marks that are none", "2*3*4, snake_case_name, a~~b, \\*\\*x\\*\\*, \\`y\\`"],
    ["a list that is none", "1986\\. A great year\n\n\\- minus"],
    ["backslashes", "C:\\dir\\*x ¯\\\\_(ツ)_/¯"],
  ])("MD-05: %s from the model is text and nothing else", (_, markdown) => {
    const shown = reply(markdown);
    expectAcceptable(shown);
    const [content = ""] = shown.map((part) => part.content);
    expect(seen(shown)).toEqual([textOf(markdownSpans(markdown))]);
    const live = content.replaceAll(/\\[!-/:-@[-`{-~]/g, "x").replaceAll(/<https?:[^>]+>/g, "");
    expect(live).not.toMatch(/<[@#:/ati]|\|\||@everyone|@here|^\s*(?:#|-#|-|>)|\[[^\]]*\]\(|:\w+:/m);
  });
  test("MD-05: a link whose label names another address shows both", () => {
    const shown = reply("[https://bank.example](https://evil.example/x)");
    expectAcceptable(shown);
    expect(shown[0]?.content).toBe("<https://bank.example> (<https://evil.example/x>)");
  });
});

describe("splitting", () => {
  test("SPLIT-06: prose, a long fence, a word without end and a CJK tail arrive whole, in messages of at most 2000", () => {
    const prose = "word ".repeat(180).trim();
    const lines = Array.from({ length: 90 }, (_, index) => `const x${index} = ${index};`.padEnd(19, "/"));
    const token = "t".repeat(2300);
    const shown = reply(`${prose}\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n\n${token}\n\n${"漢字".repeat(150)}`);
    expectAcceptable(shown);
    for (const { content } of shown)
      expect(content.match(/```/g)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
    for (const { content } of shown.filter((part) => part.content.includes("const")))
      expect(content).toMatch(/(^|\n)```ts\n/);
    expect(dense(seen(shown).join(""))).toBe(dense(prose + lines.join("") + token + "漢字".repeat(150)));
  });
  test("MD-07: a table stays readable and is cut between its rows; one in a fence passes as it is", () => {
    const rows = Array.from({ length: 300 }, (_, index) => `| r${index} | value ${index} |`);
    const shown = reply(`| name | value |\n|---|---|\n${rows.join("\n")}`);
    expectAcceptable(shown);
    expect(shown.length).toBeGreaterThan(1);
    const lines = seen(shown)
      .flatMap((text) => text.split("\n"))
      .filter((line) => line.startsWith("r"));
    expect(lines).toEqual(rows.map((_, index) => expect.stringMatching(new RegExp(`^r${index} +value ${index}$`))));
    const small = "| a | b\\|c |\n|---|---|\n| 中文 | 2 |";
    expect(seen(reply(small))[0]).toMatch(/^a +b\|c\n─+ +─+\n中文 +2$/);
    expect(seen(reply(`\`\`\`\n${small}\n\`\`\``))).toEqual([small]);
  });
  test("an address too long for any message is cut as text, and nothing of it is lost", () => {
    const url = `https://e.example/${"a".repeat(3000)}`;
    const shown = reply(`[label](${url})`);
    expectAcceptable(shown);
    expect(dense(seen(shown).join(""))).toBe(`label(${url})`);
  });
  test("an empty reply is still a message", () => {
    expect(reply("").map(({ content }) => content)).toEqual(["…"]);
    expect(reply("\u200b \n").map(({ content }) => content)).toEqual(["…"]);
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
      "\n# ",
      "\n\n",
      "\n",
      "||",
      "\\",
    ),
    fc.constantFrom(
      "[a](https://e.example)",
      "https://e.example/a_(b)_c",
      "<@1>",
      "@everyone ",
      ":tada:",
      "<t:1:R>",
      "-# ",
    ),
    fc.constantFrom("| a | b |\n|---|---|\n| c | d |\n", "word ".repeat(200), "x".repeat(3000), "*".repeat(30), "<b>"),
  );
  const markdown = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  test("any text at all becomes messages that Discord takes", () => {
    fc.assert(
      fc.property(markdown, (text) => expectAcceptable(reply(text))),
      { numRuns: 150 },
    );
  }, 60_000);
  test("plain text of any kind is seen as it is, with everything visible in it once", () => {
    const plainText = fc.array(fc.oneof(fc.string({ unit: "grapheme-ascii", maxLength: 30 }), piece), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(plainText, (pieces) => {
        // A fence shows what is in it, so what a reader sees is told apart from how it is set.
        const text = pieces.join("").replaceAll(/[`~\u{e000}-\u{f8ff}]/gu, "");
        const shown = parts({ type: "request", author: "Sam", text });
        expectAcceptable(shown);
        expect(dense(seen(shown).join(""))).toBe(dense(`Sam asked:${Buffer.from(text).toString()}`));
      }),
      { numRuns: 150 },
    );
  }, 60_000);
  test("a long link in a styled text is handled wherever it stands", () => {
    const spans = markdownSpans(`**[a](https://e.example/${"x".repeat(1500)})**`);
    expect(textOf(withoutLongLinks(spans))).toMatch(/^a \(https:\/\/e\.example\/x+\)$/);
  });
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
const labels = (shown: ReturnType<typeof parts>) =>
  shown.flatMap(({ components = [] }) => pressables(components)).map(({ label }) => label);

describe("progress", () => {
  test("is one silent message with a button to stop, which goes with the stop token", () => {
    const shown = parts(progress);
    expectAcceptable(shown);
    expect(seen(shown)).toEqual([
      "Working… · 14.0k tokens\n⏳ Look up the rates\nresearcher · Claude Sonnet · collecting… · 8 s\n✓ Look up the rates\nresearcher · Claude Sonnet · 12.3k tokens · 4 s\nClaude Sonnet · 8 s",
    ]);
    expect(shown[0]?.silent).toBe(true);
    expect(labels(shown)).toEqual(["◼ Stop"]);
    const { stopToken: _, ...ended } = progress;
    expect(parts({ ...ended, state: "done" })[0]).not.toHaveProperty("components");
  });
  test("with many long tasks and a long preview it is still one message", () => {
    const tasks = Array.from({ length: 120 }, () =>
      task({ description: "*@name* ".repeat(80), model: "_M_".repeat(100) }),
    );
    const shown = parts({ ...progress, tasks, preview: "**word** ".repeat(2000) });
    expectAcceptable(shown);
    expect(shown).toHaveLength(1);
    expect(seen(shown)[0]?.match(/⏳/g)).toHaveLength(120);
    expect(labels(shown)).toEqual(["◼ Stop"]);
  });
});

const question: ViewOf<"question"> = {
  type: "question",
  icon: "🔀",
  question: "Which **region**?",
  context: "Rates differ.",
  options: [
    { token: "a1", label: "North" },
    { token: "a2", label: "South" },
  ],
  asked: "Sam",
};
const options = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ token: `t${index}`, label: `Option ${index + 1}` }));

describe("questions", () => {
  test("have their options as buttons, five in a row, which carry the tokens", () => {
    const shown = parts({ ...question, options: options(7) });
    expectAcceptable(shown);
    expect(shown[0]?.content).toBe("🔀 Rates differ.\n\nWhich **region**?\n\n*For Sam*");
    expect(shown[0]?.components?.map((row) => row.components.length)).toEqual([5, 2]);
    expect(shown[0]?.components?.[1]?.components[1]).toEqual({ type: 2, style: 2, label: "Option 7", custom_id: "t6" });
  });
  test.each([
    [25, 25, 0],
    [26, 0, 2],
    [125, 0, 5],
  ])("%i options are %i buttons or %i menus, none lost", (count, buttons, menus) => {
    const shown = parts({ ...question, options: options(count) });
    expectAcceptable(shown);
    const all = shown.at(-1)?.components?.flatMap((row) => row.components) ?? [];
    expect(all.filter(({ type }) => type === 2)).toHaveLength(buttons);
    expect(all.filter(({ type }) => type === 3)).toHaveLength(menus);
    expect(labels(shown)).toEqual(options(count).map(({ label }) => label));
  });
  test("beyond what menus hold, and labels too long for them, are listed and numbered", () => {
    const many = parts({ ...question, options: options(130) });
    expectAcceptable(many);
    expect(seen(many).join("\n")).toContain("130. Option 130");
    const same = "the same long beginning of every option ".repeat(3);
    const long = parts({ ...question, options: [1, 2, 3].map((n) => ({ token: `t${n}`, label: `${same}${n}` })) });
    expectAcceptable(long);
    expect(seen(long)[0]).toContain(`3. ${same}3`);
    expect(new Set(labels(long)).size).toBe(3);
    expect(labels(long).every((label) => label.length <= 80 && label.endsWith("…"))).toBe(true);
  });
  test("a long question is cut, and its buttons occur once, on the last part", () => {
    const shown = parts({ ...question, context: "word ".repeat(700) });
    expectAcceptable(shown);
    expect(shown.map(({ components }) => components !== undefined)).toEqual([false, true]);
  });
  test("a closed question says who answered what, and has no buttons", () => {
    const shown = parts({ ...question, closed: { type: "answered", answer: "*South*", by: "Sam" } });
    expect(seen(shown)[0]).toContain("✓ *South* (Sam)");
    expect(shown[0]).not.toHaveProperty("components");
    expect(seen(parts({ ...question, closed: { type: "given_up", reason: "Stopped by Ana" } }))[0]).toContain(
      "✗ Stopped by Ana",
    );
  });
  test("a form opens by a button, and one that no modal holds is asked for in words", () => {
    const field = { name: "where", label: "Where", required: true, type: "text" as const, placeholder: "Rome" };
    const form = { token: "f1", title: "Trip", fields: [field] };
    const shown = parts({ ...question, options: [], form });
    expectAcceptable(shown);
    expect(shown[0]?.components?.[0]?.components).toMatchObject([{ label: "Fill in the form", custom_id: "f1" }]);
    expect(shown[0]?.content).not.toContain("Where");
    const six = Array.from({ length: 6 }, (_, index) => ({ ...field, name: `f${index}` }));
    const asText = parts({ ...question, options: [], form: { ...form, fields: six } });
    expect(asText[0]).not.toHaveProperty("components");
    expect(seen(asText)[0]).toContain("Trip\n• Where: e.g. Rome");
  });
});

test("a reply's footer is one quiet line below it", () => {
  expect(parts({ type: "reply", markdown: "Done.", usage: { model: "Claude Sonnet", tokens: 950 } })).toEqual([
    { content: "Done.\n\n*Claude Sonnet · 950 tokens*" },
  ]);
});

test("a notice rings only as a warning, and its actions are buttons", () => {
  const actions = [{ token: "old1", label: "Continue the old one" }];
  expect(parts({ type: "notice", markdown: "A fresh thread.", tone: "info", actions })).toMatchObject([
    { content: "A fresh thread.", silent: true, components: [{ components: [{ custom_id: "old1" }] }] },
  ]);
  expect(parts({ type: "notice", markdown: "It failed.", tone: "warning" })).toEqual([{ content: "⚠️ It failed." }]);
});
