import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { discord } from "../../../adapters/discord/adapter.ts";
import { createDiscordServer } from "../../wire/discord-server.ts";
import { INTENTS } from "../../wire/discord-gateway.ts";
import { byBot, eventually, prepareAdapter, runAdapter } from "./running-adapter.ts";

describe("start", () => {
  test("tells who the bot is and gives the link that invites it with exactly its rights", async () => {
    const { server, start, adapter } = await prepareAdapter();
    expect(adapter.health()).toEqual({ connected: false });
    const { account, name, link } = await start();
    expect({ account, name }).toEqual({ account: server.bot.id, name: "Threadline" });
    const query = new URL(link ?? "").searchParams;
    expect(query.get("client_id")).toBe(server.bot.id);
    expect(query.get("scope")).toBe("bot applications.commands");
    // View channels, send, attach, read history, create public threads, send in threads.
    const rights = [10n, 11n, 15n, 16n, 35n, 38n].reduce((sum, bit) => sum | (1n << bit), 0n);
    expect(query.get("permissions")).toBe(String(rights));
  });
  test("a refused token ends it with a sentence that names the key and says where to get the right one", async () => {
    const { server, start, log } = await prepareAdapter();
    server.setRevoked(true);
    const error = await start().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "auth", message: expect.stringMatching(/developers[^]*discord\.bot_token/) });
    expect(JSON.stringify(error) + log.join("")).not.toContain(server.token);
  });
  test("SEC-04: a token that is none is refused without being shown, and a newline is trimmed", () => {
    const read = (bot_token: string) => discord.config.safeParse({ bot_token });
    expect(read("123456:SECRETSECRET").error?.message).toContain("developer portal");
    expect(read("123456:SECRETSECRET").error?.message).not.toContain("SECRET");
    expect(read("MTQw.GTestT.oken\n").data).toMatchObject({ bot_token: "MTQw.GTestT.oken" });
    expect(discord.config.safeParse({ bot_tokn: "x" }).success).toBe(false);
    expect(discord.config.safeParse({ guild_ids: ["my server"] }).success).toBe(false);
    expect(discord.configured(discord.config.parse({}))).toBe(false);
  });
  test("with no network it goes on trying, and knows the bot's id from its token", async () => {
    const server = await createDiscordServer();
    const { port } = server;
    await server.close();
    const { start, adapter } = await prepareAdapter({ config: { api_url: `http://127.0.0.1:${port}/api` } });
    expect(await start()).toEqual({ account: "1400000000000000000", name: "Discord bot" });
    await eventually(() => expect(adapter.health().lastError).toContain("cannot be reached"));
    expect(adapter.health().connected).toBe(false);
  });
  test("CONN-06: a 429, a page of a proxy and a 502 in place of the gateway's address are waited out", async () => {
    const { server, start, adapter, log } = await prepareAdapter();
    server.fail({ method: "GET /gateway/bot", retryAfter: 0.2 });
    server.fail({ method: "GET /gateway/bot", status: 200 });
    server.fail({ method: "GET /gateway/bot", status: 502 });
    await start();
    await eventually(() => expect(adapter.health().connected).toBe(true));
    expect(server.calls.filter(({ route }) => route === "GET /gateway/bot")).toHaveLength(4);
    expect(adapter.health()).not.toHaveProperty("lastError");
    expect(log.filter((line) => line.includes("Discord is not connected")).length).toBeGreaterThanOrEqual(3);
  });
});

describe("the message-content intent", () => {
  test("is not asked for where the application may not have it, and what is missing is said once", async () => {
    const { server, log, channel, sam, inbound, mention } = await runAdapter({ messageContent: false });
    expect((server.gateway.identified[0] ?? 0) & INTENTS.content).toBe(0);
    expect(log.filter((line) => line.includes("Message Content Intent"))).toHaveLength(1);
    sam.say(channel, "nothing for the bot");
    sam.say(channel, mention("but this is"));
    sam.say(channel, mention(""));
    await eventually(() => expect(inbound).toHaveLength(2));
    expect(inbound).toMatchObject([{ text: "but this is" }, { text: "", mentionsBot: true }]);
  });
  test("MENT-07: refused on the way (4014), the bot connects without it", async () => {
    const { server, start, adapter, log } = await prepareAdapter();
    server.fail({ method: "GET /gateway/bot", delayMs: 200 });
    await start();
    await eventually(() => expect(server.calls.map(({ route }) => route)).toContain("GET /gateway/bot"));
    server.setMessageContent(false);
    await eventually(() => expect(adapter.health().connected).toBe(true));
    expect(server.gateway.identified.map((intents) => intents & INTENTS.content)).toEqual([0]);
    expect(log.filter((line) => line.includes("Message Content Intent"))).toHaveLength(1);
  });
});

