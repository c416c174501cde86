import { expect, test } from "vitest";
import {
  formatPost,
  formatProvisional,
  formatThread,
  parsePost,
  parseThread,
} from "../../../adapters/slack/thread-key.ts";
import { postRef, threadKey } from "../../../gateway/contract.ts";

test("what is formatted reads back", () => {
  expect(parseThread(formatThread("T1", "C1", "100.000200"))).toEqual({
    team: "T1",
    channel: "C1",
    root: "100.000200",
  });
  expect(parsePost(formatPost("T1", "C1", "100.000200"))).toEqual({ type: "message", channel: "C1", ts: "100.000200" });
  expect(parsePost(formatPost("T1", "C1", "F0ABC"))).toEqual({ type: "file", channel: "C1", file: "F0ABC" });
});

test("a provisional key is the same for the same call, another for another one, and names no message", () => {
  const key = formatProvisional("T1", "C1", "trigger.1");
  expect(formatProvisional("T1", "C1", "trigger.1")).toBe(key);
  expect(formatProvisional("T1", "C1", "trigger.2")).not.toBe(key);
  expect(parseThread(key)).toEqual({ team: "T1", channel: "C1" });
});

test("a key or a post of another platform is refused, and named", () => {
  for (const key of ["telegram:7:1", "slack:T1:C1", "slack:T1:C1:m5", ""])
    expect(() => parseThread(threadKey(key))).toThrow(`Expected a Slack thread key, got "${key}"`);
  for (const ref of ["7:1/2", "T1:C1/", "C1/1.0"])
    expect(() => parsePost(postRef(ref))).toThrow(`Expected a Slack post, got "${ref}"`);
});
