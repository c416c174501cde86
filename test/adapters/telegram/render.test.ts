import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unpinged } from "../../../adapters/telegram/unpinged.ts";
import { markdownSpans } from "../../../adapters/shared/markdown-spans.ts";
import { readPart } from "../../../adapters/telegram/part.ts";
import { render } from "../../../adapters/telegram/render.ts";
import { textOf } from "../../../adapters/shared/spans.ts";
import type { View, ViewOf } from "../../../gateway/contract.ts";
import { executionId } from "../../../subagents/contract.ts";
import { checkEntities, checkKeyboard, checkText, pingedBy } from "../../wire/telegram-rules.ts";

const parts = (view: View) => render(view).map(readPart);
const reply = (markdown: string) => parts({ type: "reply", markdown });

/** Refuses what Telegram refuses, and what it would mend in silence. */
function expectAcceptable(shown: ReturnType<typeof parts>): void {
  expect(shown.length).toBeGreaterThan(0);
  for (const { text, entities, keyboard } of shown) {
    checkText(text);
    expect(checkEntities(text, entities)).toEqual([]);
    expect(entities.length).toBeLessThan(100);
    expect(pingedBy(text, entities)).toEqual([]);
    checkKeyboard(keyboard?.inline_keyboard ?? []);
  }
}
/** The text without blanks: a cut takes one separator away, and nothing else. */
const dense = (text: string) => text.replaceAll(/[\s\p{Z}\p{C}]/gu, "");