describe("while it runs", () => {
  test("op 7, a cut and an op 9 lose nothing that was said meanwhile where Discord can replay it", async () => {
    const { server, sam, inbound, adapter } = await runAdapter();
    server.gateway.askReconnect();
    sam.say(sam.dm, "one");
    await eventually(() => expect(inbound).toHaveLength(1));
    await eventually(() => expect(server.gateway.resumed()).toBe(1));
    server.gateway.cut();
    sam.say(sam.dm, "two");
    await eventually(() => expect(inbound).toHaveLength(2));
    expect(server.gateway.resumed()).toBe(2);
    server.gateway.invalidate(false);
    await eventually(() => expect(server.gateway.identified).toHaveLength(2));
    await eventually(() => expect(adapter.health().connected).toBe(true));
    sam.say(sam.dm, "three");
    await eventually(() =>
      expect(inbound.map((event) => "text" in event && event.text)).toEqual(["one", "two", "three"]),
    );
  });
  test("a connection that is silent is left and resumed", async () => {
    const { server, sam, inbound } = await runAdapter({ heartbeatMs: 200 });
    server.gateway.setSilent(true);
    sam.say(sam.dm, "anybody?");
    await new Promise((resolve) => setTimeout(resolve, 500));
    server.gateway.setSilent(false);
    await eventually(() => expect(inbound).toHaveLength(1));
  });
  test("a channel of which nothing can be learnt holds no other one, and is not lost", async () => {
    const first = await runAdapter();
    const { server, guild, channel, sam, folder, mention } = first;
    const other = server.channel(guild, "other");
    sam.say(sam.dm, "one");
    await eventually(() => expect(first.inbound).toHaveLength(1));
    await first.adapter.stop();
    const next = await prepareAdapter({ server, folder });
    server.fail({ method: "GET /channels/:id", place: channel.id, status: 500, times: 4 });
    await next.start();
    sam.say(channel, mention("held"));
    sam.say(other, mention("free"));
    await eventually(() => expect(next.inbound).toMatchObject([{ text: "free" }]));
    await eventually(() => expect(next.inbound).toMatchObject([{ text: "free" }, { text: "held" }]));
    expect(server.gateway.resumed()).toBe(1);
  });
  test("a mention by the bot's role waits until the server's roles are known", async () => {
    const first = await runAdapter();
    const { server, guild, channel, sam, folder } = first;
    sam.say(sam.dm, "one");
    await eventually(() => expect(first.inbound).toHaveLength(1));
    await first.adapter.stop();
    const next = await prepareAdapter({ server, folder });
    server.fail({ method: "GET /guilds/:id", status: 500, times: 2 });
    await next.start();
    sam.say(channel, `<@&${guild.botRoleId}> hello`);
    await eventually(() => expect(next.inbound).toMatchObject([{ text: "hello", mentionsBot: true }]));
  });
  test("a revoked token is told as the reason, the process lives, and nothing is tried any more", async () => {
    const { server, adapter, log, sam } = await runAdapter();
    server.setRevoked(true);
    await eventually(() => expect(adapter.health()).toMatchObject({ connected: false }));
    expect(adapter.health().lastError).toContain("platforms.discord.bot_token");
    const [part = {}] = adapter.render({ type: "notice", markdown: "hi", tone: "info" });
    const thread = `discord:@me:${sam.dm.id}` as Parameters<typeof adapter.send>[0]; // as the adapter writes it
    await expect(adapter.send(thread, part, "n")).rejects.toMatchObject({ code: "auth" });
    await expect(adapter.send(thread, part, "n")).rejects.toMatchObject({ code: "auth" });
    const asked = server.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(server.calls).toHaveLength(asked);
    expect(log.join("")).not.toContain(server.token);
  });
  test.each([
    [
      "an interaction without what the client library needs",
      { t: "INTERACTION_CREATE", d: { id: "1", type: 3, data: {} } },
    ],
    ["a message without an author", { t: "MESSAGE_CREATE", d: { id: "1", channel_id: "2", guild_id: "3" } }],
    ["UED-02: a preview that appears", { t: "MESSAGE_UPDATE", d: { id: "1", channel_id: "2", embeds: [{}] } }],
    ["an event that nobody knows", { t: "SOMETHING_NEW", d: {} }],
    ["a server without channels", { t: "GUILD_CREATE", d: { id: "1", unavailable: true } }],
  ])("%s ends nothing", async (_, { t, d }) => {
    const { server, sam, inbound } = await runAdapter();
    server.events.push(t, d);
    sam.say(sam.dm, "still there?");
    await eventually(() => expect(inbound).toHaveLength(1));
  });
  test.each([
    ["interaction", "INTERACTION_CREATE", { id: "1", type: 3, data: { custom_id: "TOP SECRET" } }, "token"],
    ["message", "MESSAGE_CREATE", { id: "1", channel_id: "2", content: "TOP SECRET" }, "author"],
  ])("a malformed %s is a warning that names what is wrong, and nothing of its content", async (_, t, d, at) => {
    const { server, log } = await runAdapter();
    server.events.push(t, d);
    const warned = () => log.map((line) => JSON.parse(line)).filter(({ level }) => level === 40);
    await eventually(() => expect(warned()).toMatchObject([{ at: expect.arrayContaining([at]) }]));
    expect(log.join("")).not.toContain("TOP SECRET");
  });
});

