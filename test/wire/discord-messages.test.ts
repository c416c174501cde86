import { MessageFlags, MessageType, ThreadAutoArchiveDuration } from "discord.js";
import type { ThreadChannel } from "discord.js";
import { describe, expect, test } from "vitest";
import { until } from "../helpers.ts";
import { button, connect, heard, last, refused, row, serverWithRest } from "./discord-client.ts";
import { visibleText } from "./discord-visible-text.ts";

describe("messages", () => {
  test("are read newest first, by pages", async () => {
    const { rest, ana, channel } = await serverWithRest();
    const ids = ["one", "two", "three", "four"].map((text) => ana.say(channel, text).id);
    const read = async (query: Record<string, string>) => {
      const found = await rest.get(`/channels/${channel.id}/messages`, { query: new URLSearchParams(query) });
      return (found as { content: string }[]).map(({ content }) => content);
    };
    expect(await read({})).toEqual(["four", "three", "two", "one"]);
    expect(await read({ limit: "1", before: ids[2] ?? "" })).toEqual(["two"]);
    expect(await read({ limit: "2", after: ids[0] ?? "" })).toEqual(["three", "two"]);
    expect(await read({ limit: "3", around: ids[1] ?? "" })).toEqual(["three", "two", "one"]);
    await expect(read({ limit: "101" })).rejects.toMatchObject({ code: 50035 });
  });

  test("with an enforced nonce are made once within some minutes, and not again after their deletion", async () => {
    const { server, rest, say, channel } = await serverWithRest();
    const send = () => say({ content: "once", nonce: "n1", enforce_nonce: true }) as Promise<{ id: string }>;
    const first = await send();
    expect((await send()).id).toBe(first.id);
    await rest.delete(`/channels/${channel.id}/messages/${first.id}`);
    await expect(send()).rejects.toMatchObject(refused(10008, 404));
    server.advance(10 * 60 * 1000);
    expect((await send()).id).not.toBe(first.id);
    expect(channel.messages).toHaveLength(2);
  });

  test("that are edited keep their earlier states, what was not named, and the flag for silence", async () => {
    const { rest, say, channel } = await serverWithRest();
    await say({ content: "one", components: [row(button("y"))], flags: MessageFlags.SuppressNotifications });
    const { id } = last(channel.messages);
    await rest.patch(`/channels/${channel.id}/messages/${id}`, {
      body: { content: "two", allowed_mentions: { parse: [] } },
    });
    expect(last(channel.messages)).toMatchObject({
      shown: {
        content: "two",
        flags: MessageFlags.SuppressNotifications,
        components: [{ id: 1, components: [{ id: 2 }] }],
      },
      edits: [{ content: "one" }],
    });
  });

  test("that no good client sends are noted", async () => {
    const { server, rest, say, ana, channel } = await serverWithRest();
    const post = (body: object) => rest.post(`/channels/${channel.id}/messages`, { body });
    await post({ content: "hi" });
    await post({ content: "hi @everyone", allowed_mentions: { parse: ["everyone"] } });
    await say({
      content: "hi",
      message_reference: { message_id: ana.say(channel, "x").id },
      allowed_mentions: { parse: [], replied_user: true },
    });
    await say({ content: "[https://bank.example](https://evil.example/x)" });
    await say({ content: "hi", unheard_of: 1 });
    expect(server.violations.map((text) => text.replace("POST /channels/:id/messages: ", ""))).toEqual([
      "allowed_mentions is not { parse: [] }",
      "allowed_mentions is not { parse: [] }",
      "pings everyone",
      "allowed_mentions is not { parse: [] }",
      `pings ${ana.account.id}`,
      expect.stringContaining("another address"),
      'unknown field "unheard_of"',
    ]);
  });

  test("that name everyone, with nobody allowed, are none of that", async () => {
    const { server, say } = await serverWithRest();
    await say({
      content: `@everyone <@1> <@&2> [the docs](https://docs.example) \`[https://a.example](https://b.example)\``,
    });
    expect(server.violations).toEqual([]);
  });

  test.each([
    ["**bold** *it* __u__ ~~s~~ `co*de*` \\*plain\\*", "bold it u s co*de* *plain*"],
    ["-# small\n> quote\n## Head", "small\nquote\nHead"],
    ["```ts\na_b * c\n```", "a_b * c"],
    ["[docs](https://a.example) <https://b.example> snake_case 2*3*4", "docs https://b.example snake_case 2*3*4"],
  ])("read as %j show %j", (content, shown) => {
    expect(visibleText({ content, embeds: [], components: [] })).toBe(shown);
  });
});

