import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApi, ownUrl } from "../../../adapters/slack/api.ts";
import { download, upload } from "../../../adapters/slack/files.ts";
import { edit, remove, send } from "../../../adapters/slack/outgoing.ts";
import { find } from "../../../adapters/slack/reading.ts";
import { render } from "../../../adapters/slack/render.ts";
import { formatPost, formatProvisional, formatThread } from "../../../adapters/slack/thread-key.ts";
import { AdapterError } from "../../../gateway/contract.ts";
import type { FileView, InboundFile, Part, View } from "../../../gateway/contract.ts";
import { createSlackServer } from "../../wire/slack-server.ts";
import { visibleText } from "../../wire/slack-visible-text.ts";
import { prepareAdapter, runAdapter } from "./running-adapter.ts";

const partOf = (view: View): Part => render(view)[0] ?? {};
const reply = (markdown: string): Part => partOf({ type: "reply", markdown });
const failure = (call: Promise<unknown>): Promise<AdapterError> =>
  call.then(
    () => Promise.reject(new Error("Expected it to fail, but it succeeded.")),
    (error: unknown) => (error instanceof AdapterError ? error : Promise.reject(error)),
  );

async function connect(requestMs?: number) {
  const server = await createSlackServer();
  onTestFinished(() => server.close());
  const tokens = { botToken: server.botToken, appToken: server.appToken, apiUrl: server.apiUrl };
  const api = createApi({ ...tokens, ...(requestMs !== undefined && { requestMs }) });
  const ana = server.user("U0ANA000001", "Ana");
  const team = server.channel("C0TEAM00001", "team", [ana]);
  const root = ana.mention(team, "hello");
  const thread = formatThread(server.team.id, team.id, root.ts);
  const bot = { team: server.team.id, user: server.bot.id, botId: server.bot.botId, name: "bot" };
  const posts = () => team.messages.filter(({ user, deleted }) => user.id === server.bot.id && !deleted);
  const texts = () => posts().map(visibleText);
  return { server, api, ana, team, root, thread, bot, posts, texts, files: { api, ...tokens } };
}

test("THR-04: every post of a long answer with a button stands in the thread of the first message", async () => {
  const { server, api, thread, posts, root } = await connect();
  const parts = [
    ...render({ type: "reply", markdown: "word ".repeat(2000) }),
    partOf({ type: "notice", markdown: "Go?", tone: "info", actions: [{ token: "t", label: "Go" }] }),
  ];
  for (const part of parts) await send(api, thread, part, "n");
  expect(posts().length).toBeGreaterThan(3);
  expect(new Set(posts().map(({ thread_ts }) => thread_ts))).toEqual(new Set([root.ts]));
  expect(server.violations).toEqual([]);
});

test("a post carries its nonce, and links in it are not unfolded", async () => {
  const { server, api, thread, posts } = await connect();
  const { post } = await send(api, thread, reply("**Hi** Ana"), "reply:r1/0/0");
  expect(posts()).toMatchObject([{ text: "Hi Ana", metadata: { event_payload: { nonce: "reply:r1/0/0" } } }]);
  expect(post).toBe(formatPost(server.team.id, "C0TEAM00001", posts()[0]?.ts ?? ""));
  expect(server.calls.at(-1)?.params).toMatchObject({ unfurl_links: "false", unfurl_media: "false" });
});

test("the first post of a provisional thread opens the real one, whose key comes back", async () => {
  const { server, api, team, posts } = await connect();
  const key = formatProvisional(server.team.id, team.id, "trigger");
  const sent = await send(api, key, partOf({ type: "request", author: "Ana", text: "who?" }), "request:1/0/0");
  const ts = posts()[0]?.ts ?? "";
  expect(posts()[0]).not.toHaveProperty("thread_ts");
  expect(sent).toEqual({
    post: formatPost(server.team.id, team.id, ts),
    thread: formatThread(server.team.id, team.id, ts),
  });
});

