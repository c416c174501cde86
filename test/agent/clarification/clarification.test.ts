import { describe, expect, it } from "vitest";
import { readPart } from "../../../adapters/telegram/part.ts";
import { render } from "../../../adapters/telegram/render.ts";
import { answerText } from "../../../agent/clarification/answer.ts";
import { normaliseFields } from "../../../agent/clarification/fields.ts";
import { normaliseOptions } from "../../../agent/clarification/options.ts";
import { buildRequest, readRequest, toClarification } from "../../../agent/clarification/request.ts";
import { checkKeyboard, checkText } from "../../wire/telegram-rules.ts";

describe("options", () => {
  it.each([
    [
      ["a", "b"],
      ["a", "b"],
    ],
    ['["a", "b"]', ["a", "b"]],
    ["not json", ["not json"]],
    ["[broken", ["[broken"]],
    [5, ["5"]],
    [true, ["true"]],
    [{ x: "a", y: { z: 2 } }, ["a", "2"]],
    [null, []],
    [undefined, []],
    [
      ["<b>bold</b>", " a ", "", "a", "1 < 2"],
      ["bold", "a", "1 < 2"],
    ],
  ])("%j become %j", (raw, expected) => {
    expect(normaliseOptions(raw)).toEqual(expected);
  });

  it("have no cap: all of them must be drawn", () => {
    expect(normaliseOptions(Array.from({ length: 100 }, (_, index) => index))).toHaveLength(100);
  });
});

/** As JSON spells it: half of a pair, a carriage return, NUL. */
const RAW = "x\ud83d\r\u0000";
const CLEAN = "x\ufffd\n\ufffd";

describe("what no platform takes", () => {
  it("is replaced in options and in all that a form says, in its names too, by which answers come back", () => {
    expect(normaliseOptions([RAW, "🎉"])).toEqual([CLEAN, "🎉"]);
    const raw = { name: RAW, label: RAW, placeholder: RAW, type: "select", options: [RAW] };
    expect(normaliseFields([raw])).toEqual([
      {
        name: CLEAN,
        label: CLEAN,
        placeholder: CLEAN,
        required: false,
        type: "select",
        options: [{ id: `${CLEAN}-option-1`, label: CLEAN, value: CLEAN }],
      },
    ]);
  });

  it("never reaches Telegram, which refuses the message, in words or on buttons", () => {
    const { input, question } = toClarification(buildRequest({ question: RAW, options: [RAW, "b"] }, "call"), "i");
    const labels = input.type === "choice_with_other" ? input.options.map(({ label }) => label) : [];
    const options = labels.map((label, index) => ({ token: `${index}`, label }));
    const view = { type: "question", icon: "?", question, options, asked: "Ana" } as const;
    const shown = [view, { ...view, inWords: true } as const].flatMap((one) => render(one)).map(readPart);
    expect(shown).toHaveLength(2);
    for (const { text, keyboard } of shown) {
      expect(() => checkText(text)).not.toThrow();
      expect(() => checkKeyboard(keyboard?.inline_keyboard ?? [])).not.toThrow();
    }
  });
});

