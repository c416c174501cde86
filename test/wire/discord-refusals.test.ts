import { describe, expect, test } from "vitest";
import { button, menu, refused, row, serverWithRest } from "./discord-client.ts";

describe("REST refuses", () => {
  test.each([
    ["an empty message", { content: "  " }, 50006],
    ["more than 2000 characters", { content: "x".repeat(2001) }, 50035],
    ["six buttons in a row", { components: [row(...Array.from({ length: 6 }, (_, n) => button(`b${n}`)))] }, 50035],
    ["a custom id of 101 characters", { components: [row(button("x".repeat(101)))] }, 50035],
    ["the same custom id twice", { components: [row(button("a"), button("a"))] }, 50035],
    ["a button without a label", { components: [row({ type: 2, style: 1, custom_id: "a" })] }, 50035],
    ["a menu beside a button", { components: [row(menu("One"), button("a"))] }, 50035],
    ["26 options", { components: [row(menu(...Array.from({ length: 26 }, (_, n) => `o${n}`)))] }, 50035],
    ["six rows", { components: Array.from({ length: 6 }, (_, n) => row(button(`b${n}`))) }, 50035],
    ["a text component without the flag for it", { components: [{ type: 10, content: "a" }] }, 50035],
    [
      "content beside components of the new kind",
      { content: "a", flags: 1 << 15, components: [{ type: 10, content: "a" }] },
      50035,
    ],
    ["eleven embeds", { embeds: Array.from({ length: 11 }, () => ({ title: "a" })) }, 50035],
    [
      "6001 characters in embeds",
      { embeds: [{ description: "x".repeat(4000) }, { description: "x".repeat(2001) }] },
      50035,
    ],
    ["a nonce of 26 characters", { content: "a", nonce: "x".repeat(26), enforce_nonce: true }, 50035],
    ["a reply to what is not there", { content: "a", message_reference: { message_id: "1" } }, 50035],
  ])("%s", async (_, body, code) => {
    const { say, channel } = await serverWithRest();
    await expect(say(body)).rejects.toMatchObject(refused(code, 400));
    expect(channel.messages).toEqual([]);
  });

  test("unknown channels and messages, and messages of others", async () => {
    const { say, rest, ana, channel } = await serverWithRest();
    await expect(say({ content: "a" }, "1")).rejects.toMatchObject(refused(10003, 404));
    await expect(rest.get(`/channels/${channel.id}/messages/1`)).rejects.toMatchObject(refused(10008, 404));
    const theirs = `/channels/${channel.id}/messages/${ana.say(channel, "mine").id}` as const;
    await expect(rest.patch(theirs, { body: { content: "b" } })).rejects.toMatchObject(refused(50005, 403));
    await expect(rest.delete(theirs)).rejects.toMatchObject(refused(50013, 403));
  });

  test.each([
    ["view", "POST", 50001],
    ["send", "POST", 50013],
    ["attach", "FILE", 50013],
    ["history", "REPLY", 160002],
    ["create_threads", "THREAD", 50013],
  ] as const)("what needs the permission %s", async (permission, what, code) => {
    const { server, say, rest, ana, channel } = await serverWithRest();
    const asked = ana.say(channel, "hello");
    server.deny(channel, permission);
    const file = { name: "a.txt", data: Buffer.from("a") };
    const call = {
      POST: () => say({ content: "a" }),
      FILE: () => rest.post(`/channels/${channel.id}/messages`, { body: {}, files: [file] }),
      REPLY: () => say({ content: "a", message_reference: { message_id: asked.id } }),
      THREAD: () => rest.post(`/channels/${channel.id}/messages/${asked.id}/threads`, { body: { name: "a" } }),
    }[what];
    await expect(call()).rejects.toMatchObject(refused(code, 403));
  });

  test("writing in a thread without that permission, in a forum, to a person who blocks the bot, in a server it left", async () => {
    const { server, say, ana, guild, channel } = await serverWithRest();
    const thread = ana.openThread(ana.say(channel, "hello"), "Talk");
    server.deny(channel, "send_in_threads");
    await expect(say({ content: "a" }, thread.id)).rejects.toMatchObject(refused(50013, 403));
    await expect(say({ content: "a" }, server.channel(guild, "ideas", "forum").id)).rejects.toMatchObject({
      code: 50008,
    });
    ana.setBlocked(true);
    await expect(say({ content: "a" }, ana.dm.id)).rejects.toMatchObject(refused(50007, 403));
    server.setPresent(guild, false);
    await expect(say({ content: "a" })).rejects.toMatchObject(refused(50001, 403));
  });

  test("a file above 10 MB, and takes one below, with its bytes", async () => {
    const { rest, channel, server } = await serverWithRest();
    const upload = (size: number) =>
      rest.post(`/channels/${channel.id}/messages`, {
        body: { allowed_mentions: { parse: [] } },
        files: [{ name: "big file.bin", data: Buffer.alloc(size, 7) }],
      });
    await expect(upload(10 * 1024 * 1024 + 1)).rejects.toMatchObject(refused(40005, 413));
    const { attachments } = (await upload(1000)) as { attachments: { url: string; filename: string }[] };
    expect(attachments).toMatchObject([{ filename: "big_file.bin", size: 1000 }]);
    const url = attachments[0]?.url ?? "";
    expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(1000);
    server.advance(25 * 3600 * 1000);
    expect((await fetch(url)).status).toBe(404);
  });

  test("a bad token, a revoked one, an unknown route and a wrong method", async () => {
    const { server, rest } = await serverWithRest();
    await expect(rest.get("/users/@me")).resolves.toMatchObject({ id: server.bot.id });
    server.setRevoked(true);
    await expect(rest.get("/users/@me")).rejects.toMatchObject({ status: 401 });
    server.setRevoked(false);
    rest.setToken(server.token);
    await expect(rest.get("/nowhere")).rejects.toMatchObject({ status: 404 });
    await expect(rest.put("/gateway")).rejects.toMatchObject({ status: 405 });
  });

  test("commands with a bad name, with one name twice, or with a required option last", async () => {
    const { server, rest } = await serverWithRest();
    const put = (...body: object[]) => rest.put(`/applications/${server.bot.id}/commands`, { body });
    const ask = { name: "ask", description: "Ask" };
    const option = (name: string, required: boolean) => ({ type: 3, name, description: "a", required });
    await expect(put({ ...ask, name: "Ask me" })).rejects.toMatchObject({ code: 50035 });
    await expect(put(ask, ask)).rejects.toMatchObject({ code: 50035 });
    await expect(put({ ...ask, options: [option("a", false), option("b", true)] })).rejects.toMatchObject({
      code: 50035,
    });
    await expect(put(ask, { ...ask, name: "stop" })).resolves.toMatchObject([{ name: "ask" }, { name: "stop" }]);
    expect(server.world.commandPuts).toBe(1);
  });
});
