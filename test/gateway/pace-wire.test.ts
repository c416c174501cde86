/** The pace as the platforms see it: the real clients against the loopback servers, by a clock that is moved by hand. */
import { describe, expect, it, onTestFinished } from "vitest";
import { formatPlace as discordPlace, formatThread as discordThread } from "../../adapters/discord/thread-key.ts";
import { slack } from "../../adapters/slack/adapter.ts";
import { formatPlace as slackPlace, formatThread as slackThread } from "../../adapters/slack/thread-key.ts";
import { telegram } from "../../adapters/telegram/adapter.ts";
import { formatPlace, formatThread } from "../../adapters/telegram/thread-key.ts";
import { byBot, prepareAdapter as prepareDiscord } from "../adapters/discord/running-adapter.ts";
import { adapterDeps } from "../adapters/slack/running-adapter.ts";
import { createClock, type HandClock, tempStore, until } from "../helpers.ts";
import { createSlackServer } from "../wire/slack-server.ts";
import { createTelegramServer } from "../wire/telegram-server.ts";
import { visibleText } from "../wire/slack-visible-text.ts";
import { echo, gate, reply, type Script, start, task } from "./bench.ts";

/** A card, and one more state each time `more` is called. */
function growing() {
  const { held, release } = gate();
  const waiting: (() => void)[] = [];
  let newest = 100;
  const script: Script = async function* () {
    yield { type: "started", model: "Big" };
    yield { type: "task", task: task("running", 100) };
    let ended = false;
    void held.then(() => (ended = true));
    while (!ended) {
      await Promise.race([held, new Promise<void>((resolve) => waiting.push(resolve))]);
      if (!ended) yield { type: "task", task: task("running", (newest += 100)) };
    }
    yield* reply("done");
  };
  const more = () => waiting.splice(0).forEach((next) => next());
  const total = () => (newest < 1000 ? `${newest}` : `${(newest / 1000).toFixed(1)}k`);
  return { script, release, more, newest: () => `${total()} tokens` };
}

/** So much later, in steps in which the wire can answer; `each` is called after each. */
async function pass(clock: HandClock, ms: number, each = () => {}, stepMs = 500): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await clock.advance(Math.min(left, stepMs));
    each();
  }
}

async function onTelegram(script: Script) {
  const clock = createClock();
  const server = await createTelegramServer({ now: () => clock.now() });
  onTestFinished(() => server.close());
  const config = telegram.config.parse({ bot_token: server.token, api_url: server.url });
  const adapter = await telegram.create(config, adapterDeps([], clock));
  const account = String(server.bot.id);
  const user = server.user(700, "Ana");
  const group = server.supergroup(-1001, "Team");
  const { say } = start(script, { adapter, clock });
  const where = (chat: number, topic?: number) => ({
    place: { key: formatPlace(account, chat), type: chat > 0 ? "direct" : "shared", id: `${chat}` } as const,
    thread: formatThread({ account, chat, ...(topic !== undefined && { topic }) }),
    mentionsBot: true,
  });
  const calls = (method: RegExp, chat: number) =>
    server.calls.filter((call) => method.test(call.method) && call.params["chat_id"] === chat);
  const texts = (chat: number) => server.chat(chat).messages.filter(({ from }) => from.is_bot);
  return { server, clock, say, where, calls, texts, user, group };
}