describe("form fields", () => {
  it("get labels, types and ids", () => {
    expect(
      normaliseFields([
        { name: "size", type: "select", options: ["S", "M"], required: "TRUE" },
        { name: "note", label: "A note", type: "unheard", placeholder: "free", required: 0 },
        { name: "kind", type: "multi_select", options: [] },
      ]),
    ).toEqual([
      {
        name: "size",
        label: "size",
        required: true,
        type: "select",
        options: [
          { id: "size-option-1", label: "S", value: "S" },
          { id: "size-option-2", label: "M", value: "M" },
        ],
      },
      { name: "note", label: "A note", required: false, type: "text", placeholder: "free" },
      { name: "kind", label: "kind", required: false, type: "text" },
    ]);
  });

  it("may come as a JSON text", () => {
    expect(normaliseFields('[{"name":"a"}]')).toHaveLength(1);
  });

  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `f${index}` }));
  it.each([
    ["a non-object entry", [{ name: "a" }, "b"]],
    ["a blank name", [{ name: "a" }, { name: " " }]],
    ["a repeated name", [{ name: "a" }, { name: "a " }]],
    ["a reserved name", [{ name: "__proto__" }]],
    ["another reserved name", [{ name: "hasOwnProperty" }]],
    ["17 fields", many(17)],
    ["25 options", [{ name: "a", type: "select", options: Array.from({ length: 25 }, (_, index) => `o${index}`) }]],
    ["a label of 201 characters", [{ name: "a", label: "x".repeat(201) }]],
    ["an option of 201 characters", [{ name: "a", type: "select", options: ["x".repeat(201)] }]],
    [
      "more than 16,384 bytes",
      many(16).map((field) => ({
        ...field,
        type: "select",
        options: Array.from({ length: 24 }, (_, index) => `${index}${"ü".repeat(150)}`),
      })),
    ],
    ["no fields", []],
  ])("with %s drop the whole form", (_, raw) => {
    expect(normaliseFields(raw)).toBeUndefined();
  });

  it("within the caps stay", () => {
    expect(normaliseFields(many(16))).toHaveLength(16);
  });
});

describe("a question", () => {
  it("has the same id when the same call comes again, and survives a checkpoint", () => {
    const args = {
      question: "Which?",
      clarification_type: "approach_choice",
      options: ["a", "b"],
      context: "Two ways.",
    };
    const request = buildRequest(args, "call_1");
    expect(request).toEqual(buildRequest(args, "call_1"));
    expect(request).toMatchObject({
      version: 1,
      kind: "human_input_request",
      source: "ask_clarification",
      request_id: "clarification:call_1",
      input_mode: "choice_with_other",
      tool_call_id: "call_1",
    });
    const stored = readRequest(JSON.parse(JSON.stringify(request)));
    expect(stored && toClarification(stored, "i1")).toEqual({
      type: "clarification",
      interruptId: "i1",
      requestId: "clarification:call_1",
      clarificationType: "approach_choice",
      question: "Which?",
      context: "Two ways.",
      input: {
        type: "choice_with_other",
        options: [
          { id: "option-1", label: "a", value: "a" },
          { id: "option-2", label: "b", value: "b" },
        ],
      },
    });
  });

  it("without a call id is known by the hash of its text", () => {
    expect(buildRequest({ question: "Which?" }, undefined).request_id).toMatch(/^clarification:[0-9a-f]{16}$/);
  });

  it("with fields is a form, whatever the options; with a dropped form the options remain", () => {
    expect(buildRequest({ question: "q", fields: [{ name: "a" }], options: ["x"] }, "c")).toMatchObject({
      version: 2,
      input_mode: "form",
    });
    expect(buildRequest({ question: "q", fields: [{ name: "" }], options: ["x"] }, "c").input_mode).toBe(
      "choice_with_other",
    );
    expect(buildRequest({ question: "q", fields: "nonsense" }, "c").input_mode).toBe("free_text");
  });

  it("never fails on a type that is no text", () => {
    expect(buildRequest({ question: "q", clarification_type: { odd: 1 } }, "c").clarification_type).toBe('{"odd":1}');
  });
});

describe("an answer", () => {
  const form = buildRequest({ question: "Details?", fields: [{ name: "n", label: "Number" }, { name: "list" }] }, "c");
  it("reads as one sentence", () => {
    const choice = buildRequest({ question: "Which?", options: ["a"] }, "c");
    const option = { type: "option", optionId: "option-1", value: "a" } as const;
    expect(answerText(choice, option)).toBe('For your clarification "Which?", my answer is: a');
  });
  it("to a form carries the values as JSON too", () => {
    expect(answerText(form, { type: "form", values: { n: 3, list: ["x", "y"] } })).toBe(
      'For your clarification "Details?", my answer is: Number: 3; list: x,y [values: {"n":3,"list":["x","y"]}]',
    );
  });
});
