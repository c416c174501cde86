import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { send } from "../../../adapters/discord/outgoing.ts";
import { download } from "../../../adapters/discord/download.ts";
import { createChannels } from "../../../adapters/discord/channels.ts";
import { createNonces, nonceOf } from "../../../adapters/discord/nonces.ts";
import { find } from "../../../adapters/discord/reading.ts";
import { createApi } from "../../../adapters/discord/rest.ts";
import { formatThread } from "../../../adapters/discord/thread-key.ts";
import { AdapterError } from "../../../gateway/contract.ts";
import type { FileView, Part, PostRef, View } from "../../../gateway/contract.ts";
import { silentLog, tempFolder } from "../../helpers.ts";
import type { DiscordServer } from "../../wire/discord-server.ts";
import { byBot, eventually, prepareAdapter, theOne } from "./running-adapter.ts";

/** Not connected: everything here is a call. */
async function direct() {
  const running = await prepareAdapter();
  const { server, adapter } = running;
  const sam = server.user("1100000000000000001", "Sam");
  const thread = formatThread({ type: "direct", channel: sam.dm.id });
  const part = (view: View): Part => adapter.render(view)[0] ?? {};
  const reply = (markdown: string): Part => part({ type: "reply", markdown });
  const posts = () => byBot(sam.dm.messages);
  return { ...running, sam, thread, part, reply, posts, texts: () => posts().map(({ shown }) => shown.content) };
}
const failure = (call: Promise<unknown>): Promise<AdapterError> =>
  call.then(
    () => Promise.reject(new Error("Expected it to fail, but it succeeded.")),
    (error: unknown) => (error instanceof AdapterError ? error : Promise.reject(error)),
  );

/** Another process, so much later that no nonce holds any more; `now`: its clock, at the beginning. */
function readLater(server: DiscordServer, now = () => Date.now()) {
  const api = createApi({ token: server.token, apiUrl: server.api, now });
  const account = () => server.bot.id;
  const known = { api, channels: createChannels(api, account), nonces: createNonces(), log: silentLog };
  return { ...known, mode: "auto" as const, account, now: () => now() + 600_000 };
}

/** No post has a receipt. */
const nobody = () => false;

const [SUPPRESS_EMBEDS, SILENT] = [4, 4096];

describe("a post", () => {
  test("MD-05: pings nobody, previews no link, and carries its nonce", async () => {
    const { server, adapter, thread, reply, part, posts } = await direct();
    await adapter.send(thread, reply("hi @everyone <@1100000000000000001>"), "reply:r1/0/0");
    await adapter.send(thread, part({ type: "notice", markdown: "quiet", tone: "info" }), "notice:n1/0/0");
    expect(posts().map(({ shown, pings }) => [shown.flags, pings])).toEqual([
      [SUPPRESS_EMBEDS, []],
      [SUPPRESS_EMBEDS | SILENT, []],
    ]);
    expect(server.calls[0]?.body).toMatchObject({
      allowed_mentions: { parse: [], replied_user: false },
      nonce: nonceOf("reply:r1/0/0"),
      enforce_nonce: true,
    });
    expect(nonceOf("reply:r1/0/0")).toMatch(/^[\w-]{25}$/);
    expect(server.violations).toEqual([]);
  });
  test("that is sent again under its nonce is still one", async () => {
    const { server, adapter, thread, reply, texts } = await direct();
    server.fail({ method: "POST /channels/:id/messages", drop: "after" });
    expect((await failure(adapter.send(thread, reply("once"), "n"))).code).toBe("unknown_outcome");
    const { post } = await adapter.send(thread, reply("once"), "n");
    expect(texts()).toEqual(["once"]);
    expect(await adapter.send(thread, reply("once"), "n")).toEqual({ post });
  });
  test("an edit changes it in place, and takes the buttons away when there are none", async () => {
    const { server, adapter, thread, reply, part, posts } = await direct();
    const actions = [{ token: "t", label: "Go" }];
    const { post } = await adapter.send(thread, part({ type: "notice", markdown: "A", tone: "info", actions }), "n");
    expect(posts()[0]?.shown.components).toHaveLength(1);
    await adapter.edit(thread, post, reply("B"));
    expect(posts()).toMatchObject([{ shown: { content: "B", components: [] }, edits: [{ content: "A" }] }]);
    expect(server.violations, "also an edit pings nobody").toEqual([]);
    await adapter.remove(thread, post);
    expect(posts()).toEqual([]);
  });
});

