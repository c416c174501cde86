import { describe, expect, test } from "vitest";
import { acknowledgementOf } from "../../../adapters/discord/interactions.ts";
import { interactionSchema } from "../../../adapters/discord/payload.ts";
import type { Form, Part, View } from "../../../gateway/contract.ts";
import { byBot, eventually, prepareAdapter, runAdapter, theOne } from "./running-adapter.ts";

const only = (parts: readonly Part[]): Part => parts[0] ?? {};
const form: Form = {
  token: "form-1",
  title: "Trip",
  fields: [
    { name: "where", label: "Where to", required: true, type: "text", placeholder: "Rome" },
    { name: "why", label: "Why", required: false, type: "textarea" },
    { name: "days", label: "Days", required: true, type: "number" },
    {
      name: "with",
      label: "With whom",
      required: false,
      type: "multi_select",
      options: [
        { id: "a", label: "Ana" },
        { id: "b", label: "Bob" },
      ],
    },
    { name: "sure", label: "Sure", required: true, type: "checkbox" },
  ],
};
const question: View = {
  type: "question",
  icon: "🔀",
  question: "Which region?",
  options: [
    { token: "token-0", label: "North" },
    { token: "token-1", label: "South" },
  ],
  form,
  asked: "Sam",
};

/** With an open question in Sam's direct messages. */
async function asked() {
  const run = await runAdapter();
  const thread = `discord:@me:${run.sam.dm.id}` as Parameters<typeof run.adapter.send>[0]; // as the adapter writes it
  await run.adapter.send(thread, only(run.adapter.render(question)), "question:q1/0/0");
  const [post] = byBot(run.sam.dm.messages);
  if (!post) throw new Error("Expected the question in the chat.");
  return { ...run, thread, post };
}

