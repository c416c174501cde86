import { describe, expect, test } from "vitest";
import { idAt, timeOf } from "../../../adapters/discord/place.ts";
import { formatPost, formatThread, parsePost, parseThread } from "../../../adapters/discord/thread-key.ts";
import type { Address } from "../../../adapters/discord/thread-key.ts";
import { postRef, threadKey } from "../../../gateway/contract.ts";

describe("a thread key", () => {
  const keys: readonly [string, Address][] = [
    ["discord:@me:7", { type: "direct", channel: "7" }],
    ["discord:1:2:t3", { type: "thread", guild: "1", parent: "2", thread: "3" }],
    ["discord:1:2:m3", { type: "replies", guild: "1", channel: "2", root: "3" }],
    ["discord:1:2:a3", { type: "provisional", guild: "1", channel: "2", interaction: "3" }],
  ];
  test.each(keys)("%s is made and read as what it says", (key, address) => {
    expect(formatThread(address)).toBe(key);
    expect(parseThread(threadKey(key))).toEqual(address);
  });
  test.each(["discord:@me:7:t3", "discord:1:2", "discord:1:2:x3", "telegram:1:2", "discord:1:2:t", ""])(
    "%s is none of ours",
    (key) => expect(() => parseThread(threadKey(key))).toThrow(/Expected a Discord thread key/),
  );
});

test("a post is its channel and its message, and nothing else is", () => {
  expect(formatPost("1", "2")).toBe("1/2");
  expect(parsePost(postRef("1/2"))).toEqual({ channel: "1", message: "2" });
  expect(() => parsePost(postRef("12"))).toThrow(/Expected a Discord post/);
});

test("an id tells its time, and a time its smallest id", () => {
  expect(timeOf("1457536551830421510")).toBe(Date.parse("2026-01-05T00:49:53.676Z"));
  expect(timeOf("INTERACTION789")).toBeUndefined();
  expect(timeOf(idAt(Date.parse("2026-01-05T00:49:53.676Z")))).toBe(Date.parse("2026-01-05T00:49:53.676Z"));
  expect(idAt(0)).toBe("0");
});