describe("threads", () => {
  test("begun on a message have its id, mark it, are told, and begin with a starter message", async () => {
    const { server, rest, ana, channel } = await serverWithRest();
    const client = await connect(server);
    const created = new Promise<ThreadChannel>((resolve) => client.once("threadCreate", resolve));
    const types: MessageType[] = [];
    client.on("messageCreate", ({ type }) => void types.push(type));
    const asked = ana.say(channel, "hello");
    const message = await until("the message", () => client.channels.cache.get(channel.id)?.isTextBased() && asked);
    const cached = await client.channels.fetch(channel.id);
    if (cached?.type !== 0) throw new Error("Expected a text channel.");
    const read = await cached.messages.fetch(message.id);
    await read.startThread({ name: "Talk", autoArchiveDuration: ThreadAutoArchiveDuration.OneDay });
    expect((await created).id).toBe(asked.id);
    expect(asked.shown.flags & MessageFlags.HasThread).toBe(MessageFlags.HasThread);
    await until("the starter", () => types.includes(MessageType.ThreadStarterMessage));
    await expect(cached.messages.fetch({ message: asked.id, force: true })).resolves.toMatchObject({ hasThread: true });
    const again = rest.post(`/channels/${channel.id}/messages/${asked.id}/threads`, { body: { name: "Again" } });
    await expect(again).rejects.toMatchObject(refused(160004, 400));
    expect(server.violations).toEqual([]);
  });

  test("that are archived take no edit, open again with a message, and stay shut when locked", async () => {
    const { server, rest, say, ana, channel } = await serverWithRest();
    const thread = ana.openThread(ana.say(channel, "hello"), "Talk");
    const { id } = (await say({ content: "a" }, thread.id)) as { id: string };
    server.setArchived(thread, { archived: true });
    const edit = () => rest.patch(`/channels/${thread.id}/messages/${id}`, { body: { content: "b" } });
    await expect(edit()).rejects.toMatchObject(refused(50083, 400));
    await say({ content: "b" }, thread.id);
    expect(thread.thread?.archived).toBe(false);
    server.setArchived(thread, { archived: true, locked: true });
    await expect(say({ content: "c" }, thread.id)).rejects.toMatchObject(refused(50083, 400));
  });

  test("without a message are private unless asked, and not seen without membership; a post opens one in a forum", async () => {
    const { server, rest, ana, guild, channel } = await serverWithRest();
    await expect(rest.post(`/channels/${channel.id}/threads`, { body: { name: "a" } })).resolves.toMatchObject({
      type: 12,
    });
    const secret = server.thread(channel, "secret", "private_thread");
    secret.thread?.members.delete(server.bot.id);
    await expect(rest.get(`/channels/${secret.id}`)).rejects.toMatchObject(refused(50001, 403));
    const client = await connect(server);
    const texts = heard(client);
    const forum = server.channel(guild, "ideas", "forum");
    const post = ana.openPost(forum, "Idea", "what about this");
    await until("the post", () => texts.includes("what about this"));
    expect(post.messages[0]?.id).toBe(post.id);
    expect(client.channels.cache.get(post.id)?.isThread()).toBe(true);
  });
});