describe("a press", () => {
  test("brings the token back, and is acknowledged without a trace", async () => {
    const { sam, post, inbound, thread, server } = await asked();
    expect(await sam.press(post, "South")).toMatchObject({ type: "none", messages: [] });
    expect(theOne(inbound, "press")).toMatchObject({
      token: "token-1",
      thread,
      post: `${sam.dm.id}/${post.id}`,
      author: { id: sam.account.id, name: "Sam" },
      place: { type: "direct" },
    });
    expect(server.violations).toEqual([]);
  });
  test("that is refused is told to the presser alone", async () => {
    const { running, sam, post } = await asked();
    running.answer = () => ({ accepted: false, reply: { type: "notice", text: "*Sam* is asked, not @everyone." } });
    expect(await sam.press(post, "South")).toMatchObject({
      type: "notice",
      private: true,
      text: String.raw`*Sam* is asked, not \@everyone.`,
    });
  });
  test("BTN-09: is stored first, and acknowledged within three seconds also when the store is slow or refuses at first", async () => {
    const { running, sam, post, inbound, server } = await asked();
    let refusals = 2;
    running.answer = async () => {
      if (refusals-- > 0) throw new Error("the store refuses");
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { accepted: true };
    };
    const pressed = sam.press(post, "North");
    await eventually(() => expect(refusals).toBe(-1));
    expect(server.calls.filter(({ route }) => route.includes("/callback"))).toEqual([]);
    expect((await pressed).type).toBe("none");
    expect(inbound.filter(({ type }) => type === "press")).toHaveLength(1);
    expect(server.calls.filter(({ route }) => route.includes("/callback"))).toHaveLength(1);
  });
  test.each([
    ["is refused by a proxy", { status: 502 }],
    ["is cut before it arrives", { drop: "before" }],
    ["arrives, but its answer does not", { drop: "after" }],
  ] as const)("whose acknowledgement %s is acknowledged once more within the time", async (_, fault) => {
    const { sam, post, server } = await asked();
    server.fail({ method: "POST /interactions/:id/:token/callback", ...fault });
    expect((await sam.press(post, "North")).type).toBe("none");
    const callbacks = () => server.calls.filter(({ route }) => route.includes("/callback"));
    await eventually(() => expect(callbacks().every(({ status }) => status !== undefined)).toBe(true));
    await eventually(() => expect(callbacks()).toHaveLength(2));
  });
  test("a command whose deferral was lost on the way leaves nothing behind", async () => {
    const { server, sam } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    server.fail({ method: "POST /interactions/:id/:token/callback", drop: "after" });
    const told = await sam.command("stop", {}, sam.dm);
    await eventually(() => expect(told.messages.map(({ deleted }) => deleted)).toEqual([true]));
  });
  test("a command that comes again leaves what its caller was told alone", async () => {
    const { running, server, channel, sam, log } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    running.answer = () => ({ accepted: true, reply: { type: "notice", text: "Nothing runs." } });
    const told = await sam.command("status", {}, channel);
    running.answer = () => ({ accepted: true });
    const [, , id, token] = server.calls.find(({ route }) => route.includes("/callback"))?.path.split("/") ?? [];
    const again = { type: 2, id, token, application_id: server.bot.id, data: { name: "status" } };
    server.events.push("INTERACTION_CREATE", { ...again, channel_id: channel.id, user: { ...sam.account } });
    await eventually(() => expect(log.join("")).toContain("could not be answered"));
    expect(told.messages.map(({ deleted }) => deleted)).toEqual([false]);
  });
  test("that cannot be stored is not acknowledged at all", async () => {
    const { running, sam, post, server } = await asked();
    running.answer = () => Promise.reject(new Error("the store refuses"));
    const pressed = sam.press(post, "North");
    await eventually(() => expect(running.log.join("")).toContain("could not be stored in time"));
    server.advance(3001);
    expect((await pressed).type).toBe("failed");
    expect(server.calls.filter(({ route }) => route.includes("/callback"))).toEqual([]);
  });
  test("does not wait for messages that cannot be stored", async () => {
    const { running, sam, post, inbound } = await asked();
    running.answer = (event) =>
      event.type === "press" ? { accepted: true } : Promise.reject(new Error("the store refuses"));
    sam.say(sam.dm, "hello");
    expect((await sam.press(post, "North")).type).toBe("none");
    expect(inbound.map(({ type }) => type)).toEqual(["press"]);
    running.answer = () => ({ accepted: true });
    await eventually(() => expect(inbound.map(({ type }) => type)).toEqual(["press", "message"]));
  });
  test("in a menu is the chosen option's token", async () => {
    const { sam, adapter, thread, inbound } = await asked();
    const options = Array.from({ length: 60 }, (_, index) => ({ token: `t${index}`, label: `Option ${index}` }));
    const view: View = { type: "question", icon: "❓", question: "Which?", options, asked: "Sam" };
    await adapter.send(thread, only(adapter.render(view)), "question:q2/0/0");
    const post = byBot(sam.dm.messages).at(-1);
    if (!post) throw new Error("Expected the question in the chat.");
    await sam.press(post, "Option 57");
    expect(theOne(inbound, "press")).toMatchObject({ token: "t57" });
  });
});

describe("a form", () => {
  test("opens as a modal; what is filled in comes back by name, and is acknowledged", async () => {
    const { running, sam, post, inbound, server } = await asked();
    running.answer = (event) =>
      event.type === "press" ? { accepted: true, reply: { type: "form", form } } : { accepted: true };
    const opened = await sam.press(post, "Fill in the form");
    if (opened.type !== "modal") throw new Error(`Expected a modal, got ${opened.type}.`);
    const values = { "Where to": "Oslo", Days: "3", "With whom": ["Ana", "Bob"], Sure: ["Yes"] };
    expect((await sam.submit(opened.modal, values)).type).toBe("none");
    expect(theOne(inbound, "form")).toMatchObject({
      token: "form-1",
      values: { where: "Oslo", why: "", days: "3", with: ["a", "b"], sure: "true" },
    });
    expect(server.violations).toEqual([]);
  });
  test("that is not complete is told, with what to do, to that person alone", async () => {
    const { running, sam, post } = await asked();
    running.answer = (event) =>
      event.type === "press"
        ? { accepted: true, reply: { type: "form", form } }
        : { accepted: false, reply: { type: "invalid", errors: { days: "Days must be a number" } } };
    const opened = await sam.press(post, "Fill in the form");
    if (opened.type !== "modal") throw new Error(`Expected a modal, got ${opened.type}.`);
    const told = await sam.submit(opened.modal, { "Where to": "Oslo", Days: "few", Sure: ["Yes"] });
    expect(told).toMatchObject({ type: "notice", private: true });
    expect(told.type === "notice" && told.text).toMatch(/Days must be a number[^]*press the button again/);
  });
  test("that no modal can hold is asked for in words", () => {
    const read = interactionSchema.parse({
      type: 3,
      id: "1",
      application_id: "2",
      token: "t",
      data: { custom_id: "x", component_type: 2 },
    });
    const long = { ...form, fields: [...form.fields, ...form.fields] };
    const answer = acknowledgementOf(read, { type: "form", form: long });
    expect(answer).toMatchObject({ type: 4, data: { flags: 68, content: expect.stringContaining("Where to") } });
  });
});