describe("Telegram", () => {
  it("EDIT-03: an answer with three 429 of 26 s arrives once, and nothing at all is asked of that chat before", async () => {
    const { server, clock, say, where, calls, texts } = await onTelegram(echo);
    const began = clock.now();
    server.fail({ method: "sendMessage", place: 700, retryAfter: 26, times: 3 });
    await say("hello", where(700));
    for (const nth of [1, 2, 3]) {
      await until(`refusal ${nth}`, () => calls(/^sendMessage$/, 700).at(nth - 1)?.status === 429);
      await clock.advance(0);
      await say("@bot meanwhile", where(-1001));
      await until("the other chat", () => texts(-1001).length === nth);
      await clock.advance(26_000);
    }
    await until("the answer", () => texts(700).length === 1);
    const times = calls(/./, 700)
      .map(({ at }) => at - began)
      .filter((at) => at > 0);
    expect(times).toEqual([26_000, 52_000, 78_000]);
    expect(texts(700).map(({ text }) => text)).toEqual(["hello"]);
  });

  it("EDIT-05: a card whose edit got a 429 of 9 s is edited once when it is over, with the newest state", async () => {
    const { script, more, release, newest } = growing();
    const { server, clock, say, where, calls } = await onTelegram(script);
    await say("go", where(700));
    await until("the card", () => calls(/^sendMessage$/, 700).at(0)?.status === 200);
    server.fail({ method: "editMessageText", retryAfter: 9 });
    await pass(clock, 2000, more, 100);
    await until("the refusal", () => calls(/^editMessageText$/, 700).at(0)?.status === 429);
    const began = calls(/^editMessageText$/, 700)[0]?.at ?? 0;
    await pass(clock, began + 8900 - clock.now(), more, 100);
    expect(calls(/./, 700).filter(({ at }) => at > began)).toEqual([]);
    await pass(clock, 1500);
    await until("the next edit", () => calls(/^editMessageText$/, 700).at(1)?.status === 200);
    expect(String(calls(/^editMessageText$/, 700)[1]?.params["text"])).toContain(newest());
    release();
  });

  it("a 429 on the typing sign holds the next one of that chat until it is over, and no answer", async () => {
    const { script, release } = growing();
    const { server, clock, say, where, calls, texts } = await onTelegram(script);
    server.fail({ method: "sendChatAction", place: 700, retryAfter: 60 });
    await say("go", where(700));
    const signs = () => calls(/^sendChatAction$/, 700);
    await until("the refusal", () => signs().at(0)?.status === 429);
    const began = clock.now();
    await until("the card", () => texts(700).length === 1);
    await pass(clock, 59_000, () => {}, 1000);
    expect(signs()).toHaveLength(1);
    await pass(clock, 5000, () => {}, 1000);
    await until("the next sign", () => signs().length > 1);
    expect((signs()[1]?.at ?? 0) - began).toBeGreaterThanOrEqual(59_500);
    server.fail({ method: "sendChatAction", place: 700, retryAfter: 60 });
    await pass(clock, 5000, () => {}, 1000);
    await until("the second refusal", () => signs().at(-1)?.status === 429);
    release();
    await until("the answer", () => texts(700).some(({ text }) => text === "done"));
  });

  it("twelve cards in one group, with answers between them, stay within 20 messages a minute", async () => {
    const { script, more, release } = growing();
    const { server, clock, say, where, calls } = await onTelegram((input, signal) =>
      JSON.stringify(input).includes("quick") ? echo(input, signal) : script(input, signal),
    );
    const forum = server.forum(-1002, "Forum");
    for (let i = 0; i < 12; i += 1) await say("@bot go", where(-1002, server.topic(forum, `topic ${i}`)));
    await pass(clock, 60_000, more, 1000);
    const topic = server.topic(forum, "quick");
    for (let i = 0; i < 4; i += 1) {
      await say(`@bot quick ${i}`, where(-1002, topic));
      await pass(clock, 15_000, more, 1000);
    }
    expect(calls(/^editMessageText$/, -1002).length).toBeGreaterThan(12);
    expect(calls(/^sendMessage$/, -1002)).toHaveLength(12 + 4);
    expect(server.tooFast()).toEqual([]);
    release();
  });
});

