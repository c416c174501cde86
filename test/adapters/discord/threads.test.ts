import { describe, expect, test } from "vitest";
import { formatPost, formatThread } from "../../../adapters/discord/thread-key.ts";
import type { Part, View } from "../../../gateway/contract.ts";
import { addMessage, EMPTY } from "../../wire/discord-world.ts";
import { byBot, eventually, prepareAdapter, runAdapter, theOne } from "./running-adapter.ts";

const only = (parts: readonly Part[]): Part => parts[0] ?? {};
const reply = (markdown: string): View => ({ type: "reply", markdown });

async function mentioned(settings: Parameters<typeof runAdapter>[0] = {}) {
  const run = await runAdapter(settings);
  const asked = run.sam.say(run.channel, run.mention("what is **new** here?"));
  await eventually(() => expect(run.inbound).toHaveLength(1));
  const event = theOne(run.inbound, "message");
  const answer = (markdown: string, nonce = "reply:r1/0/0") =>
    run.adapter.send(event.thread, only(run.adapter.render(reply(markdown))), nonce);
  return { ...run, asked, event, answer };
}

describe("a mention in a text channel", () => {
  test("names a thread with the message's own id, and the first answer opens it, named after the words", async () => {
    const { server, guild, channel, asked, event, answer } = await mentioned();
    expect(event).toMatchObject({
      thread: `discord:${guild.id}:${channel.id}:t${asked.id}`,
      topLevel: true,
      mentionsBot: true,
      text: "what is **new** here?",
      place: { key: `discord:${channel.id}`, type: "shared", id: guild.id, name: "Team" },
      author: { id: "1100000000000000001", name: "Sam", isBot: false },
      post: `${channel.id}/${asked.id}`,
    });
    expect(server.threads(channel)).toEqual([]);
    expect(await answer("Nothing.")).toEqual({ post: expect.stringMatching(`^${asked.id}/`) });
    await answer("And more.", "reply:r1/1/0");
    const [thread, ...more] = server.threads(channel);
    expect(more).toEqual([]);
    expect(thread).toMatchObject({ id: asked.id, name: "what is new here?" });
    expect(byBot(thread?.messages ?? []).map(({ shown }) => shown.content)).toEqual(["Nothing.", "And more."]);
    expect(byBot(channel.messages)).toEqual([]);
    expect(server.violations).toEqual([]);
  });
  test("THR-05: a thread that is there already is written to, and nothing into the channel", async () => {
    const { server, channel, asked, sam, answer } = await mentioned();
    server.fail({ method: "POST /channels/:id/messages/:id/threads", status: 400, code: 160004 });
    const thread = sam.openThread(asked, "made by Sam");
    await answer("Here.");
    expect(server.threads(channel)).toHaveLength(1);
    expect(byBot(thread.messages).map(({ shown }) => shown.content)).toEqual(["Here."]);
    expect(byBot(channel.messages)).toEqual([]);
  });
  test("one that was deleted since, of which Discord still says that it exists, is answered below the message", async () => {
    const { server, channel, asked, sam, answer } = await mentioned();
    server.deleteChannel(sam.openThread(asked, "made by Sam"));
    server.fail({ method: "POST /channels/:id/messages/:id/threads", status: 400, code: 160004 });
    expect((await answer("Here.")).thread).toMatch(`:m${asked.id}`);
    expect(byBot(channel.messages)).toMatchObject([{ replyTo: { id: asked.id }, shown: { content: "Here." } }]);
  });
  test("in a thread that it opened but may not write in, the answer and all that follows are replies", async () => {
    const { server, guild, channel, asked, event, answer, adapter } = await mentioned();
    server.deny(channel, "send_in_threads");
    const thread = formatThread({ type: "replies", guild: guild.id, channel: channel.id, root: asked.id });
    const sent = await answer("Nothing.");
    expect(sent).toEqual({ post: expect.stringMatching(`^${channel.id}/`), thread });
    const part = only(adapter.render(reply("Nothing.")));
    expect(await adapter.find(event.thread, part, "reply:r1/0/0", Date.now() - 90_000, () => false)).toEqual(sent);
    expect(await adapter.send(thread, only(adapter.render(reply("More."))), "n2")).not.toHaveProperty("thread");
    expect(byBot(channel.messages).map(({ shown, replyTo }) => [shown.content, replyTo?.id])).toEqual([
      ["Nothing.", asked.id],
      ["More.", asked.id],
    ]);
  });
  test("in somebody else's thread without the right to write there it says so nowhere else", async () => {
    const { server, channel, asked, sam, answer } = await mentioned();
    sam.openThread(asked, "made by Sam");
    server.deny(channel, "send_in_threads");
    await expect(answer("Nothing.")).rejects.toMatchObject({ code: "forbidden" });
    expect(byBot(channel.messages)).toEqual([]);
  });
  test("without the right to open threads the answers are replies, and the thread has another key", async () => {
    const { server, guild, channel, asked, event, answer, adapter } = await mentioned();
    server.deny(channel, "create_threads");
    const thread = formatThread({ type: "replies", guild: guild.id, channel: channel.id, root: asked.id });
    expect(await answer("Nothing.")).toEqual({ post: expect.stringMatching(`^${channel.id}/`), thread });
    expect(await adapter.send(thread, only(adapter.render(reply("More."))), "n2")).not.toHaveProperty("thread");
    const first = await adapter.find(
      event.thread,
      only(adapter.render(reply("Nothing."))),
      "reply:r1/0/0",
      Date.now() - 90_000,
      () => false,
    );
    expect(first).toEqual({ post: expect.stringMatching(`^${channel.id}/`), thread });
    expect(byBot(channel.messages).map(({ shown, replyTo, pings }) => [shown.content, replyTo?.id, pings])).toEqual([
      ["Nothing.", asked.id, []],
      ["More.", asked.id, []],
    ]);
  });
  test("with `threads: reply` no thread is opened at all", async () => {
    const { server, channel, asked, event, answer, sam, inbound } = await mentioned({ config: { threads: "reply" } });
    expect(event).toMatchObject({ thread: expect.stringMatching(`:m${asked.id}$`), topLevel: true });
    await answer("Nothing.");
    expect(server.threads(channel)).toEqual([]);
    const [post] = byBot(channel.messages);
    if (post) sam.say(channel, "and now?", { replyTo: post });
    await eventually(() => expect(inbound).toHaveLength(2));
    expect(inbound[1]).toMatchObject({ replyTo: { post: formatPost(channel.id, post?.id ?? ""), byBot: true } });
  });
  test("UED-03: the message is deleted before the answer: it comes, for itself, and so does the next", async () => {
    const { server, channel, asked, sam, answer } = await mentioned();
    sam.delete(asked);
    const { thread } = await answer("Still here.");
    server.fail({ method: "POST /channels/:id/messages", status: 400, code: 50035, error: "Unknown message" });
    await answer("And here.", "reply:r1/1/0");
    expect(thread).toMatch(/:m\d+$/);
    expect(byBot(channel.messages).map(({ shown }) => shown.content)).toEqual(["Still here.", "And here."]);
  });
  test("a typing sign before the thread is there is shown in the channel, then in the thread", async () => {
    const { server, channel, asked, event, answer, adapter } = await mentioned();
    await adapter.presence(event.thread, true);
    expect(channel.typing).toHaveLength(1);
    await answer("Nothing.");
    await adapter.presence(event.thread, true);
    await adapter.presence(event.thread, false);
    expect(server.threads(channel)[0]).toMatchObject({ id: asked.id, typing: [expect.any(Number)] });
    server.fail({ method: "POST /channels/:id/typing", status: 500 });
    await expect(adapter.presence(event.thread, true)).resolves.toBeUndefined();
    server.fail({ method: "POST /channels/:id/typing", retryAfter: 9 });
    await expect(adapter.presence(event.thread, true)).rejects.toMatchObject({ code: "rate_limited" });
  });
});

