/** What only Slack does: twin events, retries, refreshed connections, commands, modals, workspaces. */
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { findAction } from "../wire/slack-find-action.ts";
import { createSlackServer, type SlackServerOptions } from "../wire/slack-server.ts";
import { createSetting, startHere } from "./program.ts";
import { echo, fillsForm, type Script } from "./scripts.ts";
import { createSlackStage } from "./slack-stage.ts";

async function begin(
  script: Script,
  settings: Readonly<Record<string, unknown>> = {},
  options: SlackServerOptions = {},
) {
  const server = await createSlackServer(options);
  const stage = await createSlackStage(server);
  const access = { mode: "workspace" };
  const setting = await createSetting(async () => stage, {
    platforms: { slack: { ...stage.settings, access, ...settings } },
  });
  setting.models.script(script);
  const program = await startHere(setting);
  const ana = server.user("U0ANA", "Ana");
  const channel = server.channel("C0TEAM", "team", [ana]);
  const replies = () => channel.messages.filter((message) => message.user.id === server.bot.id && !message.deleted);
  return { server, program, models: setting.models, ana, channel, replies };
}
const slow: Script = async (request) => ({ ...(await echo(request)), delayMs: 800 });

describe("one mention", () => {
  it.each([
    ["as message and app_mention", ["message", "app_mention"]],
    ["the other way round", ["app_mention", "message"]],
    ["as app_mention alone", ["app_mention"]],
    ["as message alone", ["message"]],
  ] as const)("DUP-02: that arrives %s is one run", async (_what, events) => {
    const { server, models, ana, channel, replies } = await begin(echo);
    ana.mention(channel, "hello", { events });
    await until("the reply", () => replies().length === 1);
    ana.mention(channel, "and again");
    await until("the second reply", () => replies().length === 2);
    expect(models.calls).toHaveLength(2);
    expect(server.violations).toEqual([]);
  });

  it("DUP-01: that Slack gives again because the acknowledgement was lost is one run", async () => {
    const { server, models, ana, channel, replies } = await begin(echo, {}, { ackMs: 300 });
    server.socket.loseAcks(2);
    ana.mention(channel, "hello");
    await until("both again", () => server.acks.length >= 2);
    await until("the reply", () => replies().length === 1);
    ana.mention(channel, "and again");
    await until("the second reply", () => replies().length === 2);
    expect(models.calls).toHaveLength(2);
  });

  it("in a thread of others tells the run what was said there, and by whom", async () => {
    const { server, models, ana, channel, replies } = await begin(echo);
    const [bob, carol] = [server.user("U0BOB", "Bob"), server.user("U0CAROL", "Carol")];
    const { ts } = bob.say(channel, "the printer smokes again");
    carol.say(channel, "call the fire brigade", { threadTs: ts });
    ana.mention(channel, "what should we do?", { threadTs: ts });
    await until("the reply", () => replies().length === 1);
    const asked = JSON.stringify(models.calls[0]?.messages);
    for (const word of ["Bob", "the printer smokes again", "Carol", "call the fire brigade"])
      expect(asked).toContain(word);
    expect(replies()[0]?.thread_ts).toBe(ts);
  });
});

describe("a connection", () => {
  it.each(["refresh_requested", "warning"] as const)(
    "CONN-01: that ends in the middle of a run (%s) loses and repeats nothing",
    async (reason) => {
      const { server, models, ana, channel, replies } = await begin(slow);
      const { ts } = ana.mention(channel, "one");
      await until("the first call", () => models.calls.length === 1);
      server.disconnect(reason);
      ana.say(channel, "two", { threadTs: ts });
      await until("two replies", () => replies().length === 2);
      server.killSocket();
      ana.say(channel, "three", { threadTs: ts });
      await until("three replies", () => replies().length === 3);
      expect(models.calls).toHaveLength(3);
      expect(server.violations).toEqual([]);
    },
  );
});

