/** What only Discord does: resumes with replay, reconnects on demand, commands that run out, threads, forums, forms. */
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { createDiscordServer, type DiscordServerOptions } from "../wire/discord-server.ts";
import type { WireChannel } from "../wire/discord-world.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { createSetting, query, startHere } from "./program.ts";
import { asks, delegates, echo, fillsForm, type Script } from "./scripts.ts";

async function begin(script: Script, options: DiscordServerOptions = {}, settings: object = {}) {
  const server = await createDiscordServer(options);
  const stage = await createDiscordStage(server);
  const guild = server.guild("Makers");
  const channel = server.channel(guild, "general");
  const access = { mode: "approved", places: [guild.id], users: ["1100000000000000501"] };
  const setting = await createSetting(async () => stage, {
    platforms: { discord: { ...stage.settings, access, ...settings } },
  });
  setting.models.script(script);
  await startHere(setting);
  await until("a connection", () => server.gateway.connected());
  await until("the commands", () => server.world.commands.size > 0);
  const ana = server.user("1100000000000000501", "Ana");
  const said = (place: WireChannel) =>
    place.messages.filter((one) => one.author.id === server.bot.id && !one.deleted && one.type !== 21);
  const texts = (place: WireChannel) => said(place).map((one) => one.shown.content);
  const mention = (text: string, place = channel) => ana.say(place, `<@${server.bot.id}> ${text}`);
  const thread = () => server.threads(channel).at(-1);
  const inThread = () => {
    const place = thread();
    return place ? texts(place) : [];
  };
  /** All that was sent has its receipt: nobody reads and answers quicker than that. */
  const quiet = () => query<{ n: number }>(setting, "select count(*) as n from slots where settled = 0")[0]?.n === 0;
  const people = { ana, channel, mention };
  return { server, models: setting.models, guild, ...people, said, texts, thread, inThread, quiet };
}
const slow: Script = async (request) => ({ ...(await echo(request)), delayMs: 800 });

describe("a connection", () => {
  it("that is cut resumes: what was missed is answered, what is replayed is not answered twice", async () => {
    const { server, models, ana, mention, thread, inThread } = await begin(echo);
    mention("one");
    await until("the reply", () => inThread().length === 1);
    server.gateway.cut();
    const place = thread();
    if (place) ana.say(place, "two");
    await until("the second reply", () => inThread().length === 2);
    expect(server.gateway.resumed()).toBeGreaterThan(0);
    server.events.again();
    if (place) ana.say(place, "three");
    await until("the third reply", () => inThread().length === 3);
    expect(models.calls).toHaveLength(3);
    expect(server.violations).toEqual([]);
  });

  it.each([
    ["told to reconnect (op 7)", "askReconnect"],
    ["cut", "cut"],
  ] as const)("CONN-06: that is %s in the middle of a run loses and repeats nothing", async (_what, how) => {
    const { server, models, ana, mention, thread, inThread } = await begin(slow);
    mention("one");
    await until("the first call", () => models.calls.length === 1);
    server.gateway[how]();
    await until("the reply", () => inThread().length === 1);
    await until("a connection", () => server.gateway.connected());
    const place = thread();
    if (place) ana.say(place, "two");
    await until("the second reply", () => inThread().length === 2);
    expect(models.calls).toHaveLength(2);
  });
});

describe("a command", () => {
  it("/ask in a channel shows the request, quoted and named, and answers in the thread on it", async () => {
    const { server, ana, channel, said, thread, inThread } = await begin(echo);
    const told = await ana.command("ask", { text: "what is *this*?" }, channel);
    expect(told).toMatchObject({ type: "deferred", private: true });
    await until("the reply", () => inThread().length === 1);
    const [request] = said(channel);
    expect(request?.shown.content).toContain("Ana");
    expect(request?.id).toBe(thread()?.id);
    expect(told.messages.filter((one) => !one.deleted)).toEqual([]);
    const place = thread();
    if (place) ana.say(place, "go on");
    await until("the next reply", () => inThread().length === 2);
    expect(server.violations).toEqual([]);
  });

  it("/ask that runs for longer than Discord's 15 minutes is answered all the same, with its card ended", async () => {
    const { server, ana, channel, inThread } = await begin(delegates({ stepMs: 700, steps: 3 }));
    await ana.command("ask", { text: "compare them" }, channel);
    await until("the card", () => inThread().some((text) => text.includes("Working")));
    server.advance(16 * 60_000);
    await until("the reply", () => inThread().some((text) => text.includes("Both are done")), 30_000);
    await until("the card's end", () => inThread().some((text) => text.includes("Done")));
    expect(inThread()).toHaveLength(2);
    expect(server.calls.filter(({ status }) => status !== undefined && status >= 400 && status !== 404)).toEqual([]);
  });

  it("/ask in a direct message shows the request there and answers below it", async () => {
    const { ana, texts } = await begin(echo);
    await ana.command("ask", { text: "hello" }, ana.dm);
    await until("request and reply", () => texts(ana.dm).length === 2);
    expect(texts(ana.dm)[0]).toContain("Ana");
    expect(texts(ana.dm)[1]).toContain("You said: hello");
  });

  it("/status and /help in a channel are answered to the caller alone", async () => {
    const { ana, channel, texts } = await begin(echo);
    expect(await ana.command("status", {}, channel)).toMatchObject({
      type: "notice",
      private: true,
      text: expect.stringContaining("Big Model"),
    });
    expect(await ana.command("help", {}, channel)).toMatchObject({ type: "notice", private: true });
    expect(texts(channel)).toEqual([]);
  });

  it("/stop in a channel ends the caller's run in its thread", async () => {
    const { ana, channel, mention, inThread } = await begin(delegates({ stepMs: 1500, steps: 20 }));
    mention("compare them");
    await until("the card", () => inThread().some((text) => text.includes("Working")));
    expect(await ana.command("stop", {}, channel)).toMatchObject({ type: "notice", private: true });
    await until("the end", () => inThread().some((text) => text.includes("Cancelled")));
  });
});