describe("between two processes", () => {
  test("what was said while nobody listened comes with the next start, in order, and once", async () => {
    const { server, sam, inbound, adapter, folder } = await runAdapter();
    sam.say(sam.dm, "one");
    await eventually(() => expect(inbound).toHaveLength(1));
    await adapter.stop();
    sam.say(sam.dm, "two");
    sam.say(sam.dm, "three");
    const next = await prepareAdapter({ server, folder });
    await next.start();
    await eventually(() => expect(next.inbound).toHaveLength(2));
    expect(next.inbound).toMatchObject([{ text: "two" }, { text: "three" }]);
    expect(server.gateway.resumed()).toBe(1);
  });
  test("what the store had not taken when the process ended comes again", async () => {
    const { server, running, sam, adapter, folder, log } = await runAdapter();
    running.answer = () => Promise.reject(new Error("the store refuses"));
    sam.say(sam.dm, "do not lose me");
    await eventually(() => expect(log.join("")).toContain("could not be stored"));
    await adapter.stop();
    const next = await prepareAdapter({ server, folder });
    await next.start();
    await eventually(() => expect(next.inbound).toMatchObject([{ text: "do not lose me" }]));
  });
  test("a thread of before is known without being told again: its parent, its server, the bot's role", async () => {
    const first = await runAdapter();
    const { server, channel, guild, sam, folder } = first;
    const thread = sam.openThread(sam.say(channel, "a topic"), "Topic");
    await eventually(() => expect(first.inbound).toHaveLength(1));
    await first.adapter.stop();
    const next = await prepareAdapter({ server, folder });
    await next.start();
    await eventually(() => expect(next.adapter.health().connected).toBe(true));
    sam.say(thread, `<@&${guild.botRoleId}> hello`);
    await eventually(() => expect(next.inbound).toHaveLength(1));
    expect(next.inbound[0]).toMatchObject({
      mentionsBot: true,
      text: "hello",
      thread: `discord:${guild.id}:${channel.id}:t${thread.id}`,
      place: { name: "Team" },
    });
  });
  test.each([
    ["is no address", "gateway.discord.gg"],
    ["is of another kind", "https://gateway.discord.gg"],
  ])("a kept session whose address %s is begun anew", async (_, resumeURL) => {
    const { server, adapter, folder } = await runAdapter();
    await adapter.stop();
    const file = path.join(folder, "session.json");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), resumeURL }));
    const next = await prepareAdapter({ server, folder });
    await next.start();
    await eventually(() => expect(next.adapter.health().connected).toBe(true));
    expect(server.gateway.identified).toHaveLength(2);
  });
  test("a kept session whose address answers no more is resumed at the usual one", async () => {
    const { server, adapter, folder, sam } = await runAdapter();
    await adapter.stop();
    const file = path.join(folder, "session.json");
    const kept = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...kept, resumeURL: "ws://127.0.0.1:9" }));
    sam.say(sam.dm, "anybody?");
    const next = await prepareAdapter({ server, folder });
    await next.start();
    await eventually(() => expect(next.inbound).toMatchObject([{ text: "anybody?" }]));
    expect(server.gateway.identified).toHaveLength(1);
  });
  test("a session that is no longer there is begun anew", async () => {
    const { server, adapter, folder } = await runAdapter();
    await adapter.stop();
    server.gateway.loseSessions();
    const next = await prepareAdapter({ server, folder });
    await next.start();
    await eventually(() => expect(next.adapter.health().connected).toBe(true));
    expect(server.gateway.identified).toHaveLength(2);
  });
  test("stopped means stopped: also in the middle of connecting again nothing comes back", async () => {
    const { server, adapter, inbound, sam } = await runAdapter();
    server.gateway.cut();
    await adapter.stop();
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(server.gateway.connected()).toBe(false);
    expect(adapter.health().connected).toBe(false);
    sam.say(sam.dm, "nobody hears this");
    expect(inbound).toEqual([]);
  });
});

