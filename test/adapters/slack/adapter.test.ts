import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { slack } from "../../../adapters/slack/adapter.ts";
import { createApi } from "../../../adapters/slack/api.ts";
import { SCOPES } from "../../../adapters/slack/needs.ts";
import { createPresence } from "../../../adapters/slack/presence.ts";
import { formatPost, formatProvisional, formatThread } from "../../../adapters/slack/thread-key.ts";
import { createClock, silentLog } from "../../helpers.ts";
import { createSlackServer } from "../../wire/slack-server.ts";
import { messages, only, withQuestion } from "./asked-question.ts";
import {
  adapterDeps,
  eventually,
  fastClock,
  prepareAdapter,
  runAdapter,
  settingsOf,
  theOne,
} from "./running-adapter.ts";

describe("start", () => {
  test("tells who the bot is and where a person can open it", async () => {
    const { start, adapter } = await prepareAdapter();
    const identity = await start();
    expect(adapter.health()).toEqual({ connected: true });
    expect(identity).toEqual({
      account: "T0TEST00001/U0TESTBOT01",
      name: "threadline",
      link: "https://slack.com/app_redirect?team=T0TEST00001&channel=U0TESTBOT01",
    });
  });
  test("SEC-04: a token that is none is refused without being shown, and a newline is trimmed", () => {
    const error = (given: object) => slack.config.safeParse(given).error?.message ?? "";
    expect(error({ bot_token: "xapp-SECRETSECRET" })).toContain("OAuth & Permissions");
    expect(error({ app_token: "xoxb-SECRETSECRET" })).toContain("App-Level Tokens");
    expect(error({ bot_token: "xapp-SECRETSECRET", app_token: "xoxb-SECRETSECRET" })).not.toContain("SECRET");
    expect(slack.config.parse({ bot_token: "xoxb-1-a\n" }).bot_token).toBe("xoxb-1-a");
    expect(error({ bot_tokn: "x" })).toContain("bot_tokn");
  });
  test("it is configured by both tokens", () => {
    const configured = (given: object) => slack.configured(slack.config.parse(given));
    expect([{}, { bot_token: "xoxb-1" }, { app_token: "xapp-1" }].map(configured)).toEqual([false, false, false]);
    expect(configured({ bot_token: "xoxb-1", app_token: "xapp-1" })).toBe(true);
  });
});

