import { expect, test } from "vitest";
import { threadName } from "../../../adapters/discord/open-thread.ts";

test.each([
  ["what is **new** here?", "what is new here?"],
  ["<@1400000000000000000> <:party:12> hello\n\nthere", "hello there"],
  ["> what is *new*?\nand old?", "what is new? and old?"],
  ["<@1400000000000000000>", "Thread"],
  ["", "Thread"],
  ["\u200b\u0000", "Thread"],
])("%j opens a thread named %j", (content, name) => expect(threadName(content)).toBe(name));

test("a long text is cut between characters, well within Discord's 100", () => {
  const name = threadName("👨‍👩‍👧‍👦 ".repeat(60));
  expect(name.length).toBeLessThanOrEqual(100);
  expect(name.endsWith("…")).toBe(true);
  expect(
    name
      .replace("…", "")
      .split(" ")
      .every((one) => one === "👨‍👩‍👧‍👦"),
  ).toBe(true);
});
