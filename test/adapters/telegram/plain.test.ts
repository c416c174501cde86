import { expect, test } from "vitest";
import { plain } from "../../../adapters/telegram/plain.ts";
import { render } from "../../../adapters/telegram/render.ts";
import type { View } from "../../../gateway/contract.ts";

const plainOf = (view: View) => render(view).map(plain);
const reply = (markdown: string): View => ({ type: "reply", markdown });

test("a part without marks has the same words, and the addresses of its links", () => {
  expect(plainOf(reply("A **bold** [page](https://e.example/x) and https://f.example"))).toEqual([
    { text: "A bold page (https://e.example/x) and https://f.example", entities: [] },
  ]);
});

test("a part without marks leaves the addresses out where they would make it too long", () => {
  const [part] = plainOf(reply(`[${"a".repeat(4000)}](https://e.example/${"x".repeat(200)})`));
  expect(part?.["text"]).toBe("a".repeat(4000));
});

test("a part without marks calls nobody, though nothing covers the name, and in code neither", () => {
  expect(plainOf(reply("hi @someone, `@other` and ana@e.example"))).toEqual([
    { text: "hi ＠someone, ＠other and ana@e.example", entities: [] },
  ]);
});

test("a part without marks has no buttons, and rings as little as before", () => {
  const view: View = { type: "notice", markdown: "Go on?", tone: "info", actions: [{ token: "t", label: "Go" }] };
  expect(plainOf(view)).toEqual([{ text: "Go on?", entities: [], silent: true }]);
});
