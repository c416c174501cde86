import { expect, test } from "vitest";
import { answer, findMark, markOf, question, RESULT, SEEDED } from "./texts.ts";

test("a turn has the lengths that all parts of the benchmark promise", () => {
  const mark = markOf(42);
  expect(question(mark)).toHaveLength(200);
  expect(answer(mark)).toHaveLength(500);
  expect(RESULT).toHaveLength(2048);
});

test("a turn is found again in what was asked and in what was answered", () => {
  expect(findMark(question(markOf(42)))).toBe("k0000042");
  expect(findMark(answer("k0000042"))).toBe("k0000042");
});

test("what was said in earlier turns names no turn", () => {
  expect(Object.values(SEEDED).map(findMark)).toEqual([undefined, undefined, undefined]);
});
