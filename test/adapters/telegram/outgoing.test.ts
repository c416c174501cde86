import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApi } from "../../../adapters/telegram/api.ts";
import { download, edit, remove, send, showDraft, upload } from "../../../adapters/telegram/outgoing.ts";
import { render } from "../../../adapters/telegram/render.ts";
import { formatPost, formatThread } from "../../../adapters/telegram/thread-key.ts";
import { AdapterError } from "../../../gateway/contract.ts";
import type { FileView, Part } from "../../../gateway/contract.ts";
import { createTelegramServer } from "../../wire/telegram-server.ts";
import { runAdapter } from "./running-adapter.ts";

const reply = (markdown: string): Part => render({ type: "reply", markdown })[0] ?? {};
const failure = (call: Promise<unknown>): Promise<AdapterError> =>
  call.then(
    () => Promise.reject(new Error("Expected it to fail, but it succeeded.")),
    (error: unknown) => (error instanceof AdapterError ? error : Promise.reject(error)),
  );

async function connect(requestMs?: number) {
  const server = await createTelegramServer();
  onTestFinished(() => server.close());
  const api = createApi({ token: server.token, apiUrl: server.url, ...(requestMs !== undefined && { requestMs }) });
  const sam = server.user(55, "Sam");
  const thread = formatThread({ account: api.account, chat: 55 });
  return { server, api, sam, thread, texts: () => sam.dm.messages.map(({ text }) => text) };
}

test("a reply arrives with its types, loudly and without a preview of its links", async () => {
  const { server, api, sam, thread } = await connect();
  expect((await send(api, thread, reply("**Hi** Sam"))).post).toBe(formatPost(api.account, 55, 1));
  expect(sam.dm.messages).toMatchObject([
    { text: "Hi Sam", entities: [{ type: "bold", offset: 0, length: 2 }], silent: false },
  ]);
  expect(server.calls.at(-1)?.params).toMatchObject({ link_preview_options: { is_disabled: true } });
  expect(server.calls.at(-1)?.params).not.toHaveProperty("parse_mode");
  expect(server.violations).toEqual([]);
});

test("a draft has its types and nothing that is open, pings nobody, and is none while nothing can be shown", async () => {
  const { server, api, sam, thread } = await connect();
  await showDraft(api, thread, { id: 7, markdown: "**Hi" });
  expect(sam.dm.drafts).toEqual([]);
  await showDraft(api, thread, { id: 7, markdown: "**Hi** @someone, see [the do" });
  expect(sam.dm.drafts).toMatchObject([{ id: 7, text: "Hi @someone, see " }]);
  expect(server.calls.at(-1)?.params).toMatchObject({
    entities: [{ type: "bold" }, { type: "text_link", url: "https://t.me/someone" }],
  });
  await showDraft(api, thread, { id: 7, markdown: "word ".repeat(5000) });
  expect(sam.dm.drafts.at(-1)?.text).toMatch(/ …$/);
  expect(server.violations).toEqual([]);
});

test("an edit changes the message in place, and takes the buttons away when there are none", async () => {
  const { api, sam, thread } = await connect();
  const [open = {}] = render({ type: "notice", markdown: "A", tone: "info", actions: [{ token: "t", label: "Go" }] });
  const { post } = await send(api, thread, open);
  expect(sam.dm.messages[0]).toMatchObject({ silent: true, keyboard: [[{ text: "Go", callback_data: "t" }]] });
  await edit(api, post, reply("B"));
  expect(sam.dm.messages).toMatchObject([{ text: "B", keyboard: [], edits: [{ text: "A" }] }]);
});

describe("THR-02: where a message goes", () => {
  test("General is written to without a topic, another topic with its own", async () => {
    const { server, api } = await connect();
    const forum = server.forum(-1002, "Forum");
    const topic = server.topic(forum, "Plans");
    const at = (id: number) => formatThread({ account: api.account, chat: -1002, topic: id });
    await send(api, at(1), reply("to General"));
    await send(api, at(topic), reply("to Plans"));
    expect(forum.messages.slice(1)).toMatchObject([{ topic: 1 }, { topic }]);
    expect(server.calls.map(({ params }) => params["message_thread_id"])).toEqual([undefined, topic]);
  });
  test("a thread of a plain group replies to its first message, also when that is gone", async () => {
    const { server, api, sam } = await connect();
    const group = server.group(-500, "Team");
    const asked = sam.say(group, "@threadlinetstbot hi");
    const thread = formatThread({ account: api.account, chat: -500, root: asked.message_id });
    await send(api, thread, reply("one"));
    asked.deleted = true;
    await send(api, thread, reply("two"));
    expect(group.messages.slice(1)).toMatchObject([{ text: "one", replyTo: asked.message_id }, { text: "two" }]);
    expect(group.messages[2]?.replyTo).toBeUndefined();
  });
});

