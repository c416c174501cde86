import { expect, test } from "vitest";
import { plain } from "../../../adapters/slack/plain.ts";
import { render } from "../../../adapters/slack/render.ts";
import type { View } from "../../../gateway/contract.ts";

const plainOf = (view: View) => render(view).map(plain);
const reply = (markdown: string): View => ({ type: "reply", markdown });

test("a part without blocks has the same words, and the addresses of its links", () => {
  const words = "A bold page (https://e.example/x) https://f.example\nconst a = 1;\nafter";
  expect(
    plainOf(reply("A **bold** [page](https://e.example/x) https://f.example\n\n```ts\nconst a = 1;\n```\n\nafter")),
  ).toEqual([{ text: words, blocks: [] }]);
});

test("a part without blocks is whole, though the text beside blocks is shortened", () => {
  const long = "word ".repeat(700).trim();
  expect(plainOf(reply(long))).toEqual([{ text: long, blocks: [] }]);
});

test("a part without blocks calls nobody and forges no link", () => {
  expect(plainOf(reply("hi `<!channel>` <https://e.example|bank>"))[0]?.["text"]).not.toContain("<");
});

test("a part that has no blocks stays as it is", () => {
  const [part] = plainOf(reply("words"));
  expect(part && plain(part)).toBe(part);
});