describe("Slack", () => {
  it("the cards of 12 channels share the workspace's 50 edits a minute, and a 429 on them holds no answer", async () => {
    const { script, more, release } = growing();
    const clock = createClock();
    const server = await createSlackServer({ now: () => clock.now() });
    onTestFinished(() => server.close());
    const settings = { bot_token: server.botToken, app_token: server.appToken, api_url: server.apiUrl };
    const adapter = await slack.create(slack.config.parse(settings), adapterDeps([], clock));
    const { say } = start(script, { adapter, clock });
    const ana = server.user("U0ANA000001", "Ana");
    const rooms = Array.from({ length: 12 }, (_, i) => server.channel(`C0TEAM0000${i}`, `team${i}`, [ana]));
    for (const room of rooms) {
      const { ts } = ana.mention(room, "go");
      const place = { key: slackPlace(server.team.id, room.id), type: "shared", id: room.id } as const;
      await say("@bot go", { place, thread: slackThread(server.team.id, room.id, ts), mentionsBot: true });
    }
    const posted = (what: string) =>
      rooms.filter((room) => room.messages.some((message) => visibleText(message).startsWith(what))).length;
    await until("all cards", () => rooms.every(({ messages }) => messages.length > 1));
    await pass(clock, 75_000, more, 1000);
    const edits = () => server.calls.filter(({ method }) => method === "chat.update");
    expect(edits().length).toBeGreaterThan(40);
    expect(new Set(edits().map(({ params }) => params["channel"])).size).toBe(12);
    expect(server.tooFast()).toEqual([]);
    server.fail({ method: "chat.update", retryAfter: 600 });
    more();
    await pass(clock, 3000);
    await until("the refusal", () => edits().at(-1)?.result === "ratelimited");
    const before = edits().length;
    release();
    await until("all answers", () => posted("done") === 12);
    await pass(clock, 60_000, () => {}, 10_000);
    expect(edits()).toHaveLength(before);
  });
});

describe("Discord", () => {
  it("EDIT-07: shows a card's last state within its pace; a 429 on its edits holds no answer", async () => {
    const { script, more, newest, release } = growing();
    const { server, adapter } = await prepareDiscord();
    const sam = server.user("1100000000000000001", "Sam");
    const clock = createClock();
    const { say } = start(script, { adapter, clock });
    const place = { key: discordPlace(sam.dm.id), type: "direct", id: sam.dm.id } as const;
    await say("go", { place, thread: discordThread({ type: "direct", channel: sam.dm.id }) });
    const shown = () => byBot(sam.dm.messages).map((message) => message.shown.content);
    await until("the card", () => shown().length === 1);
    await pass(clock, 300, more, 100);
    await clock.advance(1200);
    await until("the newest state", () => shown()[0]?.includes(newest()));
    server.fail({ method: "PATCH /channels/:id/messages/:id", retryAfter: 600 });
    more();
    await clock.advance(1200);
    await until("the refusal", () => server.calls.some(({ status }) => status === 429));
    release();
    await until("the answer", () => shown().includes("done"));
    expect(shown()[0]).toContain("Working");
  });

  it("a 429 for the whole bot holds the answers of all its chats, also after a restart", async () => {
    const first = await prepareDiscord();
    const { server } = first;
    const [sam, ana] = [server.user("1100000000000000001", "Sam"), server.user("1100000000000000002", "Ana")];
    const clock = createClock();
    const { store } = tempStore(clock);
    const at = ({ dm }: typeof sam) => ({
      place: { key: discordPlace(dm.id), type: "direct", id: dm.id } as const,
      thread: discordThread({ type: "direct", channel: dm.id }),
    });
    server.fail({ method: "POST /channels/:id/messages", retryAfter: 600, global: true });
    const before = start(echo, { adapter: first.adapter, clock, store });
    await before.say("hello", at(sam));
    await until("the refusal", () => server.calls.some(({ status }) => status === 429));
    await before.gateway.stop();
    const { adapter } = await prepareDiscord({ server });
    const after = start(echo, { adapter, clock, store });
    await after.gateway.recover();
    await after.say("hello", at(ana));
    const posts = () => server.calls.filter(({ route }) => route === "POST /channels/:id/messages");
    await pass(clock, 590_000, () => {}, 10_000);
    expect(posts()).toHaveLength(1);
    await pass(clock, 20_000, () => {}, 10_000);
    await until("both answers", () => [sam, ana].every(({ dm }) => byBot(dm.messages).length === 1));
  });
});