test("a refused message is told below it, in the channel where it was said", async () => {
  const { running, server, channel, sam, mention } = await runAdapter();
  running.answer = () => ({ accepted: false, reply: { type: "notice", text: "Ask the operator to allow **1**." } });
  const asked = sam.say(channel, mention("hi"));
  await eventually(() => expect(byBot(channel.messages)).toHaveLength(1));
  expect(byBot(channel.messages)[0]).toMatchObject({ replyTo: { id: asked.id }, pings: [] });
  expect(server.threads(channel)).toEqual([]);
  expect(server.violations).toEqual([]);
});
test("a long refusal is told whole and in order, also in a thread", async () => {
  const { running, server, channel, sam, inbound, mention } = await runAdapter();
  const text = Array.from({ length: 60 }, (_, index) => `${index}: ${"word ".repeat(12)}`).join("\n\n");
  const thread = sam.openThread(sam.say(channel, "a topic"), "Topic");
  await eventually(() => expect(inbound).toHaveLength(1));
  running.answer = () => ({ accepted: false, reply: { type: "notice", text } });
  const asked = sam.say(channel, mention("hi"));
  sam.say(thread, mention("hi"));
  for (const place of [channel, thread]) {
    await eventually(() =>
      expect(
        byBot(place.messages)
          .map(({ shown }) => shown.content)
          .join("\n"),
      ).toContain("59: word"),
    );
    const numbers = byBot(place.messages).flatMap(({ shown }) =>
      [...shown.content.matchAll(/^(\d+):/gm)].map(([, n]) => Number(n)),
    );
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, index) => index));
  }
  expect(byBot(channel.messages).every(({ replyTo }) => replyTo?.id === asked.id)).toBe(true);
  expect(server.threads(channel)).toHaveLength(1);
});

describe("doctor", () => {
  const check = ({ token, api }: { token: string; api: string }) =>
    discord.check(discord.config.parse({ bot_token: token, api_url: api }));

  test("names the bot, the intent and the link, and opens no connection", async () => {
    const server = await createDiscordServer();
    onTestFinished(() => server.close());
    const findings = await check(server);
    expect(findings.every(({ ok }) => ok)).toBe(true);
    expect(findings.map(({ text }) => text).join("\n")).toMatch(
      /Threadline \(\d+\)[^]*Message Content Intent is on[^]*https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+/,
    );
    expect(server.gateway.identified).toEqual([]);
    server.setMessageContent(false);
    expect((await check(server)).map(({ text }) => text).join("\n")).toContain("Privileged Gateway Intents");
  });
  test("says what is wrong: a refused token, no token", async () => {
    const server = await createDiscordServer();
    onTestFinished(() => server.close());
    server.setRevoked(true);
    expect(await check(server)).toMatchObject([{ ok: false, text: expect.stringContaining("Reset Token") }]);
    expect(await discord.check(discord.config.parse({}))).toMatchObject([
      { ok: false, text: expect.stringContaining("bot_token") },
    ]);
  });
});