describe("a mention", () => {
  it("in a thread of others tells the run what was said there, and by whom", async () => {
    const { server, models, ana, channel, texts, mention } = await begin(echo);
    const [bob, carol] = [server.user("1100000000000000502", "Bob"), server.user("1100000000000000503", "Carol")];
    const place = bob.openThread(bob.say(channel, "about the printer"), "printer");
    bob.say(place, "the printer smokes again");
    carol.say(place, "call the fire brigade");
    mention("what should we do?", place);
    await until("the reply", () => texts(place).length === 1);
    const asked = JSON.stringify(models.calls[0]?.messages);
    for (const word of ["Bob", "the printer smokes again", "Carol", "call the fire brigade"])
      expect(asked).toContain(word);
    ana.say(place, "and then?");
    await until("the next reply", () => texts(place).length === 2);
  });

  it("where the bot may open no thread is replied to, and gone on with by replies", async () => {
    const { server, ana, channel, said, mention, models, quiet } = await begin(echo);
    server.deny(channel, "create_threads");
    const asked = mention("one");
    await until("the reply", () => said(channel).length === 1);
    const [reply] = said(channel);
    expect(reply?.replyTo?.id).toBe(asked.id);
    await until("its receipt", () => quiet());
    if (reply) ana.say(channel, "two", { replyTo: reply });
    await until("the next reply", () => said(channel).length === 2);
    expect(JSON.stringify(models.calls[1]?.messages)).toContain("You said");
  });

  it("is all that reaches the bot without the message-content intent; the thread goes on with mentions", async () => {
    const { server, models, ana, mention, thread, inThread } = await begin(echo, { messageContent: false });
    mention("one");
    await until("the reply", () => inThread().length === 1);
    const place = thread();
    if (!place) throw new Error("Expected a thread.");
    ana.say(place, "unheard");
    mention("two", place);
    await until("the second reply", () => inThread().length === 2);
    expect(models.calls).toHaveLength(2);
    expect(server.violations).toEqual([]);
  });

  it("in a forum post is answered there", async () => {
    const { server, guild, ana, texts } = await begin(echo);
    const forum = server.channel(guild, "help", "forum");
    const post = ana.openPost(forum, "It smokes", `<@${server.bot.id}> what now?`);
    await until("the reply", () => texts(post).length === 1);
    expect(texts(post)[0]).toContain("what now?");
  });

  it("in a server that is not listed is refused with the id to allow, and runs nothing", async () => {
    const { server, ana, models, said } = await begin(echo);
    const other = server.channel(server.guild("Strangers", "1100000000000000700"), "general");
    ana.say(other, `<@${server.bot.id}> hello`);
    await until("the refusal", () => said(other).length === 1);
    expect(said(other)[0]?.shown.content).toContain("1100000000000000700");
    expect(models.calls).toEqual([]);
  });
});

describe("a question", () => {
  it("with a form is a window; what was entered is the answer", async () => {
    const { server, ana, mention, thread, said, inThread } = await begin(fillsForm);
    mention("book a table");
    await until("the question", () => inThread().length === 1);
    const place = thread();
    const [question] = place ? said(place) : [];
    if (!question) throw new Error("Expected a question.");
    const opened = await ana.press(question, "Fill in");
    if (opened.type !== "modal") throw new Error(`Expected a modal, got ${opened.type}.`);
    const refused = await ana.submit(opened.modal, { People: "many", When: "tonight", Terrace: [] });
    expect(refused).toMatchObject({ type: "notice", private: true, text: expect.stringContaining("number") });
    await ana.submit(opened.modal, { People: "2", When: "tonight", Terrace: [] });
    await until("the reply", () => inThread().some((text) => text.includes("Tool said")));
    expect(inThread().find((text) => text.includes("Tool said"))).toContain("tonight");
    expect(server.violations).toEqual([]);
  });

  it("in a thread is pressed by its asker only, whoever else presses is told so", async () => {
    const { server, ana, mention, thread, said, inThread } = await begin(asks);
    const bob = server.user("1100000000000000502", "Bob");
    mention("paint it");
    await until("the question", () => inThread().length === 1);
    const place = thread();
    const [question] = place ? said(place) : [];
    if (!question) throw new Error("Expected a question.");
    expect(await bob.press(question, "Sky Blue")).toMatchObject({
      type: "notice",
      private: true,
      text: expect.stringContaining("for Ana"),
    });
    expect(await ana.press(question, "Sky Blue")).toMatchObject({ type: "none" });
    await until("the reply", () => inThread().some((text) => text.includes("Sky Blue") && text.includes("Tool said")));
  });
});