test("an edit replaces text and buttons and keeps the nonce; a removal removes", async () => {
  const { server, api, thread, posts, texts } = await connect();
  const open = partOf({ type: "notice", markdown: "A", tone: "info", actions: [{ token: "t", label: "Go" }] });
  const { post } = await send(api, thread, open, "notice:1/0/0");
  await edit(api, post, reply("B"));
  expect(texts()).toEqual(["B"]);
  expect(posts()[0]?.blocks).toHaveLength(1);
  expect(posts()[0]?.metadata?.event_payload).toEqual({ nonce: "notice:1/0/0" });
  await remove(api, post);
  expect(posts()).toEqual([]);
  expect(server.violations).toEqual([]);
});

describe("what Slack answers becomes a code", () => {
  test("EDIT-08: the edit of a message that is gone is `not_found`", async () => {
    const { api, thread, posts } = await connect();
    const { post } = await send(api, thread, reply("a"), "n");
    for (const message of posts()) message.deleted = true;
    expect((await failure(edit(api, post, reply("b")))).code).toBe("not_found");
  });
  test("a channel that the bot is not in, or that is archived, is `forbidden`", async () => {
    const { server, api, thread, team } = await connect();
    team.archived = true;
    expect((await failure(send(api, thread, reply("a"), "n"))).code).toBe("forbidden");
    const elsewhere = server.channel("C0ELSE00001", "else", [], { withoutBot: true });
    const there = formatProvisional(server.team.id, elsewhere.id, "x");
    expect((await failure(send(api, there, reply("a"), "n"))).code).toBe("forbidden");
  });
  test("EDIT-03: a 429 says how long to wait, nothing is repeated by itself, and the next call goes through", async () => {
    const { server, api, thread, team, texts } = await connect();
    server.fail({ method: "chat.postMessage", place: team.id, retryAfter: 26 });
    const refused = await failure(send(api, thread, reply("a"), "n"));
    expect(refused).toMatchObject({ code: "rate_limited", retryAfterMs: 26_000 });
    expect(server.calls.filter(({ method }) => method === "chat.postMessage")).toHaveLength(1);
    await send(api, thread, reply("a"), "n");
    expect(texts()).toEqual(["a"]);
  });
  test("blocks that Slack does not take are `invalid`; a part of another adapter's too", async () => {
    const { api, thread } = await connect();
    const odd = { text: "a", blocks: [{ type: "marquee" }] };
    expect((await failure(send(api, thread, odd, "n"))).code).toBe("invalid");
    expect((await failure(send(api, thread, { text: 7 }, "n"))).code).toBe("invalid");
  });
  test("a 5xx has an unknown outcome, a refused connection none", async () => {
    const { server, api, thread } = await connect();
    server.fail({ method: "chat.postMessage", status: 502 });
    expect((await failure(send(api, thread, reply("a"), "n"))).code).toBe("unknown_outcome");
    await server.close();
    await sleep(50);
    expect((await failure(send(api, thread, reply("a"), "n"))).code).toBe("unavailable");
  });
  test("an answer that never comes is `unknown_outcome`: the message may be there, and is found", async () => {
    const { server, api, thread, texts, bot, posts } = await connect(300);
    const since = Date.now();
    server.fail({ method: "chat.postMessage", drop: "after" });
    expect((await failure(send(api, thread, reply("accepted"), "reply:r/0/0"))).code).toBe("unknown_outcome");
    server.fail({ method: "chat.postMessage", delayMs: 1000 });
    expect((await failure(send(api, thread, reply("late"), "reply:r/1/0"))).code).toBe("unknown_outcome");
    expect(texts()).toEqual(["accepted"]);
    const found = await find(api, bot, { thread, part: reply("accepted"), nonce: "reply:r/0/0", since });
    expect(found).toEqual({ post: formatPost(server.team.id, "C0TEAM00001", posts()[0]?.ts ?? "") });
    expect(await find(api, bot, { thread, part: reply("x"), nonce: "reply:r/9/0", since })).toBe("absent");
  });
});

