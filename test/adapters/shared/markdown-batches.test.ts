import { expect, test } from "vitest";
import { parseMarkdown } from "../../../adapters/shared/markdown.ts";

const CHAPTER = "## Words\n\nSome *more*.\n\n- one\n\n  two\n  > three\n- four\n\n| a | b |\n|---|---|\n| c | d |\n\n";

test("a definition at the end of a long text holds for a link at its beginning", () => {
  const tree = parseMarkdown(
    `See [this][ref] and[^1].\n\n${CHAPTER.repeat(300)}[ref]: https://e.example/x\n\n[^1]: noted`,
  );
  expect(tree.children[0]).toMatchObject({
    children: [
      { value: "See " },
      { type: "link", url: "https://e.example/x" },
      { value: " and" },
      { type: "footnoteReference" },
      { value: "." },
    ],
  });
});

test("a long text has the blocks of its chapters, wherever a batch ends", () => {
  const blocks = parseMarkdown(CHAPTER).children;
  for (const times of [50, 51, 52, 300])
    expect(parseMarkdown(CHAPTER.repeat(times)).children).toEqual(Array.from({ length: times }, () => blocks).flat());
});