describe("messages", () => {
  test.each([[["message", "app_mention"]], [["app_mention", "message"]]] as const)(
    "DUP-02: a mention that comes as %s is the same event twice, with its author",
    async (events) => {
      const { ana, team, inbound } = await runAdapter();
      ana.mention(team, "hi", { events });
      await eventually(() => expect(messages(inbound)).toHaveLength(2));
      expect(inbound[0]).toEqual(inbound[1]);
      expect(inbound[0]).toMatchObject({
        text: "hi",
        mentionsBot: true,
        topLevel: true,
        author: { id: ana.account.id, name: "Ana", isBot: false, member: true },
        place: { type: "shared" },
      });
    },
  );
  test("guests, people of other workspaces and strangers are no members; another bot is a bot", async () => {
    const { server, team, inbound } = await runAdapter();
    server.user("U0GUEST0001", "Gus", { guest: "restricted" }).say(team, "one");
    server.user("U0GUEST0002", "Gil", { guest: "ultra_restricted" }).say(team, "two");
    server.user("U0OTHER0001", "Oli", { team: "T0OTHER0001" }).say(team, "three");
    server.user("U0STRANGE01", "Str", { team: "T0OTHER0001", stranger: true }).say(team, "four");
    server.user("U0BOT000001", "Deploy", { isBot: true }).say(team, "five");
    await eventually(() => expect(inbound).toHaveLength(5));
    expect(inbound.map(({ author }) => author.member)).toEqual([false, false, false, false, undefined]);
    expect(inbound.map(({ author }) => author.isBot)).toEqual([false, false, false, false, true]);
  });
  test("somebody whom Slack does not show is no member; while Slack tells nothing the event is not taken, but comes again", async () => {
    const { server, ana, inbound } = await runAdapter({ ackMs: 200 });
    server.fail({ method: "users.info", error: "user_not_found" });
    ana.say(ana.dm, "who am I?");
    await eventually(() => expect(inbound).toHaveLength(1));
    expect(inbound[0]?.author).toMatchObject({ id: ana.account.id, member: false });
    const kim = server.user("U0KIM000001", "Kim");
    server.fail({ method: "users.info", status: 503, times: 4 });
    kim.say(kim.dm, "and I?");
    await eventually(() => expect(inbound).toHaveLength(2));
    expect(inbound[1]?.author).toMatchObject({ name: "Kim", member: true });
    await eventually(() => expect(server.acks.at(-1)?.retryAttempt).toBe(1));
  });
  test("a person is looked up once for many messages, and mentioned people are named", async () => {
    const { server, ana, inbound } = await runAdapter();
    server.user("U0KIM000001", "Kim");
    for (const text of ["one", "two", "ask @Kim"]) ana.say(ana.dm, text);
    await eventually(() => expect(inbound).toHaveLength(3));
    expect(inbound[2]).toMatchObject({ text: "ask @Kim" });
    expect(server.calls.filter(({ method }) => method === "users.info")).toHaveLength(2);
  });
  test("LOOP-01: what the bot posts and edits itself comes back as nothing", async () => {
    const { adapter, post, thread, inbound, server } = await withQuestion();
    const before = inbound.length;
    await adapter.edit(thread, post, only(adapter.render({ type: "reply", markdown: "edited" })));
    await eventually(() => expect(server.acks.length).toBeGreaterThan(before + 1));
    expect(inbound).toHaveLength(before);
  });
  test("UED-01: an edit and a deletion of what was said are told as such", async () => {
    const { ana, inbound } = await runAdapter();
    const said = ana.say(ana.dm, "hello");
    ana.edit(said, "hello you");
    ana.delete(said);
    await eventually(() => expect(inbound.map(({ type }) => type)).toEqual(["message", "edited", "deleted"]));
  });
  test("reactions, opened tabs, assistant threads and Slack's own notices are taken and mean nothing", async () => {
    const { server, ana, team, inbound } = await runAdapter();
    const said = ana.say(team, "hello");
    ana.react(said, "thumbsup");
    ana.openHome();
    ana.startAssistant(team);
    server.systemMessage(team, "the channel was archived");
    await eventually(() => expect(server.acks).toHaveLength(5));
    expect(inbound).toHaveLength(1);
  });
  test("the bot is told where it was invited, and a welcome there opens a thread", async () => {
    const { server, adapter, ana, inbound } = await runAdapter();
    const elsewhere = server.channel("C0ELSE00001", "else", [ana], { withoutBot: true });
    server.invite(elsewhere, ana);
    const event = await eventually(() => theOne(inbound, "place"));
    expect(event).toMatchObject({ change: "added", author: { name: "Ana", member: true } });
    const sent = await adapter.send(
      event.thread,
      only(adapter.render({ type: "notice", markdown: "Hi", tone: "info" })),
      "n",
    );
    expect(sent.thread).toBe(formatThread(server.team.id, elsewhere.id, elsewhere.messages[0]?.ts ?? ""));
  });
  test("a notice for a message is told to its author alone, in the thread where there is one", async () => {
    const running = await runAdapter();
    const { ana, team } = running;
    running.answer = () => ({
      accepted: false,
      reply: { type: "notice", text: "Ask the operator to allow **U0ANA**." },
    });
    const root = ana.say(team, "hi");
    ana.say(team, "hi again", { threadTs: root.ts });
    await eventually(() => expect(team.ephemerals).toHaveLength(2));
    expect(team.ephemerals).toMatchObject([
      { user: ana.account.id, text: "Ask the operator to allow U0ANA." },
      { user: ana.account.id, thread_ts: root.ts },
    ]);
    expect(team.ephemerals[0]).not.toHaveProperty("thread_ts");
  });
  test("EDIT-03: a notice that Slack wants later is told then, once; one that would come far too late is not", async () => {
    const running = await runAdapter();
    const { server, ana, team, waits, log } = running;
    running.answer = () => ({ accepted: false, reply: { type: "notice", text: "Not here." } });
    server.fail({ method: "chat.postEphemeral", retryAfter: 7 });
    ana.say(team, "one");
    await eventually(() => expect(team.ephemerals).toMatchObject([{ user: ana.account.id, text: "Not here." }]));
    expect(waits).toEqual([7000]);
    server.fail({ method: "chat.postEphemeral", retryAfter: 31 });
    ana.say(team, "two");
    await eventually(() => expect(log.join()).toContain("was not taken"));
    expect(waits).toEqual([7000]);
    expect(team.ephemerals).toHaveLength(1);
  });
  test("a stop does not wait for a notice that Slack wants later", async () => {
    // Its time stands still: what waits, waits for ever.
    const running = await prepareAdapter({ clock: createClock() });
    const { server, adapter, ana, team } = running;
    await running.start();
    running.answer = () => ({ accepted: false, reply: { type: "notice", text: "Not here." } });
    server.fail({ method: "chat.postEphemeral", retryAfter: 30 });
    ana.say(team, "one");
    await eventually(() => expect(server.calls.at(-1)).toMatchObject({ result: "ratelimited" }));
    await sleep(30);
    expect(team.ephemerals).toEqual([]);
    await adapter.stop();
    expect(adapter.health().connected).toBe(false);
  });
});