describe("the slash command", () => {
  it("opens a thread below the request, which is quoted and named; people go on in it", async () => {
    const { server, ana, channel, replies } = await begin(echo);
    const told = await ana.command("/threadline", "ask what is <that> & this?", channel);
    expect(told).toMatchObject({ acked: true, ephemerals: [] });
    await until("request and reply", () => replies().length === 2);
    const [request, reply] = replies();
    expect(request?.text).toContain("Ana");
    expect(reply?.thread_ts).toBe(request?.ts);
    if (request) ana.say(channel, "go on", { threadTs: request.ts });
    await until("the next reply", () => replies().length === 3);
    expect(server.violations).toEqual([]);
  });

  it("answers help and status to the caller alone", async () => {
    const { ana, channel, replies } = await begin(echo);
    for (const text of ["", "help"])
      expect((await ana.command("/threadline", text, channel)).ephemerals.join()).toContain("stop");
    expect((await ana.command("/threadline", "STATUS", channel)).ephemerals.join()).toContain("Big Model");
    expect(replies()).toEqual([]);
  });

  it("where the bot is no member says how to invite it, and runs nothing", async () => {
    const { server, ana, models } = await begin(echo);
    const elsewhere = server.channel("C0OTHER", "other", [ana], { withoutBot: true });
    const { ephemerals } = await ana.command("/threadline", "ask something", elsewhere);
    expect(ephemerals.join()).toContain("/invite");
    expect(models.calls).toEqual([]);
  });
});

describe("a direct message at top level", () => {
  it("answers the question that the newest thread asks, and otherwise opens a thread of its own", async () => {
    const { server, ana } = await begin((request) =>
      JSON.stringify(request.messages).includes("hello") ? echo(request) : fillsForm(request),
    );
    const posts = () => ana.dm.messages.filter((message) => message.user.id === server.bot.id);
    const first = ana.say(ana.dm, "book a table");
    await until("the question", () => posts().length === 1);
    ana.say(ana.dm, "for two, tonight");
    await until("the reply", () => posts().length === 2);
    expect(posts().map((post) => post.thread_ts)).toEqual([first.ts, first.ts]);
    const second = ana.say(ana.dm, "hello");
    await until("the other reply", () => posts().length === 3);
    expect(posts()[2]?.thread_ts).toBe(second.ts);
  });
});

describe("a form", () => {
  it("is a modal, and what was entered there is the answer; afterwards it is told to be answered", async () => {
    const { server, ana, channel, replies } = await begin(fillsForm);
    ana.mention(channel, "book a table");
    const question = await until("the question", () => replies()[0]);
    const button = findAction(question.blocks, 0);
    const { view } = await ana.press(question, button);
    if (!view) throw new Error("Expected a modal.");
    const taken = await ana.submit(view, { People: "2", When: "2026-12-24", Terrace: [] });
    expect(taken).toMatchObject({ acked: true, open: false });
    await until("the reply", () => replies().some((post) => post.text.includes("Tool said")));
    const reply = replies().find((post) => post.text.includes("Tool said"));
    expect(reply?.text).toContain("2026-12-24");
    const again = await ana.press(question, button);
    expect(again.ephemerals.join()).toContain("already been answered");
    expect(server.violations).toEqual([]);
  });
});

describe("access `workspace`", () => {
  it.each([
    ["a guest", { guest: "restricted" }],
    ["a guest of one channel", { guest: "ultra_restricted" }],
    ["somebody of another organisation", { team: "T0OTHER0001", stranger: true }],
  ] as const)("refuses %s privately, with the id to allow", async (_who, options) => {
    const { server, channel, models, replies } = await begin(echo);
    const outsider = server.user("U0OUTSIDER", "Olga", options);
    outsider.mention(channel, "let me in");
    const told = await until("the refusal", () => channel.ephemerals.find((one) => one.user === "U0OUTSIDER"));
    expect(told.text).toContain("U0OUTSIDER");
    expect(models.calls).toEqual([]);
    expect(replies()).toEqual([]);
  });

  it("lets a listed guest in", async () => {
    const { server, channel, replies } = await begin(echo, { access: { users: ["U0GUEST"] } });
    server.user("U0GUEST", "Gus", { guest: "restricted" }).mention(channel, "hello");
    await until("the reply", () => replies().length === 1);
  });
});