describe("/ask", () => {
  test("in a channel is shown there, opens a thread with that post, and leaves nothing else", async () => {
    const { server, guild, channel, sam, adapter, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    const told = await sam.command("ask", { text: "what is *new*, @everyone?" }, channel);
    expect(told).toMatchObject({ type: "deferred", private: true });
    const event = theOne(inbound, "message");
    expect(event).toMatchObject({
      thread: expect.stringMatching(`^discord:${guild.id}:${channel.id}:a\\d+$`),
      topLevel: true,
      unseen: true,
      mentionsBot: true,
      text: "what is *new*, @everyone?",
      author: { name: "Sam" },
    });
    await adapter.presence(event.thread, true);
    expect(await adapter.history(event.thread, event.post, 20)).toEqual([]);
    const request: View = { type: "request", author: "Sam", text: event.text };
    const shown = await adapter.send(event.thread, only(adapter.render(request)), "request:i1/0/0");
    const [post] = byBot(channel.messages);
    expect(post?.shown.content).toBe(String.raw`**Sam** asked:` + "\n" + String.raw`> what is \*new\*, \@everyone?`);
    const thread = `discord:${guild.id}:${channel.id}:t${post?.id}`;
    expect(shown).toEqual({ post: `${channel.id}/${post?.id}`, thread });
    expect(
      await adapter.find(
        event.thread,
        only(adapter.render(request)),
        "request:i1/0/0",
        Date.now() - 90_000,
        () => false,
      ),
    ).toEqual(shown);
    if (shown.thread) await adapter.send(shown.thread, only(adapter.render({ type: "reply", markdown: "All." })), "n2");
    expect(server.threads(channel)[0]).toMatchObject({ id: post?.id, name: "what is new, @everyone?" });
    expect(channel.typing).toEqual([]);
    await eventually(() => expect(told.messages.every(({ deleted }) => deleted)).toBe(true));
    expect(byBot(channel.messages)).toHaveLength(1);
    expect(server.violations).toEqual([]);
  });
  test("opens its thread right behind the post that shows it, named after the request as it was typed", async () => {
    const { server, channel, sam, adapter, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    await sam.command("ask", { text: "is 2 > 1?\n> and `a_b`?" }, channel);
    const { thread } = theOne(inbound, "message");
    const request: View = { type: "request", author: "Sam", text: theOne(inbound, "message").text };
    const part = only(adapter.render(request));
    const shown = await adapter.send(thread, part, "request:i1/0/0");
    expect(server.threads(channel)).toMatchObject([{ id: shown.post.split("/")[1], name: "is 2 1? and a_b?" }]);
    expect(server.calls.filter(({ route }) => route.startsWith("GET /channels"))).toEqual([]);
    expect(await adapter.send(thread, part, "request:i1/0/0"), "the same again").toEqual(shown);
    expect(server.threads(channel)).toHaveLength(1);
  });
  test("where no thread may be opened goes on in replies to that post, and knows it at once", async () => {
    const { server, guild, channel, sam, adapter, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    server.deny(channel, "create_threads");
    await sam.command("ask", { text: "what?" }, channel);
    const { thread } = theOne(inbound, "message");
    const part = only(adapter.render({ type: "request", author: "Sam", text: "what?" }));
    const shown = await adapter.send(thread, part, "request:i1/0/0");
    expect(shown.thread).toBe(`discord:${guild.id}:${channel.id}:m${byBot(channel.messages)[0]?.id}`);
  });
  test("shows the request also when the thread cannot be opened just now; the next post opens it", async () => {
    const { server, channel, sam, adapter, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    await sam.command("ask", { text: "what?" }, channel);
    const { thread } = theOne(inbound, "message");
    server.fail({ method: "POST /channels/:id/messages/:id/threads", status: 502 });
    const part = only(adapter.render({ type: "request", author: "Sam", text: "what?" }));
    const shown = await adapter.send(thread, part, "request:i1/0/0");
    expect(server.threads(channel)).toEqual([]);
    await adapter.send(shown.thread ?? thread, only(adapter.render({ type: "reply", markdown: "That." })), "n2");
    expect(byBot(server.threads(channel)[0]?.messages ?? []).map(({ shown: { content } }) => content)).toEqual([
      "That.",
    ]);
  });
  test("where the bot may not write says which right is missing, and to whom to turn", async () => {
    const { server, channel, sam, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    const thread = sam.openThread(sam.say(channel, "a topic"), "Topic");
    const ask = async (place: typeof channel) => {
      await sam.command("ask", { text: "what?" }, place);
      return inbound.findLast((event) => "unseen" in event);
    };
    server.deny(channel, "send");
    expect(await ask(channel)).toMatchObject({
      unseen: true,
      cannotPost: expect.stringMatching(/Send Messages"[^]*admin/),
    });
    expect(await ask(thread)).not.toHaveProperty("cannotPost");
    server.deny(channel, "send_in_threads", "create_threads");
    expect(await ask(channel)).not.toHaveProperty("cannotPost");
    expect(await ask(thread)).toMatchObject({ cannotPost: expect.stringContaining("Send Messages in Threads") });
    server.deny(channel, "view", "send");
    expect(await ask(channel)).toMatchObject({
      cannotPost: expect.stringMatching(/View Channel" and "Send Messages"/),
    });
    expect(await ask(sam.dm)).not.toHaveProperty("cannotPost");
  });
  test("in a thread and in a direct message belongs to that thread", async () => {
    const { server, channel, sam, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    const thread = sam.openThread(sam.say(channel, "a topic"), "Topic");
    await sam.command("ask", { text: "one" }, thread);
    await sam.command("ask", { text: "two" }, sam.dm);
    const [one, two] = inbound.filter((event) => "unseen" in event);
    expect(one).toMatchObject({ thread: expect.stringMatching(`:t${thread.id}$`), unseen: true });
    expect(two).toMatchObject({ thread: `discord:@me:${sam.dm.id}`, unseen: true });
    expect([one, two].some((event) => event && "topLevel" in event)).toBe(false);
  });
});

describe("other commands", () => {
  test("called in no thread are answered to the caller alone; in one they leave nothing", async () => {
    const { running, server, channel, sam, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    running.answer = (event) =>
      event.type === "command" && event.topLevel
        ? { accepted: true, reply: { type: "notice", text: "Nothing runs." } }
        : { accepted: true };
    expect(await sam.command("status", {}, channel)).toMatchObject({
      type: "notice",
      private: true,
      text: "Nothing runs.",
    });
    const told = await sam.command("stop", {}, sam.dm);
    await eventually(() => expect(told.messages.every(({ deleted }) => deleted)).toBe(true));
    expect(inbound).toMatchObject([
      { type: "command", name: "status", args: "", topLevel: true },
      { type: "command", name: "stop", args: "", thread: `discord:@me:${sam.dm.id}` },
    ]);
    expect(inbound[1]).not.toHaveProperty("topLevel");
  });
  test.each([
    ["STATUS", { type: "command", name: "status", args: "" }],
    ["/new", { type: "command", name: "new", args: "" }],
    ["new features of Python?", { type: "message", text: "new features of Python?", unseen: true }],
    ["what is new?", { type: "message", text: "what is new?", unseen: true }],
    ["ask what is new?", { type: "message", text: "what is new?", unseen: true }],
  ])("/threadline %s is read as typed words are", async (request, expected) => {
    const { server, sam, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    await sam.command("threadline", { request }, sam.dm);
    expect(inbound).toMatchObject([expected]);
  });
  test("without a word, /ask and /threadline are calls for help, answered to the caller alone", async () => {
    const { running, server, channel, sam, inbound } = await runAdapter();
    await eventually(() => expect(server.world.commands.get("global")).toBeDefined());
    running.answer = () => ({ accepted: true, reply: { type: "notice", text: "I can help." } });
    const thread = sam.openThread(sam.say(channel, "a topic"), "Topic");
    expect(await sam.command("ask", { text: "  " }, channel)).toMatchObject({ type: "notice", private: true });
    expect(await sam.command("threadline", { request: " " }, thread)).toMatchObject({ type: "notice", private: true });
    const called = inbound.filter(({ type }) => type === "command");
    expect(called).toMatchObject([
      { name: "help", args: "", topLevel: true },
      { name: "help", args: "", topLevel: true },
    ]);
  });
  test("are registered once, and again only when they have changed", async () => {
    const first = await runAdapter();
    const { server } = first;
    await eventually(() => expect(server.world.commandPuts).toBe(1));
    const names = server.world.commands.get("global")?.map(({ name }) => name);
    expect(names).toEqual(["ask", "new", "stop", "status", "help", "threadline"]);
    const reads = () => server.calls.filter(({ route }) => route === "GET /applications/:id/commands").length;
    await first.adapter.stop();
    await runAdapter({ server });
    await eventually(() => expect(reads()).toBe(2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.world.commandPuts).toBe(1);
    expect(server.violations).toEqual([]);
  });
  test("LIFE-02: that cannot be registered are tried again, and everything else works meanwhile", async () => {
    const { server, start, inbound, adapter } = await prepareAdapter();
    server.fail({ method: "GET /applications/:id/commands", drop: "before" });
    server.fail({ method: "PUT /applications/:id/commands", status: 500 });
    await start();
    await eventually(() => expect(adapter.health().connected).toBe(true));
    const sam = server.user("1100000000000000001", "Sam");
    sam.say(sam.dm, "hi");
    await eventually(() => expect(inbound).toHaveLength(1));
    await eventually(() => expect(server.world.commands.get("global")).toHaveLength(6));
  });
  test("are registered in the given servers where there are any", async () => {
    const id = "1400000000000000100";
    const { server, start } = await prepareAdapter({ config: { guild_ids: [id] } });
    const guild = server.guild("Team", id);
    await start();
    await eventually(() => expect(server.world.commands.get(guild.id)).toHaveLength(6));
    expect(server.world.commands.get("global")).toBeUndefined();
  });
  test("that stood everywhere are taken away when they stand in given servers, and the other way round", async () => {
    const first = await runAdapter();
    const { server, guild, folder } = first;
    await eventually(() => expect(server.world.commands.get("global")).toHaveLength(6));
    await first.adapter.stop();
    const second = await prepareAdapter({ server, folder, config: { guild_ids: [guild.id] } });
    await second.start();
    await eventually(() => expect(server.world.commands.get("global")).toEqual([]));
    expect(server.world.commands.get(guild.id)).toHaveLength(6);
    await second.adapter.stop();
    const third = await prepareAdapter({ server, folder });
    await third.start();
    await eventually(() => expect(server.world.commands.get(guild.id)).toEqual([]));
    expect(server.world.commands.get("global")).toHaveLength(6);
  });
  test("that are another program's of the same application stay", async () => {
    const id = "1400000000000000100";
    const { server, start } = await prepareAdapter({ config: { guild_ids: [id] } });
    const guild = server.guild("Team", id);
    const other = { id: "1400000000000000901", name: "weather", type: 1, description: "Tells it", options: [] };
    server.world.commands.set("global", [other]);
    await start();
    await eventually(() =>
      expect(server.calls.some(({ route }) => route === "GET /applications/:id/commands")).toBe(true),
    );
    await eventually(() => expect(server.world.commands.get(guild.id)).toHaveLength(6));
    expect(server.world.commands.get("global")).toEqual([other]);
  });
});