describe("what Discord answers becomes a code", () => {
  test("EDIT-08: a message that is gone is `not_found`, a person who is not reached `forbidden`", async () => {
    const { adapter, sam, thread, reply } = await direct();
    const { post } = await adapter.send(thread, reply("a"), "n1");
    await adapter.remove(thread, post);
    expect((await failure(adapter.edit(thread, post, reply("b")))).code).toBe("not_found");
    expect((await failure(adapter.remove(thread, post))).code).toBe("not_found");
    sam.setBlocked(true);
    expect((await failure(adapter.send(thread, reply("a"), "n2"))).code).toBe("forbidden");
  });
  test("a 429 says how long to wait; other places are not held by it", async () => {
    const { server, adapter, thread, reply } = await direct();
    const ana = server.user("1100000000000000002", "Ana");
    server.fail({ method: "POST /channels/:id/messages", retryAfter: 26 });
    const limited = await failure(adapter.send(thread, reply("a"), "n1"));
    expect(limited.code).toBe("rate_limited");
    expect(limited.retryAfterMs).toBeGreaterThanOrEqual(25_000);
    expect(limited.everywhere).toBe(false);
    await adapter.send(formatThread({ type: "direct", channel: ana.dm.id }), reply("b"), "n2");
    expect(byBot(ana.dm.messages)).toHaveLength(1);
  });
  test("a 429 for the whole bot says so", async () => {
    const { server, adapter, thread, reply } = await direct();
    server.fail({ method: "POST /channels/:id/messages", retryAfter: 26, global: true });
    const limited = await failure(adapter.send(thread, reply("a"), "n1"));
    expect(limited).toMatchObject({ code: "rate_limited", everywhere: true });
    expect(limited.retryAfterMs).toBeGreaterThanOrEqual(25_000);
  });
  test("a 5xx and a cut leave it open whether a post was made; nothing is repeated by itself", async () => {
    const { server, adapter, thread, reply, texts } = await direct();
    server.fail({ method: "POST /channels/:id/messages", status: 503 });
    server.fail({ method: "POST /channels/:id/messages", drop: "before" });
    expect((await failure(adapter.send(thread, reply("a"), "n"))).code).toBe("unknown_outcome");
    expect((await failure(adapter.send(thread, reply("a"), "n"))).code).toBe("unknown_outcome");
    expect(server.calls).toHaveLength(2);
    expect(texts()).toEqual([]);
  });
  test("an answer that does not come in time has an unknown outcome", async () => {
    const { server, sam, thread, reply } = await direct();
    const api = createApi({ token: server.token, apiUrl: server.api, requestMs: 100 });
    const account = () => server.bot.id;
    const known = { api, channels: createChannels(api, account), nonces: createNonces(), log: silentLog };
    const deps = { ...known, account, mode: "auto" } as const;
    server.fail({ method: "POST /channels/:id/messages", delayMs: 400 });
    expect((await failure(send(deps, thread, reply("slow"), "n"))).code).toBe("unknown_outcome");
    await eventually(() => expect(byBot(sam.dm.messages)).toHaveLength(1));
  });
  test("a part of another platform is refused", async () => {
    const { adapter, thread } = await direct();
    expect((await failure(Promise.resolve().then(() => adapter.send(thread, { text: "x" }, "n")))).code).toBe(
      "invalid",
    );
  });
});