describe("a thread that exists", () => {
  test("of a message, a forum post and a direct message are one thread each", async () => {
    const { server, guild, channel, sam, inbound, mention } = await runAdapter();
    const thread = sam.openThread(sam.say(channel, "a topic"), "Topic");
    sam.say(thread, mention("hi"));
    const forum = server.channel(guild, "ideas", "forum", "1400000000000000300");
    const post = sam.openPost(forum, "My idea", mention("what of this?"));
    sam.say(sam.dm, "alone");
    await eventually(() => expect(inbound.filter(({ type }) => type === "message")).toHaveLength(4));
    const [inThread, inForum, alone] = [thread.id, post.id, sam.dm.id].map((id) =>
      inbound.find((event) => event.type === "message" && event.post.startsWith(`${id}/`)),
    );
    const read = [inThread, inForum, alone].map(
      (event) => event && [event.thread, event.place.key, "topLevel" in event],
    );
    expect(read).toEqual([
      [`discord:${guild.id}:${channel.id}:t${thread.id}`, `discord:${channel.id}`, false],
      [`discord:${guild.id}:${forum.id}:t${post.id}`, `discord:${forum.id}`, false],
      [`discord:@me:${sam.dm.id}`, `discord:${sam.dm.id}`, false],
    ]);
    expect(alone?.place).toMatchObject({ type: "direct", single: true, id: sam.dm.id });
  });
  test("an answer goes there also when the bot has forgotten it, and opens nothing", async () => {
    const first = await runAdapter();
    const { server, guild, channel, sam, folder } = first;
    const thread = sam.openThread(sam.say(channel, "a topic"), "Topic");
    await eventually(() => expect(first.inbound).toHaveLength(1));
    await first.adapter.stop();
    const again = (await prepareAdapter({ server, folder })).adapter;
    const key = formatThread({ type: "thread", guild: guild.id, parent: channel.id, thread: thread.id });
    await again.send(key, only(again.render(reply("Here."))), "n");
    expect(byBot(thread.messages).map(({ shown }) => shown.content)).toEqual(["Here."]);
    expect(server.threads(channel)).toHaveLength(1);
  });
  test("an archived one is opened again, a locked one is `forbidden`, and so is one that is gone", async () => {
    const { server, channel, sam, adapter, inbound, mention } = await runAdapter();
    const thread = sam.openThread(sam.say(channel, "a topic"), "Topic");
    sam.say(thread, mention("hi"));
    await eventually(() => expect(inbound).toHaveLength(2));
    const key = inbound[1]?.thread ?? inbound[0]?.thread;
    if (!key) throw new Error("nothing came in");
    const part = only(adapter.render(reply("Here.")));
    server.fail({ method: "POST /channels/:id/messages", status: 400, code: 50083 });
    server.setArchived(thread, { archived: true });
    await adapter.send(key, part, "n1");
    expect(thread.thread?.archived).toBe(false);
    server.deny(channel, "manage_threads");
    server.setArchived(thread, { archived: true, locked: true });
    await expect(adapter.send(key, part, "n2")).rejects.toMatchObject({ code: "forbidden" });
    server.deleteChannel(thread);
    await expect(adapter.send(key, part, "n3")).rejects.toMatchObject({ code: "forbidden" });
  });
  test("what was said before is told: who, in which order, the opening message first, the bot's as its own", async () => {
    const { channel, sam, ana, adapter, inbound, mention } = await runAdapter();
    const thread = sam.openThread(sam.say(channel, "let us plan <@1100000000000000002>"), "Plan");
    sam.say(thread, "Rome?");
    ana.say(thread, "Or Oslo.");
    sam.say(thread, mention("what do you think?"));
    await eventually(() => expect(inbound).toHaveLength(4));
    const asked = theOne(inbound.slice(3), "message");
    await adapter.send(asked.thread, only(adapter.render(reply("Oslo."))), "n");
    ana.say(thread, mention("why?"));
    await eventually(() => expect(inbound).toHaveLength(5));
    const second = theOne(inbound.slice(4), "message");
    expect(await adapter.history(asked.thread, asked.post, 20)).toEqual([
      { author: "Sam", text: "let us plan @Ana", byBot: false },
      { author: "Sam", text: "Rome?", byBot: false },
      { author: "Ana", text: "Or Oslo.", byBot: false },
    ]);
    expect(await adapter.history(second.thread, second.post, 2)).toEqual([
      { author: "Sam", text: expect.stringContaining("what do you think?"), byBot: false },
      { author: "Threadline", text: "Oslo.", byBot: true },
    ]);
  });
  test("what Discord says itself, a new name or a pin, is nobody's words", async () => {
    const { server, channel, sam, adapter, inbound, mention } = await runAdapter();
    const thread = sam.openThread(sam.say(channel, "a topic"), "Plan");
    sam.say(thread, "Rome?");
    for (const [type, content] of [
      [4, "Trip"],
      [6, ""],
      [3, "called"],
    ] as const)
      addMessage(server.world, { channel: thread, author: sam.account, shown: { ...EMPTY, content }, type });
    sam.say(thread, mention("well?"));
    await eventually(() => expect(inbound.at(-1)).toMatchObject({ text: "well?" }));
    const asked = theOne(inbound.slice(-1), "message");
    expect(await adapter.history(asked.thread, asked.post, 20)).toMatchObject([{ text: "a topic" }, { text: "Rome?" }]);
  });
  test("one that begins with the message has nothing before it", async () => {
    const { adapter, event, inbound } = await mentioned();
    expect(await adapter.history(event.thread, event.post, 20)).toEqual([]);
    expect(inbound).toHaveLength(1);
  });
});