describe("the search for an earlier post", () => {
  test("goes over pages, takes no other nonce and nobody else's, and nothing from long before", async () => {
    const { api, ana, team, thread, bot, posts, root } = await connect();
    for (let index = 0; index < 230; index += 1) ana.say(team, `m${index}`, { threadTs: root.ts });
    await send(api, thread, reply("other"), "reply:r/0/1");
    await send(api, thread, reply("mine"), "reply:r/0/0");
    const sought = { thread, part: reply("mine"), nonce: "reply:r/0/0" };
    const found = await find(api, bot, { ...sought, since: Date.now() - 1000 });
    expect(found).toMatchObject({ post: expect.stringContaining(posts()[1]?.ts ?? "none") });
    expect(await find(api, { ...bot, user: "U0OTHER", botId: "B0OTHER" }, { ...sought, since: 0 })).toBe("absent");
    expect(await find(api, bot, { ...sought, since: Date.now() + 2 * 3_600_000 })).toBe("absent");
  });
  test("finds a post by its nonce also when our clock is minutes ahead of Slack's", async () => {
    const { server, api, team, thread, bot, posts } = await connect();
    await send(api, thread, reply("mine"), "reply:r/0/0");
    const sought = { part: reply("mine"), nonce: "reply:r/0/0", since: Date.now() + 120_000 };
    const found = await find(api, bot, { ...sought, thread });
    expect(found).toEqual({ post: formatPost(server.team.id, team.id, posts()[0]?.ts ?? "") });
    const key = formatProvisional(server.team.id, team.id, "trigger");
    const { post } = await send(api, key, reply("mine"), "reply:r/1/0");
    expect(await find(api, bot, { ...sought, thread: key, nonce: "reply:r/1/0" })).toMatchObject({ post });
  });
  test("looks through the place where the thread was to begin, and tells its key", async () => {
    const { server, api, team, bot, posts } = await connect();
    const key = formatProvisional(server.team.id, team.id, "trigger");
    const request = partOf({ type: "request", author: "Ana", text: "who?" });
    await send(api, key, request, "request:1/0/0");
    const sought = { thread: key, part: request, nonce: "request:1/0/0", since: Date.now() };
    expect(await find(api, bot, sought)).toMatchObject({
      thread: formatThread(server.team.id, team.id, posts()[0]?.ts ?? ""),
    });
  });
  test("asks first who the bot is where it was never told, and takes nobody else's post for its own", async () => {
    const { server, adapter, ana, team } = await prepareAdapter();
    const root = ana.say(team, "root");
    ana.say(team, "mine", { threadTs: root.ts, files: [{ name: "a.csv", bytes: Buffer.from("a;b") }] });
    const thread = formatThread(server.team.id, team.id, root.ts);
    const part = partOf({ type: "file", path: "/a.csv", name: "a.csv", mime: "text/csv", sizeBytes: 3 });
    server.fail({ method: "auth.test", status: 503 });
    const asked = () => adapter.find(thread, part, "file:1/0/0", Date.now(), () => false);
    await expect(asked()).rejects.toMatchObject({ code: "unknown_outcome" });
    expect(await asked()).toBe("absent");
    expect(server.calls.map(({ method }) => method).slice(0, 3)).toEqual([
      "auth.test",
      "auth.test",
      "conversations.replies",
    ]);
  });
  test("cannot know anything without the scope for it", async () => {
    const { server, api, thread, bot } = await connect();
    server.fail({ method: "conversations.replies", error: "missing_scope", status: 200 });
    expect(await find(api, bot, { thread, part: reply("a"), nonce: "n", since: 0 })).toBe("unknowable");
  });
});