describe("looking for an earlier post", () => {
  test("finds it by its text and buttons, not before the given moment, and only its own", async () => {
    const { server, adapter, sam, thread, reply, part } = await direct();
    const began = Date.now() - 90_000;
    const { post } = await adapter.send(thread, reply("**the** answer\n"), "n1");
    sam.say(sam.dm, "what else?");
    expect(await adapter.find(thread, reply("**the** answer\n"), "n1", began, nobody)).toEqual({ post });
    expect(await adapter.find(thread, reply("what else?"), "n2", began, nobody)).toBe("absent");
    const actions = [{ token: "t1", label: "Go" }];
    const same: View = { type: "notice", markdown: "**the** answer", tone: "info", actions };
    expect(await adapter.find(thread, part(same), "n3", began, nobody)).toBe("absent");
    expect(
      await adapter.find(thread, reply("**the** answer\n"), "n4", Date.now(), nobody),
      "the nonce's business",
    ).toBe("absent");
    const reading = readLater(server);
    const found = (since: number) =>
      find(reading, { thread, part: reply("**the** answer"), nonce: "n5", since, known: nobody });
    // Discord's clock is known to a second.
    expect(await found(Date.now() - 1000)).toEqual({ post });
    expect(await found(Date.now() + 120_000)).toBe("absent");
  });
  test("never takes an earlier post of the same words for the missing one, nor one that is known to be another's", async () => {
    const { server, adapter, sam, thread, reply } = await direct();
    const { post } = await adapter.send(thread, reply("Done."), "slot1/0/0");
    expect(await adapter.find(thread, reply("Done."), "slot2/0/0", Date.now() - 90_000, nobody)).toBe("absent");
    expect(await adapter.find(thread, reply("Done."), "slot1/0/0", Date.now() - 90_000, nobody)).toEqual({ post });
    // Another process knows no nonces, but when the post was made.
    const reading = readLater(server);
    const since = Date.now() + 20_000;
    expect(await find(reading, { thread, part: reply("Done."), nonce: "slot2/0/0", since, known: nobody })).toBe(
      "absent",
    );
    expect(
      await find(reading, { thread, part: reply("Done."), nonce: "slot1/0/0", since: since - 21_000, known: nobody }),
    ).toEqual({ post });
    expect(
      await find(reading, { thread, part: reply("Done."), nonce: "slot2/0/0", since: since - 21_000, known: nobody }),
      "found before",
    ).toBe("absent");
    expect(sam.dm.messages).toHaveLength(1);
  });
  test("goes by Discord's clock where ours is wrong", async () => {
    const { server, adapter, thread, reply } = await direct();
    const { post } = await adapter.send(thread, reply("Done."), "n1");
    const wrongBy = -3_600_000;
    const reading = readLater(server, () => Date.now() + wrongBy);
    const search = (since: number) =>
      find(reading, { thread, part: reply("Done."), nonce: "n1", since: since + wrongBy, known: nobody });
    expect(await search(Date.now() + 20_000)).toBe("absent");
    expect(await search(Date.now() - 20_000)).toEqual({ post });
  });
  test("never takes a post that has a receipt for the missing one of the same words, also after a restart", async () => {
    const { server, adapter, thread, reply } = await direct();
    const since = Date.now() - 1000;
    const { post } = await adapter.send(thread, reply("Done."), "slot1/0/0");
    const lost = await adapter.send(thread, reply("Done."), "slot2/0/0");
    const search = (known: (one: PostRef) => boolean) =>
      find(readLater(server), { thread, part: reply("Done."), nonce: "slot2/0/0", since, known });
    expect(await search((one) => one === post)).toEqual(lost);
    expect(await search(() => true)).toBe("absent");
  });
  test("finds it behind more messages than a page holds", async () => {
    const { server, adapter, sam, thread, reply } = await direct();
    const since = Date.now() - 1000;
    for (let count = 0; count < 250; count += 1) sam.say(sam.dm, `message ${count}`);
    const { post } = await adapter.send(thread, reply("Done."), "slot1/0/0");
    const sought = { thread, part: reply("Done."), nonce: "slot1/0/0", since, known: nobody };
    expect(await find(readLater(server), sought)).toEqual({ post });
  });
  test("in a thread that was never opened there is nothing", async () => {
    const { server, adapter, reply } = await direct();
    const guild = server.guild("Team");
    const channel = server.channel(guild, "general");
    const thread = formatThread({ type: "thread", guild: guild.id, parent: channel.id, thread: "1400000000000000999" });
    expect(await adapter.find(thread, reply("x"), "n", Date.now() - 90_000, nobody)).toBe("absent");
  });
});

