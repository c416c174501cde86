/** What people reported of edits that are lost, repeated, late or refused: seen at the platform, over its real client. */
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { describe, expect, it } from "vitest";
import { createClock, until } from "../helpers.ts";
import { lastUserText } from "../wire/model-script.ts";
import { createSlackServer, type SlackServer } from "../wire/slack-server.ts";
import { createTelegramServer } from "../wire/telegram-server.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { createSetting, sharedProgram, startHere } from "./program.ts";
import { echo, type Script, works } from "./scripts.ts";
import { createSlackStage } from "./slack-stage.ts";
import type { Mishap, Room } from "./stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

const words = (count: number) => Array.from({ length: count }, (_, at) => `w${String(at).padStart(5, "0")}`).join(" ");
/** Three parts each, at 4096, 4000 and 2000. */
const THREE_PARTS = { telegram: words(1400), slack: words(1400), discord: words(700) } as const;
const GROWING = `${words(600)} ${"漢字が並ぶ".repeat(120)}`;

/** What the model does, by what it is asked for. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  "EDIT-05": works({ updates: 10, everyMs: 100, silentMs: 0, reply: "The reply." }),
  "EDIT-07": works({ updates: 3, everyMs: 100, silentMs: 4000, reply: "The reply." }),
  "EDIT-08": works({ updates: 6, everyMs: 700, silentMs: 0, reply: "The reply." }),
  "ORD-05 telegram": works({ updates: 1, everyMs: 0, silentMs: 2500, reply: THREE_PARTS.telegram }),
  "ORD-05 slack": works({ updates: 1, everyMs: 0, silentMs: 2500, reply: THREE_PARTS.slack }),
  "ORD-05 discord": works({ updates: 1, everyMs: 0, silentMs: 2500, reply: THREE_PARTS.discord }),
  "SPLIT-09": works({ updates: 4, everyMs: 1000, silentMs: 0, said: GROWING, reply: GROWING }),
};
const byName: Script = (request) => {
  const [, script = echo] = Object.entries(SCRIPTS).find(([name]) => lastUserText(request).includes(name)) ?? [];
  return script(request);
};

let slack: SlackServer;
const setting = sharedProgram(
  [
    () => createTelegramStage(),
    async () => createSlackStage((slack = await createSlackServer())),
    () => createDiscordStage(),
  ],
  byName,
);

function onStage(platform: string) {
  const stage = setting().stages.find((one) => one.platform === platform);
  if (!stage) throw new Error(`Expected a stage of ${platform}, got none.`);
  const ana = stage.person("Ana");
  const written = (room: Room = ana.direct) => stage.written().filter(({ place }) => place === room.place);
  return { stage, ana, written };
}
const cardsIn = (room: Room) => room.posts().filter((post) => post.silent);
/** What a card's first task has used, below the heading with the run's total; in thousands it is rounded, here up. */
function tokensIn(text: string): number {
  const rows = text.slice(text.indexOf("\n"));
  const [, figure = "0", thousand = ""] = /([\d.]+)(k?) tokens/.exec(rows) ?? [];
  return thousand === "k" ? Number(figure) * 1000 + 100 : Number(figure);
}
const isOver = (room: Room) =>
  cardsIn(room).some(({ text }) => text.includes("Done")) &&
  room.posts().some(({ text }) => text.includes("The reply."));
const PLATFORMS = ["telegram", "slack", "discord"] as const;
/** Nothing may be edited there. */
const FORBIDDEN: Readonly<Record<(typeof PLATFORMS)[number], Mishap>> = {
  telegram: { status: 403, error: "Forbidden: bot was kicked from the supergroup chat" },
  slack: { error: "restricted_action" },
  discord: { status: 403, error: "Missing Permissions" },
};