describe("what Telegram answers becomes a code", () => {
  test("EDIT-01: an edit that changes nothing is `not_modified`", async () => {
    const { api, thread } = await connect();
    const { post } = await send(api, thread, reply("same"));
    expect((await failure(edit(api, post, reply("same")))).code).toBe("not_modified");
  });
  test("EDIT-08: the edit of a message that is gone is `not_found`", async () => {
    const { api, sam, thread } = await connect();
    const { post } = await send(api, thread, reply("a"));
    for (const message of sam.dm.messages) message.deleted = true;
    expect((await failure(edit(api, post, reply("b")))).code).toBe("not_found");
  });
  test("EDIT-08: a chat that has blocked the bot, or that it cannot find, is `forbidden`", async () => {
    const { api, sam, thread } = await connect();
    sam.setBot(sam.dm, "blocked");
    expect((await failure(send(api, thread, reply("a")))).code).toBe("forbidden");
    const nowhere = formatThread({ account: api.account, chat: 999 });
    expect((await failure(send(api, nowhere, reply("a")))).code).toBe("forbidden");
  });
  test("EDIT-03: a 429 says how long to wait", async () => {
    const { server, api, thread, texts } = await connect();
    server.fail({ method: "sendMessage", place: 55, retryAfter: 26 });
    expect(await failure(send(api, thread, reply("a")))).toMatchObject({ code: "rate_limited", retryAfterMs: 26_000 });
    await send(api, thread, reply("a"));
    expect(texts()).toEqual(["a"]);
  });
  test("a text above the limit is `too_long`, an empty one `invalid`", async () => {
    const { api, thread } = await connect();
    expect((await failure(send(api, thread, { text: "x".repeat(4097), entities: [] }))).code).toBe("too_long");
    expect((await failure(send(api, thread, { text: " ", entities: [] }))).code).toBe("invalid");
    expect((await failure(send(api, thread, { text: 7 }))).code).toBe("invalid");
  });
  test("a group that became a supergroup takes the post under its new id, and the thread goes on there", async () => {
    const { server, api } = await connect();
    const group = server.group(-77, "team");
    const thread = formatThread({ account: api.account, chat: group.id, root: 5 });
    const { post } = await send(api, thread, reply("before"));
    const supergroup = server.migrate(group, -100_777);
    const sent = await send(api, thread, reply("after"));
    expect(supergroup.messages.map(({ text, replyTo }) => [text, replyTo])).toEqual([["after", undefined]]);
    expect(sent).toEqual({ post: `${api.account}:-100777/1`, thread: `telegram:${api.account}:-100777` });
    expect((await failure(edit(api, post, reply("changed")))).code).toBe("not_found");
    expect((await failure(remove(api, post))).code).toBe("not_found");
  });
  test("a wrong token is `auth`, with where to get the right one", async () => {
    const { server, api, thread } = await connect();
    server.setRevoked(true);
    const revoked = await failure(send(api, thread, reply("a")));
    expect(revoked).toMatchObject({ code: "auth", message: expect.stringContaining("BotFather") });
  });
  test("a 5xx has an unknown outcome, a refused connection none: nothing was accepted", async () => {
    const { server, api, thread, texts } = await connect();
    server.fail({ method: "sendMessage", status: 502 });
    expect((await failure(send(api, thread, reply("a")))).code).toBe("unknown_outcome");
    expect(texts()).toEqual([]);
    await server.close();
    // The client must see its idle connection end first: a request that dies on it would have an unknown outcome.
    await sleep(50);
    expect((await failure(send(api, thread, reply("a")))).code).toBe("unavailable");
  });
  test("an answer that never comes is `unknown_outcome`: the message may be there", async () => {
    const { server, api, thread, texts } = await connect(300);
    server.fail({ method: "sendMessage", drop: "after" });
    expect((await failure(send(api, thread, reply("accepted")))).code).toBe("unknown_outcome");
    expect(texts()).toEqual(["accepted"]);
    server.fail({ method: "sendMessage", delayMs: 1000 });
    expect((await failure(send(api, thread, reply("late")))).code).toBe("unknown_outcome");
  });
});