describe("files", () => {
  async function file(name: string, mime: string, content: string, sizeBytes = content.length): Promise<FileView> {
    const at = path.join(tempFolder(), "file");
    await writeFile(at, content);
    return { type: "file", path: at, name, mime, sizeBytes };
  }
  test("arrive with their name and bytes, and are found again", async () => {
    const { server, adapter, thread, part, posts } = await direct();
    const view = await file("my numbers.csv", "text/csv", "a;b");
    const sent = await adapter.upload(thread, view, "file:f1/0/0");
    expect(posts().map(({ shown }) => shown.files.map(({ bytes }) => Buffer.from(bytes).toString()))).toEqual([
      ["a;b"],
    ]);
    expect(await adapter.find(thread, part(view), "file:f1/0/0", Date.now() - 90_000, nobody)).toEqual(sent);
    const longer = await file("my numbers.csv", "text/csv", "a;b;c");
    const other = (await prepareAdapter({ server })).adapter;
    const search = (wanted: FileView) => other.find(thread, part(wanted), "file:f2/0/0", Date.now() - 90_000, nobody);
    expect(await search(longer), "another file of that name").toBe("absent");
    expect(await search(view)).toEqual(sent);
    await adapter.upload(thread, view, "file:f1/0/0");
    expect(posts()).toHaveLength(1);
    expect(server.violations).toEqual([]);
  });
  test("that are gone are `invalid`, without a call", async () => {
    const { server, adapter, thread } = await direct();
    const gone = { ...(await file("dump.sql", "text/plain", "x", 1)), path: "/nowhere/at/all" };
    expect((await failure(adapter.upload(thread, gone, "n"))).code).toBe("invalid");
    expect(server.calls).toEqual([]);
  });
  test("that came in are fetched by a fresh link, also when the first one has expired", async () => {
    const { server, adapter, sam, inbound, start } = await direct();
    await start();
    await eventually(() => expect(adapter.health().connected).toBe(true));
    sam.say(sam.dm, "read this", { files: [{ name: "note.txt", bytes: Buffer.from("hello"), mime: "text/plain" }] });
    await eventually(() => expect(inbound).toHaveLength(1));
    const [note] = theOne(inbound, "message").files;
    if (!note) throw new Error("no file came in");
    expect(note).toMatchObject({ name: "note.txt", mime: "text/plain", sizeBytes: 5 });
    server.advance(48 * 3600 * 1000);
    expect((await buffer(await adapter.download(note))).toString()).toBe("hello");
    expect((await failure(adapter.download({ ...note, id: note.id.replace(/\d+$/, "1") }))).code).toBe("not_found");
  });
  test("that came with a forwarded message are fetched too", async () => {
    const site = createServer(({ url = "" }, response) => {
      const at = { id: "7", filename: "note.txt", url: `http://${response.req.headers.host}/attachments/note.txt` };
      const message = { attachments: [], message_snapshots: [{ message: { content: "", attachments: [at] } }] };
      const isFile = url.startsWith("/attachments/");
      response.setHeader("content-type", isFile ? "text/plain" : "application/json");
      response.end(isFile ? "hello" : JSON.stringify(message));
    });
    await new Promise<void>((resolve) => void site.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void site.close());
    const address = site.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const api = createApi({ token: "a.b.c", apiUrl: `http://127.0.0.1:${port}/api` });
    expect((await buffer(await download(api, { id: "5/6/7", name: "note.txt" }))).toString()).toBe("hello");
  });
  test("are fetched from Discord alone", async () => {
    const { server, adapter, sam, inbound, start } = await direct();
    await start();
    await eventually(() => expect(adapter.health().connected).toBe(true));
    sam.say(sam.dm, "read this", { files: [{ name: "a", bytes: Buffer.from("x") }] });
    await eventually(() => expect(inbound).toHaveLength(1));
    server.world.origin = "http://169.254.169.254";
    const [note] = theOne(inbound, "message").files;
    const refused = await failure(adapter.download(note ?? { id: "", name: "" }));
    expect(refused).toMatchObject({ code: "invalid", message: expect.stringContaining("169.254.169.254") });
  });
});

test("SEC-01: the token is in no log and no error when everything fails", async () => {
  const { server, adapter, log, thread, reply, start } = await direct();
  await start();
  for (const drop of ["before", "after"] as const) server.fail({ drop, times: 4 });
  await failure(adapter.send(thread, reply("a"), "n"));
  await server.close();
  await adapter.presence(thread, true);
  const error = await failure(adapter.send(thread, reply("a"), "n"));
  expect(error.code).toBe("unavailable");
  expect([log.join(), error.message, error.stack, String(error.cause)].join()).not.toContain(
    server.token.split(".")[2],
  );
});