describe("files", () => {
  async function file(name: string, bytes: string, sizeBytes = bytes.length): Promise<FileView> {
    const folder = await mkdtemp(join(tmpdir(), "threadline-slack-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "stored");
    await writeFile(path, bytes);
    return { type: "file", path, name, mime: "text/csv", sizeBytes };
  }
  test("one that goes out stands in the thread, under its name, and its message is known", async () => {
    const { server, files, thread, posts, root } = await connect();
    const { post } = await upload(files, thread, await file("Zahlen – März.csv", "a;b"));
    expect(posts()).toMatchObject([{ thread_ts: root.ts, files: [{ name: "Zahlen – März.csv" }] }]);
    expect(Buffer.from(posts()[0]?.files[0]?.bytes ?? []).toString()).toBe("a;b");
    expect(post).toBe(formatPost(server.team.id, "C0TEAM00001", posts()[0]?.ts ?? ""));
    expect(server.violations).toEqual([]);
  });
  test("one whose confirmation was lost is found by its name and size", async () => {
    const { server, api, files, thread, bot, posts } = await connect();
    const short = { ...files, api: createApi({ ...files, appToken: server.appToken, requestMs: 300 }) };
    const view = await file("a.csv", "a;b");
    const since = Date.now();
    server.fail({ method: "files.completeUploadExternal", drop: "after" });
    expect((await failure(upload(short, thread, view))).code).toBe("unknown_outcome");
    const found = await find(api, bot, { thread, part: partOf(view), nonce: "file:1/0/0", since });
    expect(found).toMatchObject({ post: expect.stringContaining(posts()[0]?.ts ?? "none") });
    // The same report of a while ago is another one.
    const sought = { thread, part: partOf(view), nonce: "file:1/0/0", since: Date.now() + 120_000 };
    expect(await find(api, bot, sought)).toBe("absent");
    const other = partOf({ ...view, sizeBytes: 99 });
    expect(await find(api, bot, { thread, part: other, nonce: "file:1/0/0", since })).toBe("absent");
  });
  test("what fails before the last step has shown nothing", async () => {
    const { server, files, thread, posts } = await connect();
    server.fail({ method: "files.getUploadURLExternal", status: 502 });
    expect((await failure(upload(files, thread, await file("a.csv", "a")))).code).toBe("unavailable");
    expect(posts()).toEqual([]);
  });
  test("one that is gone is `invalid`, without a call", async () => {
    const { server, files, thread } = await connect();
    const gone = { ...(await file("dump.sql", "x", 1)), path: "/nowhere/at/all" };
    expect((await failure(upload(files, thread, gone))).code).toBe("invalid");
    expect(server.calls).toEqual([]);
  });
});

describe("ATT-01: files that come in", () => {
  /** A host that gives one answer to everything, and notes what it was asked with. */
  async function host(body: string, headers: Readonly<Record<string, string>>, status = 200) {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(status, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
    const apiUrl = `${origin}/api/`;
    const files = { api: createApi({ botToken: "xoxb-1", appToken: "xapp-1", apiUrl }), apiUrl, botToken: "xoxb-1" };
    return { seen, files, fileAt: (name: string): InboundFile => ({ id: `F1 ${origin}/x`, name }) };
  }
  const bytes = async (chunks: Promise<AsyncIterable<Uint8Array>>) => (await buffer(await chunks)).toString();

  test("the bytes are those that were sent, fetched with the token", async () => {
    const running = await runAdapter();
    const { ana, adapter, inbound, server } = running;
    ana.say(ana.dm, "see log", { files: [{ name: "a.log", bytes: Buffer.from("hello") }] });
    await expect.poll(() => inbound.length).toBe(1);
    const [event] = inbound;
    const [sent] = event?.type === "message" ? event.files : [];
    expect(await bytes(adapter.download(sent ?? { id: "", name: "" }))).toBe("hello");
    // Where Slack gave only the id, the address is asked for.
    expect(await bytes(adapter.download({ id: sent?.id.split(" ")[0] ?? "", name: "a.log" }))).toBe("hello");
    expect(server.calls.at(-1)?.method).toBe("files.info");
  });
  test("a sign-in page is no file, whether it says what it is or not, and the scope is named", async () => {
    for (const headers of [{ "content-type": "text/html; charset=utf-8" }, { "content-type": "" }]) {
      const { files, fileAt, seen } = await host("\n<!DOCTYPE html><title>Sign in", headers);
      const refused = await failure(bytes(download(files, fileAt("photo.png"))));
      expect(refused).toMatchObject({ code: "forbidden", message: expect.stringContaining("files:read") });
      expect(seen).toEqual(["Bearer xoxb-1"]);
    }
  });
  test("a real web page is a file", async () => {
    const { files, fileAt } = await host("<!doctype html>ok", { "content-type": "text/html" });
    expect(await bytes(download(files, fileAt("page.html")))).toBe("<!doctype html>ok");
    expect(await bytes(download(files, { ...fileAt("page"), mime: "text/html" }))).toBe("<!doctype html>ok");
  });
  test("the token is not carried to another place by a redirect, nor sent to any other host", async () => {
    const { files, fileAt } = await host("", { location: "http://127.0.0.1:1/" }, 302);
    expect((await failure(download(files, fileAt("a")))).code).toBe("unknown_outcome");
    const { files: other, seen } = await host("", {});
    const elsewhere = { id: "F1 https://slack.com.evil.example/x", name: "a" };
    expect(await failure(download(other, elsewhere))).toMatchObject({
      code: "invalid",
      message: expect.stringContaining("evil.example"),
    });
    expect(seen).toEqual([]);
  });
});

test("only Slack's own hosts, by https, and the one we were told to talk to, are ours", () => {
  const api = "http://127.0.0.1:8000/api/";
  for (const own of ["https://slack.com/x", "https://files.slack.com/x", "http://127.0.0.1:8000/files"])
    expect(ownUrl(own, api).href).toBe(own);
  for (const other of [
    "http://files.slack.com/x",
    "https://slack.com@evil.example/",
    "https://notslack.com",
    "http://127.0.0.1:8001/",
    "x",
  ])
    expect(() => ownUrl(other, api)).toThrow("Expected an address of Slack's");
});

describe("SEC-01: the tokens stay out of everything that is said about a failure", () => {
  const everything = (error: unknown): string =>
    error instanceof Error
      ? [error.message, error.stack, JSON.stringify(error), everything(error.cause)].join()
      : String(error);

  test("in errors", async () => {
    const { server, api, thread, files } = await connect();
    server.setRevoked("bot", true);
    const errors = [await failure(send(api, thread, reply("a"), "n"))];
    await server.close();
    await sleep(50);
    errors.push(await failure(send(api, thread, reply("a"), "n")));
    errors.push(await failure(download(files, { id: `F1 ${server.apiUrl}x`, name: "a" })));
    expect(errors.map(({ code }) => code)).toEqual(["auth", "unavailable", "unavailable"]);
    for (const error of errors) expect(everything(error)).not.toMatch(/TestToken|xoxb-\d|xapp-\d/);
  });
  test("in the log, when everything fails; neither are tickets of sockets or what people wrote", async () => {
    const { server, log, adapter, ana, thread } = await (async () => {
      const running = await runAdapter();
      return { ...running, thread: formatThread(running.server.team.id, running.team.id, "1.000100") };
    })();
    ana.say(ana.dm, "TOP SECRET");
    server.push("events_api", {
      type: "event_callback",
      team_id: "T1",
      event: { type: "message", text: "TOP SECRET", ts: 7 },
    });
    await adapter.presence(thread, true);
    await failure(adapter.send(thread, reply("TOP SECRET"), "n"));
    server.disconnect();
    server.setRevoked("app", true);
    server.killSocket();
    await expect.poll(() => adapter.health().connected).toBe(false);
    await server.close();
    await adapter.presence(thread, true);
    await adapter.stop();
    expect(log.length).toBeGreaterThan(0);
    expect(log.join()).toContain("event.ts");
    expect(log.join()).not.toMatch(/TestToken|xoxb-\d|xapp-\d|ticket=|TOP SECRET/);
  });
});