describe("files", () => {
  async function file(name: string, mime: string, bytes: string, sizeBytes = bytes.length): Promise<FileView> {
    const folder = await mkdtemp(join(tmpdir(), "threadline-telegram-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "stored");
    await writeFile(path, bytes);
    return { type: "file", path, name, mime, sizeBytes };
  }
  test("a picture goes as a photo, anything else as a document, both into the thread", async () => {
    const { server, api } = await connect();
    const group = server.group(-500, "Team");
    const sam = server.user(56, "Ana");
    const asked = sam.say(group, "@threadlinetstbot draw");
    const thread = formatThread({ account: api.account, chat: -500, root: asked.message_id });
    await upload(api, thread, await file("chart.png", "image/png", "png bytes"));
    await upload(api, thread, await file("Zahlen – März.csv", "text/csv", "a;b"));
    expect(group.messages.slice(1)).toMatchObject([
      { replyTo: asked.message_id, file: { type: "photo", name: "chart.png" } },
      { replyTo: asked.message_id, file: { type: "document", name: "Zahlen – März.csv" } },
    ]);
    expect(Buffer.from(group.messages[2]?.file?.bytes ?? []).toString()).toBe("a;b");
    expect(server.violations).toEqual([]);
  });
  test("a picture that Telegram does not take as a photo goes as a document", async () => {
    const { server, api, sam, thread } = await connect();
    server.fail({ method: "sendPhoto", status: 400, error: "Bad Request: PHOTO_INVALID_DIMENSIONS" });
    await upload(api, thread, await file("long.png", "image/png", "x"));
    expect(sam.dm.messages).toMatchObject([{ file: { type: "document", name: "long.png" } }]);
  });
  test("a file that is gone is `invalid`, without a call", async () => {
    const { server, api, thread } = await connect();
    const gone = { ...(await file("dump.sql", "text/plain", "x", 1)), path: "/nowhere/at/all" };
    expect((await failure(upload(api, thread, gone))).code).toBe("invalid");
    expect(server.calls).toEqual([]);
  });
  test("the bytes of a file that came in are those that were sent", async () => {
    const { api, sam } = await connect();
    const sent = sam.sendFile(sam.dm, "note.txt", Buffer.from("hello"), { mime: "text/plain" });
    const chunks = await download(api, { id: sent.file?.file_id ?? "", name: "note.txt" });
    expect((await buffer(chunks)).toString()).toBe("hello");
  });
  test("ATT-06: where the size of a file is unknown Telegram's refusal is told", async () => {
    const { api, sam } = await connect();
    const sent = sam.sendFile(sam.dm, "a", Buffer.alloc(1), { sizeBytes: 25_000_000 });
    const refused = await failure(download(api, { id: sent.file?.file_id ?? "", name: "a" }));
    expect(refused).toMatchObject({ code: "invalid", message: expect.stringContaining("file is too big") });
  });
});

describe("SEC-01: the token stays out of everything that is said about a failure", () => {
  const everything = (error: unknown): string =>
    error instanceof Error
      ? [error.message, error.stack, JSON.stringify(error), everything(error.cause)].join()
      : String(error);

  test.each(["getMe", "sendMessage", "download"])("%s", async (what) => {
    const { server, api, thread, sam } = await connect();
    const sent = sam.sendFile(sam.dm, "a", Buffer.from("x"));
    await server.close();
    await sleep(50);
    const call = {
      getMe: () => api.call("getMe", {}),
      sendMessage: () => send(api, thread, reply("a")),
      download: () => api.bytes(`files/${sent.file?.file_id}`),
    }[what];
    const error = await failure(call?.() ?? Promise.resolve());
    expect(error.code).toBe("unavailable");
    expect(everything(error)).not.toContain(server.token.split(":")[1]);
  });
  test("nor is it in the log when everything fails", async () => {
    const { server, log, adapter } = await runAdapter();
    for (const drop of ["before", "after"] as const) server.fail({ drop, times: 4 });
    const thread = formatThread({ account: "7000000001", chat: 1 });
    await adapter.presence(thread, true);
    await failure(adapter.send(thread, reply("a"), "n"));
    await server.close();
    await adapter.presence(thread, true);
    await adapter.stop();
    expect(log.length).toBeGreaterThan(0);
    expect(log.join()).not.toContain(server.token.split(":")[1]);
  });
});
