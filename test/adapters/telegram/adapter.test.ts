import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { telegram } from "../../../adapters/telegram/adapter.ts";
import { MENU } from "../../../adapters/telegram/menu.ts";
import { formatPost, formatThread } from "../../../adapters/telegram/thread-key.ts";
import type { Part, View } from "../../../gateway/contract.ts";
import { createTelegramServer } from "../../wire/telegram-server.ts";
import { adapterDeps, eventually, fastClock, prepareAdapter, runAdapter, theOne } from "./running-adapter.ts";

const options = ["Северо-Западный федеральный округ", "Южный федеральный округ"];
const question: View = {
  type: "question",
  icon: "🔀",
  question: "Which region?",
  options: options.map((label, index) => ({ token: `token-${index}`, label })),
  asked: "Sam",
};
const only = (parts: readonly Part[]): Part => parts[0] ?? {};
const dmThread = formatThread({ account: "7000000001", chat: 1 });

describe("start", () => {
  test("tells who the bot is and where a person can open it", async () => {
    const { start } = await prepareAdapter();
    const link = "https://t.me/threadlinetstbot";
    expect(await start()).toEqual({
      account: "7000000001",
      name: "Threadline",
      link,
      codeLink: `${link}?start=`,
    });
  });
  test("a refused token ends it with a sentence that says where to get the right one", async () => {
    const { server, start } = await prepareAdapter();
    server.setRevoked(true);
    await expect(start()).rejects.toMatchObject({ code: "auth", message: expect.stringContaining("BotFather") });
  });
  test("a webhook that blocks polling is removed, and where there is none nothing is", async () => {
    const { server, start, adapter } = await prepareAdapter();
    server.setWebhook("https://elsewhere.example/hook");
    await start();
    await eventually(() => expect(adapter.health().connected).toBe(true));
    expect(server.calls.filter(({ method }) => method === "deleteWebhook")).toHaveLength(1);
    const other = await runAdapter();
    await eventually(() => expect(other.adapter.health().connected).toBe(true));
    expect(other.server.calls.filter(({ method }) => method === "deleteWebhook")).toEqual([]);
  });
  test("SEC-04: a token that is none is refused without being shown, and a newline is trimmed", () => {
    const read = (bot_token: string) => telegram.config.safeParse({ bot_token });
    expect(read("xoxb-SECRETSECRET").error?.message).toContain("BotFather");
    expect(read("xoxb-SECRETSECRET").error?.message).not.toContain("SECRET");
    expect(read("123456:AAbb_cc-dd\n").data).toMatchObject({ bot_token: "123456:AAbb_cc-dd" });
    expect(telegram.config.safeParse({ bot_tokn: "x" }).success).toBe(false);
    expect(telegram.configured(telegram.config.parse({}))).toBe(false);
  });
});

describe("the menu", () => {
  test("is set where it differs, and left alone where it does not", async () => {
    const { server } = await runAdapter();
    await eventually(() => expect(server.commands).toEqual(MENU));
    const log: string[] = [];
    const config = telegram.config.parse({ bot_token: server.token, api_url: server.url });
    const again = await telegram.create(config, adapterDeps(log, fastClock()));
    await again.start(() => Promise.resolve({ accepted: true }), { origin: "", mount: () => {} });
    onTestFinished(() => again.stop());
    await eventually(() => expect(server.calls.filter(({ method }) => method === "getMyCommands")).toHaveLength(2));
    await sleep(30);
    expect(server.calls.filter(({ method }) => method === "setMyCommands")).toHaveLength(1);
  });
  test("LIFE-02: a menu and a typing sign that fail end nothing; the menu is set later", async () => {
    const { server, adapter, inbound, start } = await prepareAdapter();
    server.fail({ method: "setMyCommands", drop: "before", times: 2 });
    server.fail({ method: "sendChatAction", drop: "before", times: 1 });
    await start();
    const sam = server.user(1, "Sam");
    sam.say(sam.dm, "hi");
    await expect(adapter.presence(dmThread, true)).resolves.toBeUndefined();
    await eventually(() => expect(inbound).toHaveLength(1));
    await eventually(() => expect(server.commands).toEqual(MENU));
    await adapter.presence(dmThread, true);
    expect(server.chat(1).actions).toHaveLength(1);
    server.fail({ method: "sendChatAction", retryAfter: 9 });
    await expect(adapter.presence(dmThread, true)).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 9000 });
  });
});

