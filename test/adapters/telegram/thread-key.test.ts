import { expect, test } from "vitest";
import {
  destination,
  formatPost,
  formatThread,
  parsePost,
  parseThread,
} from "../../../adapters/telegram/thread-key.ts";
import { postRef, threadKey } from "../../../gateway/contract.ts";

test.each([
  { account: "700", chat: 55 },
  { account: "700", chat: 55, topic: 9 },
  { account: "700", chat: -100123, root: 12 },
  { account: "700", chat: -100123, topic: 1 },
])("a thread key holds its address: %o", (address) => {
  expect(parseThread(formatThread(address))).toEqual(address);
});

test("THR-01: keys of two bots, two chats and two topics differ", () => {
  const addresses = [
    { account: "700", chat: 55 },
    { account: "701", chat: 55 },
    { account: "700", chat: 56 },
    { account: "700", chat: 55, topic: 2 },
    { account: "700", chat: 55, topic: 3 },
    { account: "700", chat: 55, root: 2 },
  ];
  expect(new Set(addresses.map(formatThread)).size).toBe(addresses.length);
});

test("THR-02: General is not named when sending, another topic is", () => {
  expect(destination(formatThread({ account: "700", chat: -1, topic: 1 }))).toEqual({ chat_id: -1 });
  expect(destination(formatThread({ account: "700", chat: -1, topic: 7 }))).toEqual({
    chat_id: -1,
    message_thread_id: 7,
  });
});

test("a thread of a plain group is answered as a reply to the message that opened it", () => {
  expect(destination(formatThread({ account: "700", chat: -1, root: 12 }))).toEqual({
    chat_id: -1,
    reply_parameters: { message_id: 12, allow_sending_without_reply: true },
  });
});

test("a post holds chat and message, and foreign references are refused", () => {
  expect(parsePost(formatPost("700", -1001, 5))).toEqual({ chat: -1001, message: 5 });
  expect(() => parsePost(postRef("C0EX/17.2"))).toThrow(/Expected a Telegram post/);
  expect(() => parseThread(threadKey("slack:T1:C1"))).toThrow(/Expected a Telegram thread key/);
});