describe("splitting", () => {
  test("SPLIT-01: a fence that is cut goes on as a fence of the same language", () => {
    const lines = Array.from({ length: 500 }, (_, index) => `x_${String(index + 1).padStart(3, "0")} = ${index + 1}`);
    const shown = reply(`Intro\n\n\`\`\`python\n${lines.join("\n")}\n\`\`\`\n\nDone.`);
    expectAcceptable(shown);
    expect(shown.length).toBeGreaterThan(1);
    const bodies = shown.flatMap(({ text, entities }) =>
      entities.map((entity) => {
        expect(entity).toMatchObject({ type: "pre", language: "python" });
        return text.slice(entity.offset, entity.offset + entity.length);
      }),
    );
    expect(bodies.join("\n").split("\n")).toEqual(lines);
    const last = shown.at(-1);
    expect(last?.text.endsWith("\n\nDone.")).toBe(true);
    expect(
      last?.entities.every(({ offset, length }) => offset + length <= (last?.text.indexOf("\n\nDone.") ?? 0)),
    ).toBe(true);
  });
  test("SPLIT-03: what is visible counts, not how it was written, and 80 marks stay marks", () => {
    const line = (index: number) => `**k${String(index).padStart(2, "0")}** a & b <tag> c${"-".repeat(27)}`;
    const shown = reply(Array.from({ length: 80 }, (_, index) => line(index)).join("\n"));
    expectAcceptable(shown);
    expect(shown).toHaveLength(1);
    expect(shown[0]?.entities.filter(({ type }) => type === "bold")).toHaveLength(80);
    expect(shown[0]?.text).toContain("k79 a & b <tag> c");
  });
  test("more marks than one message may hold go on in the next", () => {
    const shown = reply(Array.from({ length: 250 }, (_, index) => `**m${index}**`).join("\n\n"));
    expectAcceptable(shown);
    expect(shown.map(({ entities }) => entities.length)).toEqual([97, 97, 56]);
  });
  test("a word without end is cut between graphemes, and nothing of it is lost", () => {
    const family = "👨‍👩‍👧‍👦";
    const shown = reply(family.repeat(900));
    expectAcceptable(shown);
    expect(shown.every(({ text }) => text.length % family.length === 0)).toBe(true);
    expect(shown.map(({ text }) => text).join("")).toBe(family.repeat(900));
  });
  test("MD-07: a long table is cut between its rows, and goes on under its header", () => {
    const rows = Array.from({ length: 300 }, (_, index) => `| r${index} | value ${index} |`);
    const shown = reply(`| name | value |\n|---|---|\n${rows.join("\n")}`);
    expectAcceptable(shown);
    expect(shown.length).toBeGreaterThan(1);
    for (const { text } of shown) expect(text).toMatch(/^name +value\n─+ +─+\nr\d/);
    const lines = shown.flatMap(({ text }) => text.split("\n").slice(2));
    expect(lines).toEqual(rows.map((_, index) => expect.stringMatching(new RegExp(`^r${index} +value ${index}$`))));
  });
  test("an empty reply is still a message", () => {
    expect(reply("").map(({ text }) => text)).toEqual(["…"]);
    expect(reply("\u200b \n").map(({ text }) => text)).toEqual(["…"]);
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
    fc.constantFrom(
      "| a | b |\n|---|---|\n| c | d |\n",
      "@someone ",
      "word ".repeat(200),
      "x".repeat(3000),
      "<b>",
      "\\",
    ),
  );
  const markdown = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  test("any text at all becomes messages within the limits, with everything visible in them once", () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const shown = reply(text);
        expectAcceptable(shown);
        const whole = dense(textOf(unpinged(markdownSpans(text))));
        expect(dense(shown.map((one) => one.text).join(""))).toBe(whole || "…");
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

test.each([
  "@**someone**",
  "@*someone*",
  "@~~someone~~",
  "\\@**someone**",
  "**@s**omeone",
  "@[someone](javascript:x)",
  "@some**one**",
])("%s is read as one name, and rings nobody", (written) => {
  const shown = reply(`hi ${written}`);
  expectAcceptable(shown);
  expect(shown[0]?.text).toMatch(/^hi @someone/);
  expect(shown[0]?.entities).toContainEqual(expect.objectContaining({ url: "https://t.me/someone" }));
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
  test("is one silent message with a button to stop", () => {
    const [card, ...more] = parts(progress);
    expect(more).toEqual([]);
    expect(card?.text.split("\n")).toEqual([
      "Working… · 14.0k tokens",
      "⏳ Look up the rates",
      "researcher · Claude Sonnet · collecting… · 8 s",
      "✓ Look up the rates",
      "researcher · Claude Sonnet · 12.3k tokens · 4 s",
      "Claude Sonnet · 8 s",
    ]);
    expect(card?.entities.map(({ type }) => type)).toEqual(["bold", "italic", "italic", "italic"]);
    expect(card?.silent).toBe(true);
    expect(card?.keyboard).toEqual({ inline_keyboard: [[{ text: "◼ Stop", callback_data: "stop1" }]] });
  });
  test("its button goes with the stop token", () => {
    const { stopToken: _, ...ended } = progress;
    expect(parts({ ...ended, state: "done" })[0]).not.toHaveProperty("keyboard");
  });
  test("shows the beginning of the reply in its own type", () => {
    const [card] = parts({ ...progress, preview: "**Rates** so far" });
    expect(card?.text).toMatch(/\n\nRates so far$/);
  });
  test("with many long tasks it is still one message", () => {
    const tasks = Array.from({ length: 120 }, () => task({ description: "@name ".repeat(80), model: "M".repeat(300) }));
    const shown = parts({ ...progress, tasks, preview: "word ".repeat(2000) });
    expectAcceptable(shown);
    expect(shown).toHaveLength(1);
    // A hundred names are more links than Telegram takes in one message.
    expect(shown[0]?.text).toMatch(/\n⏳ 120 running · M+… · collecting…\n/);
    expect(shown[0]?.keyboard?.inline_keyboard[0]?.[0]?.callback_data).toBe("stop1");
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

describe("questions", () => {
  test("short options stand in one row below the question", () => {
    expect(parts(question)).toEqual([
      {
        text: "🔀 Rates differ.\n\nWhich region?\n\nFor Sam",
        entities: [
          { type: "bold", offset: 24, length: 6 },
          { type: "italic", offset: 33, length: 7 },
        ],
        keyboard: {
          inline_keyboard: [
            [
              { text: "North", callback_data: "a1" },
              { text: "South", callback_data: "a2" },
            ],
          ],
        },
      },
    ]);
  });
  test("BTN-01: a button carries the token, never the words", () => {
    const labels = ["Северо-Западный федеральный округ", "Южный федеральный округ"];
    const [part] = parts({ ...question, options: labels.map((label, index) => ({ token: `tok${index}`, label })) });
    expect(part?.keyboard?.inline_keyboard).toEqual([
      [{ text: labels[0], callback_data: "tok0" }],
      [{ text: labels[1], callback_data: "tok1" }],
    ]);
  });
  test("labels too long for a button are cut and numbered there, and whole in the body", () => {
    const labels = [1, 2, 3].map((index) => `${"the same long beginning of every option ".repeat(2)}${index}`);
    const [part] = parts({ ...question, options: labels.map((label, index) => ({ token: `t${index}`, label })) });
    for (const [index, label] of labels.entries()) expect(part?.text).toContain(`${index + 1}. ${label}`);
    const texts = part?.keyboard?.inline_keyboard.flat().map(({ text }) => text) ?? [];
    expect(new Set(texts).size).toBe(3);
    expect(texts.every((text) => text.length <= 48 && text.endsWith("…"))).toBe(true);
  });
  test("options beyond a hundred buttons are listed, none lost", () => {
    const options = Array.from({ length: 130 }, (_, index) => ({ token: `t${index}`, label: `Option ${index + 1}` }));
    const shown = parts({ ...question, options });
    expectAcceptable(shown);
    expect(shown.at(-1)?.keyboard?.inline_keyboard.flat()).toHaveLength(100);
    expect(shown.map(({ text }) => text).join("\n")).toContain("130. Option 130");
  });
  test("a long question is cut, and its buttons occur once, on the last part", () => {
    const shown = parts({ ...question, context: "word ".repeat(1500) });
    expectAcceptable(shown);
    expect(shown.map(({ keyboard }) => keyboard !== undefined)).toEqual([false, true]);
  });
  test("a closed question says who answered what, and has no buttons", () => {
    const [part] = parts({ ...question, closed: { type: "answered", answer: "South", by: "Sam" } });
    expect(part?.text).toContain("✓ South (Sam)");
    expect(part).not.toHaveProperty("keyboard");
    const [given] = parts({ ...question, closed: { type: "given_up", reason: "Stopped by Ana" } });
    expect(given?.text).toContain("✗ Stopped by Ana");
  });
  test("a form is asked for in words", () => {
    const form = {
      token: "f1",
      title: "Trip",
      fields: [
        { name: "where", label: "Where", required: true, type: "text" as const, placeholder: "Rome" },
        {
          name: "how",
          label: "How",
          required: false,
          type: "select" as const,
          options: [
            { id: "1", label: "Train" },
            { id: "2", label: "Car" },
          ],
        },
      ],
    };
    expect(parts({ ...question, options: [], form })[0]?.text).toContain(
      "Trip\n• Where: e.g. Rome\n• How: one of Train, Car; optional\nPlease answer all of it in one message.",
    );
  });
});

test.each([`${"a".repeat(4096)}@someone hi`, `${".".repeat(4080)}@${"a".repeat(60)}`])(
  "a cut makes no name that calls somebody",
  (markdown) => {
    const shown = reply(markdown);
    expect(shown).toHaveLength(2);
    for (const { text, entities } of shown) expect(pingedBy(text, entities)).toEqual([]);
  },
);

test("an address that is too long for any browser stands beside its label, as text", () => {
  const address = `https://e.example/${"a".repeat(9100)}`;
  const shown = reply(`[hello world](${address})`);
  expect(shown).toHaveLength(3);
  expect(shown.map(({ text }) => text).join("")).toBe(`hello world (${address})`);
});

test("a reply's footer is one quiet line below it", () => {
  const [part] = parts({ type: "reply", markdown: "Done.", usage: { model: "Claude Sonnet", tokens: 950 } });
  expect(part).toEqual({
    text: "Done.\n\nClaude Sonnet · 950 tokens",
    entities: [{ type: "italic", offset: 7, length: 26 }],
  });
});

test("a notice rings only as a warning, and its actions are buttons", () => {
  const actions = [{ token: "old1", label: "Continue the old one" }];
  expect(parts({ type: "notice", markdown: "A fresh thread.", tone: "info", actions })).toEqual([
    {
      text: "A fresh thread.",
      entities: [],
      silent: true,
      keyboard: { inline_keyboard: [[{ text: "Continue the old one", callback_data: "old1" }]] },
    },
  ]);
  expect(parts({ type: "notice", markdown: "It failed.", tone: "warning" })).toEqual([
    { text: "⚠️ It failed.", entities: [] },
  ]);
});