describe("presses", () => {
  test("BTN-01: a press brings the token back, within 64 bytes, and is acknowledged", async () => {
    const { server, adapter, inbound } = await runAdapter();
    const sam = server.user(1, "Sam");
    const { post } = await adapter.send(dmThread, only(adapter.render(question)), "n");
    const [asked] = sam.dm.messages;
    if (!asked) throw new Error("Expected the question in the chat.");
    const pressed = sam.press(asked, options[1] ?? "");
    expect(await pressed.answer).toBe("");
    expect(theOne(inbound, "press")).toMatchObject({ token: "token-1", post, thread: dmThread, author: { id: "1" } });
  });
  test("a refused press is told to the presser alone, in at most 200 characters", async () => {
    const running = await runAdapter();
    const { server, adapter } = running;
    running.answer = () => ({ accepted: false, reply: { type: "notice", text: `Sam is asked. ${"x".repeat(300)}` } });
    const sam = server.user(1, "Sam");
    await adapter.send(dmThread, only(adapter.render(question)), "n");
    const [asked] = sam.dm.messages;
    if (!asked) throw new Error("Expected the question in the chat.");
    const told = await sam.press(asked, 0).answer;
    expect(told).toMatch(/^Sam is asked\. x+…$/);
    expect(told.length).toBe(200);
    expect(sam.dm.messages).toHaveLength(1);
  });
  test("a press that Telegram has given up meanwhile ends nothing", async () => {
    const { server, adapter, inbound } = await runAdapter();
    const sam = server.user(1, "Sam");
    await adapter.send(dmThread, only(adapter.render(question)), "n");
    server.fail({ method: "answerCallbackQuery", status: 400, error: "Bad Request: query is too old" });
    const [asked] = sam.dm.messages;
    if (!asked) throw new Error("Expected the question in the chat.");
    sam.press(asked, 0);
    expect(await sam.press(asked, 1).answer).toBe("");
    expect(inbound).toHaveLength(2);
  });
});

test("a notice for a message is written into its own thread", async () => {
  const running = await runAdapter();
  const { server } = running;
  running.answer = () => ({ accepted: false, reply: { type: "notice", text: "Ask the operator to allow **-1002**." } });
  const forum = server.forum(-1002, "Forum");
  const topic = server.topic(forum, "Plans");
  server.user(1, "Sam").say(forum, "@threadlinetstbot hi", { topic });
  await eventually(() =>
    expect(forum.messages.at(-1)).toMatchObject({ text: "Ask the operator to allow -1002.", topic }),
  );
  expect(server.violations).toEqual([]);
});

test("a long notice for a message comes whole, in order", async () => {
  const running = await runAdapter();
  const { server } = running;
  const words = Array.from({ length: 2000 }, (_, index) => `word${index}`).join(" ");
  running.answer = () => ({ accepted: false, reply: { type: "notice", text: words } });
  const sam = server.user(1, "Sam");
  sam.say(sam.dm, "hi");
  const shown = () => sam.dm.messages.slice(1).map(({ text }) => text);
  await eventually(() => expect(shown().join(" ")).toBe(words));
  expect(shown().length).toBeGreaterThan(2);
});

test("ATT-06: a message with a file that is too large is delivered whole, and the next one works", async () => {
  const { server, inbound } = await runAdapter();
  const sam = server.user(1, "Sam");
  sam.sendFile(sam.dm, "dump.sql", Buffer.alloc(1), { caption: "summarise", sizeBytes: 25_000_000 });
  sam.say(sam.dm, "next");
  await eventually(() => expect(inbound).toHaveLength(2));
  expect(inbound).toMatchObject([
    { text: "summarise", files: [{ name: "dump.sql", sizeBytes: 25_000_000 }] },
    { text: "next" },
  ]);
  await eventually(() => expect(server.updates.pending()).toEqual([]));
});

test("what cannot be known is said: no history, no search for an earlier post", async () => {
  const { adapter } = await prepareAdapter();
  expect(adapter.health()).toEqual({ connected: false });
  const thread = formatThread({ account: "7", chat: 1 });
  expect(await adapter.find(thread, {}, "n", 0, () => false)).toBe("unknowable");
  expect(await adapter.history(thread, formatPost("7", 1, 2), 20)).toBe("unavailable");
});

describe("doctor", () => {
  const check = (server: { token: string; url: string }) =>
    telegram.check(telegram.config.parse({ bot_token: server.token, api_url: server.url }));

  test("names the bot, explains privacy mode, and takes no updates away", async () => {
    const server = await createTelegramServer({ privacy: true });
    onTestFinished(() => server.close());
    const findings = await check(server);
    expect(findings.every(({ ok }) => ok)).toBe(true);
    expect(findings.map(({ text }) => text).join("\n")).toMatch(
      /@threadlinetstbot[^]*Privacy mode is on[^]*\/setprivacy/,
    );
    expect(server.calls.map(({ method }) => method)).toEqual(["getMe", "getWebhookInfo"]);
  });
  test("says what is wrong: a webhook, a refused token, no token", async () => {
    const server = await createTelegramServer();
    onTestFinished(() => server.close());
    server.setWebhook("https://elsewhere.example");
    expect((await check(server)).filter(({ ok }) => !ok)).toMatchObject([{ text: expect.stringContaining("webhook") }]);
    server.setRevoked(true);
    expect(await check(server)).toMatchObject([{ ok: false, text: expect.stringContaining("BotFather") }]);
    expect(await telegram.check(telegram.config.parse({}))).toMatchObject([
      { ok: false, text: expect.stringContaining("bot_token") },
    ]);
  });
});