describe("presence", () => {
  test("the status is set and taken away in the thread, and a provisional thread has none", async () => {
    const { server, adapter, ana } = await runAdapter();
    const said = ana.say(ana.dm, "hello");
    const thread = formatThread(server.team.id, ana.dm.id, said.ts);
    await adapter.presence(thread, true);
    await adapter.presence(thread, false);
    await adapter.presence(formatProvisional(server.team.id, ana.dm.id, "x"), true);
    expect(server.statuses.map(({ thread_ts, status }) => [thread_ts, status])).toEqual([
      [said.ts, "is working…"],
      [said.ts, ""],
    ]);
  });
  test("LIFE-02: a refusal throws nothing and is remembered for that channel; a failure is not", async () => {
    const server = await createSlackServer();
    onTestFinished(() => server.close());
    const ana = server.user("U0ANA000001", "Ana");
    const thread = formatThread(server.team.id, ana.dm.id, ana.say(ana.dm, "hello").ts);
    const presence = createPresence(createApi(server), silentLog);
    server.fail({ method: "assistant.threads.setStatus", status: 502 });
    server.fail({ method: "assistant.threads.setStatus", error: "missing_scope" });
    for (let count = 0; count < 4; count += 1) await presence(thread, true);
    expect(server.calls.map(({ result }) => result)).toEqual(["HTTP 502", "missing_scope"]);
  });
  test('a "wait" is passed on, for the outbox to keep', async () => {
    const { server, adapter, ana } = await runAdapter();
    const thread = formatThread(server.team.id, ana.dm.id, ana.say(ana.dm, "hello").ts);
    server.fail({ method: "assistant.threads.setStatus", retryAfter: 9 });
    await expect(adapter.presence(thread, true)).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 9000 });
  });
});

