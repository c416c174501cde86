import { expect, test } from "vitest";
import { planChats } from "./chats.ts";

const chats = planChats({ rounds: 9, points: [1, 20, 100, 300] });

test("no chat serves two ends", () => {
  expect(new Set(chats.all).size).toBe(chats.all.length);
  expect(chats.all).toHaveLength(1 + 2 * 9 + 9 + 9 + 1 + 1);
});

test("below 100 turns each round has a thread of its own, above all share one", () => {
  const used = (point: number) => new Set(Array.from({ length: 9 }, (_, round) => chats.at(point, round))).size;
  expect([1, 20, 100, 300].map(used)).toEqual([9, 9, 1, 1]);
});

test("every thread that shall have turns is named with them, and the longest is known", () => {
  expect(chats.old.filter(({ point }) => point === 20)).toHaveLength(9);
  expect(chats.old.some(({ point }) => point === 1)).toBe(false);
  expect(chats.old.find(({ point }) => point === 300)?.chat).toBe(chats.long);
});
