import { expect, test } from "vitest";
import { render } from "../../adapters/telegram/render.ts";
import { readPart } from "../../adapters/telegram/part.ts";
import { sendable } from "../../gateway/sendable.ts";
import { checkKeyboard, checkText } from "../wire/telegram-rules.ts";

test("half of a character in what a model said is replaced wherever it stands, and the rest stays", () => {
  const label = "x\ud83d";
  const view = sendable({
    type: "question",
    icon: "?",
    question: `Which?\r\n${label}`,
    options: [
      { token: "1", label },
      { token: "2", label: "🎉" },
    ],
    asked: label,
  } as const);
  expect(view.options).toEqual([
    { token: "1", label: "x\ufffd" },
    { token: "2", label: "🎉" },
  ]);
  expect(view.question).toBe("Which?\nx\ufffd");
  for (const { text, keyboard } of render(view).map(readPart)) {
    expect(() => checkText(text)).not.toThrow();
    expect(() => checkKeyboard(keyboard?.inline_keyboard ?? [])).not.toThrow();
  }
});

test("what is found again by its name keeps it: a file, and a field of a form", () => {
  const file = { type: "file", path: "/x/a\rb", name: "a\rb", mime: "text/plain", sizeBytes: 1 } as const;
  expect(sendable(file)).toEqual(file);
  const field = { type: "text", name: "a\rb", label: "a\rb", required: true } as const;
  const form = { token: "f", title: "T", fields: [field] };
  const view = sendable({ type: "question", icon: "?", question: "Which?", options: [], form, asked: "Ana" } as const);
  expect(view.form.fields).toEqual([{ ...field, label: "a\nb" }]);
});