describe.concurrent("a progress message", () => {
  it("EDIT-05: on Telegram is left alone while a 429 runs, and then shows the newest state at once; other chats go on", async () => {
    const { stage, ana, written } = onStage("telegram");
    stage.fail("edit", { retryAfter: 3 }, ana.direct);
    ana.direct.say(ana, "EDIT-05");
    const refused = await until("the 429", () => written().find(({ outcome }) => outcome === "refused"));
    const bob = stage.person("Bob");
    bob.direct.say(bob, "hello");
    await until("an answer elsewhere", () => bob.direct.posts().length === 1);
    expect(Date.now() - refused.at).toBeLessThan(3000);
    await until("the end", () => isOver(ana.direct));
    const edits = written().filter(({ type }) => type === "edit");
    expect((edits[1]?.at ?? 0) - refused.at).toBeGreaterThanOrEqual(3000);
    // What it showed when it was first edited: all that had been reported a second before, but for a call under way.
    const [card] = cardsIn(ana.direct);
    const shown = tokensIn([...(card?.before ?? []), card?.text][1] ?? "");
    const reports = setting().models.calls.filter(
      ({ messages, tools, at }) =>
        !tools.some((tool) => tool.function.name === "task") &&
        JSON.stringify(messages).includes("EDIT-05") &&
        at < (edits[1]?.at ?? 0) - 1000,
    );
    expect(shown).toBeGreaterThanOrEqual((reports.length - 1) * 110);
    expect(written().filter(({ at }) => at > refused.at && at < refused.at + 3000)).toEqual([]);
  });

  it.each(PLATFORMS)(
    "EDIT-07: on %s shows the last state before a silence, without any further event",
    async (platform) => {
      const { ana } = onStage(platform);
      ana.direct.say(ana, "EDIT-07");
      await until("the last state", () => cardsIn(ana.direct)[0]?.text.includes("330 tokens"));
      // Within the four seconds of silence: a second of pace, and the rest for a busy machine.
      expect(ana.direct.posts()).toHaveLength(1);
      await until("the end", () => isOver(ana.direct));
    },
  );

  it.each(PLATFORMS)(
    "EDIT-08: on %s that somebody deleted is replaced once, in its thread, and goes on there",
    async (platform) => {
      const { stage, ana } = onStage(platform);
      const room = stage.room(ana);
      room.say(ana, "EDIT-08");
      const first = await until("the card", () => cardsIn(room)[0]);
      first.erase();
      await until("the end", () => isOver(room));
      expect(room.posts().map(({ silent }) => silent)).toEqual([true, false]);
      const [card, reply] = room.posts();
      expect(card?.text).toContain("770 tokens");
      expect(card?.before).not.toEqual([]);
      expect([card?.thread, reply?.thread]).toEqual([first.thread, first.thread]);
    },
  );

  it.each(PLATFORMS)(
    "EDIT-08: on %s that may not be edited is not replaced, and the answer comes once",
    async (platform) => {
      const { stage, ana, written } = onStage(platform);
      stage.fail("edit", { ...FORBIDDEN[platform], times: 99 }, ana.direct);
      ana.direct.say(ana, "EDIT-08");
      await until("the reply", () => ana.direct.posts().some(({ text }) => text.includes("The reply.")));
      await sleep(300);
      expect(written().filter(({ type }) => type === "post")).toHaveLength(2);
      expect(ana.direct.posts()).toHaveLength(2);
    },
  );
});

