import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayIntentBits } from "discord.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../helpers.ts";
import { ALL_INTENTS, connect, heard, serverWithRest } from "./discord-client.ts";
import { createDiscordServer } from "./discord-server.ts";

describe("the gateway", () => {
  test("tells of messages in channels and DMs, with mentions of every form", async () => {
    const { server, ana, guild, channel } = await serverWithRest();
    const client = await connect(server);
    const seen: [string, boolean, number][] = [];
    client.on("messageCreate", (message) => {
      const role = message.mentions.roles.has(guild.botRoleId);
      seen.push([message.content, message.mentions.users.has(server.bot.id) || role, message.channel.type]);
    });
    ana.say(channel, `<@${server.bot.id}> a`);
    ana.say(channel, `<@!${server.bot.id}> b`);
    ana.say(channel, `<@&${guild.botRoleId}> c`);
    ana.say(channel, "@everyone d");
    ana.say(ana.dm, "e");
    await until("all", () => seen.length === 5);
    expect(seen.map(([text, named, type]) => [text.slice(-1), named, type])).toEqual([
      ["a", true, 0],
      ["b", true, 0],
      ["c", true, 0],
      ["d", false, 0],
      ["e", false, 1],
    ]);
  });

  test("tells nothing that the intents leave out, and hides content from who may not have it", async () => {
    const { server, ana, channel } = await serverWithRest();
    const { Guilds, GuildMessages } = GatewayIntentBits;
    const texts = heard(await connect(server, { intents: [Guilds, GuildMessages] }));
    ana.say(ana.dm, "in private");
    ana.say(channel, "hidden");
    ana.say(channel, `<@${server.bot.id}> open`);
    await until("two", () => texts.length === 2);
    expect(texts).toEqual(["", `<@${server.bot.id}> open`]);
  });

  test("closes with 4014 when the application may not have the content, and REST hides it too", async () => {
    const { server, rest, ana, channel } = await serverWithRest({ messageContent: false });
    await expect(connect(server)).rejects.toThrow(/intents/i);
    await expect(rest.get("/applications/@me")).resolves.toMatchObject({ flags: 0 });
    await connect(server, { intents: ALL_INTENTS.slice(0, 3) });
    const { id } = ana.say(channel, "hidden");
    await expect(rest.get(`/channels/${channel.id}/messages/${id}`)).resolves.toMatchObject({ content: "" });
  });

  test("refuses a bad token, and closes with 4004 when it is revoked", async () => {
    const { server } = await serverWithRest();
    const client = await connect(server);
    const gone = new Promise<number>((resolve) => client.once("shardDisconnect", ({ code }) => resolve(code)));
    server.setRevoked(true);
    expect(await gone).toBe(4004);
    await expect(connect(server)).rejects.toThrow(/token/i);
  });

  test.each([
    ["a socket that is cut", "cut"],
    ["op 7", "askReconnect"],
  ] as const)("replays what was missed after %s", async (_, how) => {
    const { server, ana, channel } = await serverWithRest();
    const texts = heard(await connect(server));
    ana.say(channel, "one");
    await until("one", () => texts.length === 1);
    server.gateway[how]();
    await until("the gap", () => !server.gateway.connected());
    ana.say(channel, "two");
    await until("the replay", () => texts.includes("two"));
    expect(texts).toEqual(["one", "two"]);
    expect(server.gateway.resumed()).toBe(1);
    expect(server.gateway.identified).toHaveLength(1);
  });

  test("tells a lost session with op 9: the client begins a new one and misses what was between", async () => {
    const { server, ana, channel } = await serverWithRest();
    const texts = heard(await connect(server));
    server.gateway.loseSessions();
    server.gateway.cut();
    await until("the gap", () => !server.gateway.connected());
    ana.say(channel, "lost");
    await until("a new session", () => server.gateway.identified.length === 2 && server.gateway.connected());
    ana.say(channel, "heard");
    await until("the next", () => texts.includes("heard"));
    expect(texts).toEqual(["heard"]);
    expect(server.gateway.resumed()).toBe(0);
  });

  test("on op 9 that may be resumed is resumed", async () => {
    const { server, ana, channel } = await serverWithRest();
    const texts = heard(await connect(server));
    server.gateway.invalidate(true);
    await until("the resume", () => server.gateway.resumed() === 1);
    ana.say(channel, "one");
    await until("one", () => texts.includes("one"));
  });

  test("in silence is left by the client after a heartbeat, and what waited comes with the resume", async () => {
    const { server, ana, channel } = await serverWithRest({ heartbeatMs: 300 });
    const texts = heard(await connect(server));
    server.gateway.setSilent(true);
    ana.say(channel, "waited");
    await until("the gap", () => !server.gateway.connected());
    server.gateway.setSilent(false);
    await until("the replay", () => texts.includes("waited"));
  });

  test("tells of servers, channels and threads that come and go, and of edits and deletions", async () => {
    const { server, ana, guild, channel } = await serverWithRest();
    const client = await connect(server);
    const told: string[] = [];
    for (const event of [
      "guildCreate",
      "guildDelete",
      "channelDelete",
      "threadDelete",
      "messageDelete",
      "messageUpdate",
    ])
      client.on(event, () => void told.push(event));
    const asked = ana.say(channel, "one");
    await until("the message", () => client.channels.cache.get(channel.id)?.isTextBased());
    await sleep(50);
    ana.edit(asked, "two");
    ana.delete(asked);
    const thread = server.thread(channel, "Talk");
    server.deleteChannel(thread);
    server.deleteChannel(server.channel(guild, "other"));
    const second = server.guild("Second");
    server.setPresent(second, false);
    await until("all", () => told.includes("guildDelete"));
    expect(told).toEqual([
      "messageUpdate",
      "messageDelete",
      "threadDelete",
      "channelDelete",
      "guildCreate",
      "guildDelete",
    ]);
  });

  test("gives recorded events as they stand", async () => {
    const folder = path.resolve("test/fixtures/discord");
    const server = await createDiscordServer({ botId: "1457469483726667778" });
    onTestFinished(() => server.close());
    const guild = server.guild("Team", "1457468924290400257", "1457473602180874243");
    const channel = server.channel(guild, "general", "text", "1457510428358737924");
    server.thread(channel, "Thread", "public_thread", "1457536551830421510");
    const texts = heard(await connect(server));
    const files = readdirSync(folder).filter((name) => name.endsWith(".json") && name.includes("mention"));
    for (const file of files) {
      const { t, d } = JSON.parse(readFileSync(path.join(folder, file), "utf8"));
      if (d.channel_id === channel.id) server.events.push(t, d);
    }
    await until("the role mention", () =>
      texts.some((text) => text.includes("<@&1457473602180874243> AI Still there?")),
    );
    expect(texts).toContain("<@1457469483726667778> Hey");
  });
});
