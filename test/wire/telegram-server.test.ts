import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTelegramServer } from "./telegram-server.ts";
import type { TelegramServerOptions } from "./telegram-server.ts";

async function serverWithClient(options: TelegramServerOptions = {}) {
  const server = await createTelegramServer(options);
  onTestFinished(() => server.close());
  async function call(method: string, params: object = {}, token = server.token) {
    const response = await fetch(`${server.url}/bot${token}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    const body: unknown = await response.json();
    return { status: response.status, body };
  }
  const sam = server.user(55, "Sam");
  const send = (params: object) => call("sendMessage", { chat_id: 55, ...params });
  return { server, call, send, sam };
}
const refusal = (words: string, status = 400) => ({
  status,
  body: { ok: false, error_code: status, description: expect.stringContaining(words) },
});

test("a wrong token is 401, what cannot be a token is 404, and so is an unknown method", async () => {
  const { call } = await serverWithClient();
  expect(await call("getMe", {}, "7000000001:wrong")).toEqual(refusal("Unauthorized", 401));
  expect(await call("getMe", {}, "nonsense")).toEqual(refusal("Not Found", 404));
  expect(await call("sendMesage")).toEqual(refusal("method not found", 404));
});

describe("what it refuses", () => {
  test.each([
    ["an empty text", { text: " \u200b" }, "message text is empty"],
    ["a text above 4096 units", { text: "👍".repeat(2049) }, "message is too long"],
    ["a lone surrogate", { text: "a\ud83d" }, "UTF-8"],
    [
      "an entity beyond the text",
      { text: "abc", entities: [{ type: "bold", offset: 1, length: 3 }] },
      "ENTITY_BOUNDS_INVALID",
    ],
    [
      "an entity that cuts a character",
      { text: "👍", entities: [{ type: "bold", offset: 0, length: 1 }] },
      "ENTITY_BOUNDS_INVALID",
    ],
    [
      "too many entities",
      {
        text: "ab".repeat(101),
        entities: Array.from({ length: 101 }, (_, at) => ({ type: "bold", offset: 2 * at, length: 1 })),
      },
      "ENTITIES_TOO_LONG",
    ],
    [
      "entities above 9500 bytes",
      {
        text: "ab".repeat(5),
        entities: Array.from({ length: 5 }, (_, at) => ({
          type: "text_link",
          offset: 2 * at,
          length: 1,
          url: `https://e.example/${"a".repeat(1900)}`,
        })),
      },
      "ENTITIES_TOO_LONG",
    ],
    [
      "callback data above 64 bytes",
      { text: "a", reply_markup: { inline_keyboard: [[{ text: "b", callback_data: "ж".repeat(33) }]] } },
      "BUTTON_DATA_INVALID",
    ],
    [
      "a keyboard that is no list of rows",
      { text: "a", reply_markup: { inline_keyboard: [{ text: "b", callback_data: "c" }] } },
      "can't parse",
    ],
    [
      "nine buttons in a row",
      {
        text: "a",
        reply_markup: { inline_keyboard: [Array.from({ length: 9 }, () => ({ text: "b", callback_data: "c" }))] },
      },
      "REPLY_MARKUP_TOO_LONG",
    ],
    ["a chat that does not exist", { text: "a", chat_id: 999 }, "chat not found"],
    ["a topic that is none", { text: "a", message_thread_id: 3 }, "message thread not found"],
    [
      "an answer to a message that is gone",
      { text: "a", reply_parameters: { message_id: 9 } },
      "message to be replied not found",
    ],
  ])("%s", async (_, params, words) => {
    const { send, sam } = await serverWithClient();
    expect(await send(params)).toEqual(refusal(words));
    expect(sam.dm.messages).toEqual([]);
  });
  test("General by its id, and a closed topic", async () => {
    const { server, send } = await serverWithClient();
    const forum = server.forum(-1, "Forum");
    const topic = server.topic(forum, "Plans");
    expect(await send({ chat_id: -1, text: "a", message_thread_id: 1 })).toEqual(refusal("message thread not found"));
    expect(await send({ chat_id: -1, text: "a", message_thread_id: topic })).toMatchObject({ status: 200 });
    forum.topics.set(topic, { name: "Plans", closed: true });
    expect(await send({ chat_id: -1, text: "a", message_thread_id: topic })).toEqual(refusal("TOPIC_CLOSED"));
  });
  test("a draft to a group, without a number of its own, or too long; another is kept as it was shown", async () => {
    const { server, call, sam } = await serverWithClient();
    server.supergroup(-1, "Team");
    const draft = (params: object) => call("sendMessageDraft", { chat_id: 55, draft_id: 7, text: "Hel", ...params });
    expect(await draft({ chat_id: -1 })).toEqual(refusal("private chats"));
    expect(await draft({ draft_id: 0 })).toEqual(refusal("draft_id"));
    expect(await draft({ text: "a".repeat(4097) })).toEqual(refusal("message is too long"));
    expect(await draft({})).toMatchObject({ status: 200 });
    expect(await draft({ text: "Hello" })).toMatchObject({ status: 200 });
    expect(sam.dm.drafts.map(({ id, text }) => [id, text])).toEqual([
      [7, "Hel"],
      [7, "Hello"],
    ]);
    expect(sam.dm.messages).toEqual([]);
  });
  test("an edit that changes nothing, or of a message that is gone or another's", async () => {
    const { send, call, sam } = await serverWithClient();
    await send({ text: "a" });
    const edit = (message_id: number, text: string) => call("editMessageText", { chat_id: 55, message_id, text });
    expect(await edit(1, "a")).toEqual(refusal("message is not modified"));
    expect(await edit(7, "b")).toEqual(refusal("message to edit not found"));
    expect(await edit(sam.say(sam.dm, "mine").message_id, "b")).toEqual(refusal("message can't be edited"));
    expect(await edit(1, "b")).toMatchObject({ status: 200 });
  });
  test("a person who has blocked the bot", async () => {
    const { send, sam } = await serverWithClient();
    sam.setBot(sam.dm, "blocked");
    expect(await send({ text: "a" })).toEqual(refusal("bot was blocked by the user", 403));
  });
  test("a press that is answered twice or was never made", async () => {
    const { call, send, sam } = await serverWithClient();
    await send({ text: "a", reply_markup: { inline_keyboard: [[{ text: "Go", callback_data: "t" }]] } });
    const [message] = sam.dm.messages;
    if (!message) throw new Error("Expected a message.");
    const pressed = sam.press(message, "Go");
    const answer = { callback_query_id: pressed.id, text: "ok" };
    expect(await call("answerCallbackQuery", answer)).toMatchObject({ status: 200 });
    expect(await pressed.answer).toBe("ok");
    expect(await call("answerCallbackQuery", answer)).toEqual(refusal("query is too old"));
    expect(await call("answerCallbackQuery", { callback_query_id: "never" })).toEqual(refusal("query is too old"));
  });
});