describe("history", () => {
  test("is what was said before, oldest first, the last so many, with names, and without service messages", async () => {
    const { server, adapter, ana, team } = await runAdapter();
    const kim = server.user("U0KIM000001", "Kim");
    const root = kim.say(team, "shall we? see #team");
    const thread = formatThread(server.team.id, team.id, root.ts);
    ana.say(team, "@Kim yes &", { threadTs: root.ts });
    await adapter.send(thread, only(adapter.render({ type: "reply", markdown: "I **can**" })), "n");
    const asked = ana.say(team, `@${server.bot.name} so?`, { threadTs: root.ts });
    ana.say(team, "later", { threadTs: root.ts });
    const before = formatPost(server.team.id, team.id, asked.ts);
    expect(await adapter.history(thread, before, 20)).toEqual([
      { author: "Kim", text: "shall we? see #team", byBot: false },
      { author: "Ana", text: "@Kim yes &", byBot: false },
      { author: "Threadline", text: "I can", byBot: true },
    ]);
    expect(await adapter.history(thread, before, 2)).toMatchObject([{ text: "@Kim yes &" }, { text: "I can" }]);
  });
  test("goes over pages and keeps the last ones", async () => {
    const { server, adapter, ana, team } = await runAdapter();
    const root = ana.say(team, "root");
    const said = Array.from({ length: 230 }, (_, index) => ana.say(team, `m${index}`, { threadTs: root.ts }));
    const before = formatPost(server.team.id, team.id, said.at(-1)?.ts ?? "");
    const earlier = await adapter.history(formatThread(server.team.id, team.id, root.ts), before, 3);
    expect(earlier).toMatchObject([{ text: "m226" }, { text: "m227" }, { text: "m228" }]);
  });
  test("before the first message there is none, nor in a thread that is yet to open; without the scope it cannot be told", async () => {
    const { server, adapter, ana, team } = await runAdapter();
    const root = ana.say(team, "root");
    const thread = formatThread(server.team.id, team.id, root.ts);
    const post = formatPost(server.team.id, team.id, root.ts);
    expect(await adapter.history(thread, post, 20)).toEqual([]);
    expect(await adapter.history(formatProvisional(server.team.id, team.id, "x"), post, 20)).toEqual([]);
    server.fail({ method: "conversations.replies", error: "missing_scope" });
    const later = formatPost(server.team.id, team.id, ana.say(team, "b", { threadTs: root.ts }).ts);
    expect(await adapter.history(thread, later, 20)).toBe("unavailable");
  });
});

describe("doctor", () => {
  const check = async (options: Parameters<typeof createSlackServer>[0] = {}) => {
    const server = await createSlackServer({ scopes: SCOPES.map(({ scope }) => scope), ...options });
    onTestFinished(() => server.close());
    return { server, check: () => slack.check(settingsOf(server)) };
  };
  test("names the bot and its workspace, and opens no socket", async () => {
    const { server, check: run } = await check();
    const findings = await run();
    expect(findings.map(({ text }) => text).join("\n")).toMatch(
      /@threadline \(U0TESTBOT01\) in Example One[^]*Socket Mode/,
    );
    expect(server.calls.map(({ method }) => method)).toEqual(["auth.test", "apps.connections.open"]);
    expect(server.socket.connections()).toBe(0);
  });
  test("names each scope that is missing, with what does not work", async () => {
    const { check: run } = await check({ scopes: ["chat:write", "users:read"] });
    const missing = (await run()).filter(({ ok }) => !ok).map(({ text }) => text);
    expect(missing).toContainEqual(expect.stringMatching(/commands is missing: there is no slash command.*reinstall/));
    expect(missing.join()).not.toContain("chat:write");
  });
  test("tells the two tokens apart", async () => {
    const { server, check: run } = await check();
    server.setRevoked("app", true);
    expect((await run()).filter(({ ok }) => !ok)).toMatchObject([
      { text: expect.stringContaining("platforms.slack.app_token") },
    ]);
    server.setRevoked("bot", true);
    expect((await run()).filter(({ ok }) => !ok)).toMatchObject([
      { text: expect.stringContaining("platforms.slack.bot_token") },
      { text: expect.stringContaining("platforms.slack.app_token") },
    ]);
    expect(await slack.check(slack.config.parse({}))).toMatchObject([
      { ok: false, text: expect.stringContaining("bot_token is missing") },
      { ok: false, text: expect.stringContaining("app_token is missing") },
    ]);
  });
});

test("before the start nothing is connected, and a start without tokens says which one is missing", async () => {
  const adapter = await slack.create(slack.config.parse({ bot_token: "xoxb-1" }), adapterDeps([], fastClock()));
  expect(adapter.health()).toEqual({ connected: false });
  await expect(
    adapter.start(() => Promise.resolve({ accepted: true }), { origin: "", mount: () => {} }),
  ).rejects.toMatchObject({
    code: "auth",
    message: expect.stringContaining("app_token is missing"),
  });
});