/** One after another: Slack counts the edits of all threads together. */
describe("a progress message of one thread", () => {
  it.each(PLATFORMS)(
    "ORD-05: on %s whose edit is slow lands before the reply, whose three parts are in order",
    async (platform) => {
      const { stage, ana, written } = onStage(platform);
      stage.fail("edit", { delayMs: 800 }, ana.direct);
      ana.direct.say(ana, `ORD-05 ${platform}`);
      await until("the card's end", () => cardsIn(ana.direct)[0]?.text.includes("Done"));
      const [card, ...parts] = ana.direct.posts();
      expect(card?.silent).toBe(true);
      expect(parts).toHaveLength(3);
      expect(
        parts
          .map(({ text }) => text.trim())
          .join(" ")
          .split(/\s+/)
          .join(" "),
      ).toBe(THREE_PARTS[platform]);
      const all = written();
      const slow = all.findIndex(({ type }) => type === "edit");
      expect((all[slow + 1]?.at ?? 0) - (all[slow]?.at ?? 0)).toBeGreaterThanOrEqual(800);
      const firstPart = all.map(({ type }) => type).indexOf("post", 1);
      expect(firstPart).toBeGreaterThan(slow);
      expect(all.slice(firstPart).map(({ type }) => type)).toEqual(["post", "post", "post", "edit"]);
    },
  );

  it("SPLIT-09: on Slack never grows beyond what an edit may hold, and the answer comes whole, as posts", async () => {
    const { ana } = onStage("slack");
    ana.direct.say(ana, "SPLIT-09");
    await until("the end", () => cardsIn(ana.direct)[0]?.text.includes("Done"));
    const [card, ...parts] = ana.direct.posts();
    expect(card?.before.some((text) => text.includes("w00000"))).toBe(true);
    const dense = (text: string) => text.replace(/\s+/g, "");
    expect(dense(parts.map(({ text }) => text).join(""))).toBe(dense(GROWING));
    const updates = slack.calls.filter(
      ({ method, params }) => method === "chat.update" && params["channel"] === ana.direct.place,
    );
    expect(updates.length).toBeGreaterThan(1);
    expect(updates.filter(({ result }) => result !== "ok")).toEqual([]);
    expect(updates.filter(({ params }) => Buffer.byteLength(String(params["text"])) > 4000)).toEqual([]);
    expect(ana.direct.posts().filter(({ text }) => text.startsWith("Working"))).toEqual([]);
  });
});

describe("on Telegram", () => {
  it("EDIT-01: an edit that changes nothing is a success: nothing is sent again, and nobody is warned", async () => {
    const alone = await createSetting(() => createTelegramStage());
    alone.models.script(works({ updates: 3, everyMs: 500, silentMs: 0, reply: "The reply." }));
    const lines: string[] = [];
    await startHere(alone, { log: pino({ level: "info" }, { write: (line) => void lines.push(line) }) });
    const ana = alone.stage.person("Ana");
    const error = "Bad Request: message is not modified: specified new message content and reply markup are the same";
    alone.stage.fail("edit", { status: 400, error, times: 99 }, ana.direct);
    ana.direct.say(ana, "hello");
    await until("the reply", () => ana.direct.posts().length === 2);
    await until("the last edit", () => alone.stage.written().at(-1)?.type === "edit");
    const before = alone.stage.written().length;
    await sleep(1500);
    expect(alone.stage.written()).toHaveLength(before);
    expect(ana.direct.posts().filter(({ text }) => text === "The reply.")).toHaveLength(1);
    expect(lines.filter((line) => Number(JSON.parse(line).level) >= 40 && line.includes("modified"))).toEqual([]);
  });

  it("EDIT-03: a reply that is refused three times for 26 seconds waits out each of them, and comes once", async () => {
    const server = await createTelegramServer();
    const alone = await createSetting(() => createTelegramStage(server));
    alone.models.script(echo);
    const clock = createClock(Date.now());
    await startHere(alone, { clock });
    const ana = alone.stage.person("Ana");
    alone.stage.fail("post", { retryAfter: 26, times: 3 }, ana.direct);
    ana.direct.say(ana, "hello");
    const toChat = () => server.calls.filter(({ params }) => params["chat_id"] === Number(ana.direct.place));
    const posts = () => toChat().filter(({ method }) => method === "sendMessage").length;
    await until("the first try", () => posts() === 1);
    const since = toChat().length;
    for (const wait of [1, 2, 3]) {
      await sleep(100);
      await clock.advance(25_999);
      await sleep(100);
      expect(posts()).toBe(wait);
      await clock.advance(1);
      await until(`try ${wait + 1}`, () => posts() === wait + 1);
    }
    await until("the reply", () => ana.direct.posts().length === 1);
    expect(
      toChat()
        .slice(since)
        .map(({ method }) => method),
    ).toEqual(["sendMessage", "sendMessage", "sendMessage"]);
  });
});