test("what Telegram would mend in silence is kept as a violation", async () => {
  const { server, send } = await serverWithClient();
  await send({
    text: "abcd",
    parse_mod: "HTML",
    entities: [
      { type: "bold", offset: 0, length: 3 },
      { type: "italic", offset: 2, length: 2 },
    ],
  });
  await send({
    text: "abcd",
    entities: [
      { type: "pre", offset: 0, length: 4 },
      { type: "bold", offset: 0, length: 4 },
    ],
  });
  expect(server.violations).toEqual([
    'sendMessage: unknown parameter "parse_mod"',
    "sendMessage: entities bold and italic cross",
    "sendMessage: entities pre and bold cannot share text",
  ]);
});

test("it knows whom a text would ping", async () => {
  const { send, sam } = await serverWithClient();
  const link = { type: "text_link", offset: 0, length: 4, url: "https://t.me/ana" };
  await send({ text: "@ana and @bob", entities: [link] });
  expect(sam.dm.messages[0]?.pings).toEqual(["@bob"]);
});

describe("updates", () => {
  test("wait for what comes, until the time is over, and are confirmed by the next offset", async () => {
    const { call, sam, server } = await serverWithClient();
    const waiting = call("getUpdates", { timeout: 5 });
    await sleep(30);
    const { updateId } = sam.say(sam.dm, "/start@ThreadlineTstBot now");
    const { body } = await waiting;
    const entities = [{ type: "bot_command", offset: 0, length: 23 }];
    expect(body).toMatchObject({
      result: [{ update_id: updateId, message: { text: "/start@ThreadlineTstBot now", entities } }],
    });
    expect(server.updates.pending()).toEqual([updateId]);
    expect(await call("getUpdates", { offset: (updateId ?? 0) + 1 })).toEqual({
      status: 200,
      body: { ok: true, result: [] },
    });
    expect(server.updates.pending()).toEqual([]);
  });
  test("a second poller ends the first one, and a webhook blocks both", async () => {
    const { call, server } = await serverWithClient();
    const first = call("getUpdates", { timeout: 5 });
    await sleep(30);
    expect(await call("getUpdates", { timeout: 0 })).toMatchObject({ status: 200 });
    expect(await first).toEqual(refusal("terminated by other getUpdates request", 409));
    server.setWebhook("https://elsewhere.example");
    expect(await call("getUpdates")).toEqual(refusal("webhook is active", 409));
  });
  test("privacy mode hides what is not addressed to the bot", async () => {
    const { server, call, sam } = await serverWithClient({ privacy: true });
    const group = server.group(-5, "Team");
    await call("sendMessage", { chat_id: -5, text: "hello" });
    sam.say(group, "just chatting");
    sam.say(group, "@threadlinetstbot hi");
    const [hello] = server.chat(-5).messages;
    sam.say(group, "and a reply", hello ? { replyTo: hello } : {});
    const { body } = await call("getUpdates");
    expect(body).toMatchObject({
      result: [{ message: { text: "@threadlinetstbot hi" } }, { message: { text: "and a reply" } }],
    });
  });
});

describe("misbehaviour", () => {
  test("strikes only the method and the chat that it is armed for, as often as it is armed", async () => {
    const { server, send, sam, call } = await serverWithClient();
    server.user(56, "Ana");
    server.fail({ method: "sendMessage", place: 55, retryAfter: 9, times: 2, skip: 1 });
    expect((await send({ text: "passes" })).status).toBe(200);
    const refused = await send({ text: "a" });
    expect(refused).toMatchObject({ status: 429, body: { parameters: { retry_after: 9 } } });
    expect((await send({ chat_id: 56, text: "b" })).status).toBe(200);
    expect((await call("getMe")).status).toBe(200);
    expect((await send({ text: "a" })).status).toBe(429);
    expect((await send({ text: "a" })).status).toBe(200);
    expect(sam.dm.messages.map(({ text }) => text)).toEqual(["passes", "a"]);
  });
  test("a cut before nothing is done, and a cut after it is", async () => {
    const { server, send, sam } = await serverWithClient();
    server.fail({ method: "sendMessage", drop: "before" });
    server.fail({ method: "sendMessage", drop: "after" });
    await expect(send({ text: "lost" })).rejects.toThrow();
    await expect(send({ text: "accepted" })).rejects.toThrow();
    expect(sam.dm.messages.map(({ text }) => text)).toEqual(["accepted"]);
    expect(server.calls.map(({ status }) => status)).toEqual([0, 0]);
  });
});
