/** What people reported of questions, presses, repeats and order: seen at the platform, over its real client. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { createDiscordServer, type DiscordServer } from "../wire/discord-server.ts";
import { lastUserText, toolResults } from "../wire/model-script.ts";
import { createSlackServer, type SlackServer } from "../wire/slack-server.ts";
import { createTelegramServer, type TelegramServer } from "../wire/telegram-server.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { createSetting, query, sharedProgram, spawnProgram, type Setting } from "./program.ts";
import { echo, type Script } from "./scripts.ts";
import { createSlackStage } from "./slack-stage.ts";
import type { Room, Shown } from "./stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

const DISTRICTS = ["Северо-Западный федеральный округ", "Южный федеральный округ"];
const SHARED = "These four options begin with the very same words, seventy-six of them or so, ";
const LONG_OPTIONS = ["one", "two", "three", "four"].map((end) => `${SHARED}${end}`.padEnd(90, "!"));
const MANY_OPTIONS = Array.from({ length: 300 }, (_, at) => `Shelf ${at + 1} of the long hall behind the second door`);
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  "BTN-01": DISTRICTS,
  "BTN-02": LONG_OPTIONS,
  "BTN 100": MANY_OPTIONS.slice(0, 100),
  "BTN 300": MANY_OPTIONS,
};
const RESUME_MS = 4000;
const TTL_S = 2;
const BLOCKED_MS = 1500;
/** 64 kB that took a parser 35 s of the event loop. */
const HARD_TO_DRAW = "*a_ ".repeat(16_000);

/** Asks with options, then says the answer word for word; slowly, or while it lets nothing else in this process go on. */
const questions: Script = (request) => {
  const text = lastUserText(request);
  if (text.includes("block")) {
    const end = Date.now() + BLOCKED_MS;
    while (Date.now() < end);
    return { content: "blocked", usage: null };
  }
  if (text.includes("draw")) return { content: HARD_TO_DRAW, usage: null };
  if (!text.includes("BTN"))
    return { content: `You said: ${text}`, usage: null, delayMs: text.includes("slow") ? 100_000 : 0 };
  const [result] = toolResults(request);
  if (result)
    return { content: `Tool said: ${result.text}`, usage: null, delayMs: text.includes("BTN-09") ? RESUME_MS : 0 };
  const options = Object.entries(OPTIONS).find(([name]) => text.includes(name))?.[1] ?? ["Red", "Blue", "Green"];
  const args = { question: "Which?", clarification_type: "approach_choice", options };
  return { toolCalls: [{ name: "ask_clarification", args }], usage: null };
};

let telegram: TelegramServer;
let slack: SlackServer;
let discord: DiscordServer;
const setting = sharedProgram(
  [
    async () => createTelegramStage((telegram = await createTelegramServer())),
    async () => createSlackStage((slack = await createSlackServer())),
    async () => createDiscordStage((discord = await createDiscordServer())),
  ],
  questions,
);
const PLATFORMS = ["telegram", "slack", "discord"] as const;

function onStage(platform: string, { stages }: Setting = setting()) {
  const stage = stages.find((one) => one.platform === platform);
  if (!stage) throw new Error(`Expected a stage of ${platform}, got none.`);
  return { stage, ana: stage.person("Ana") };
}
/** The question that this text leads to. */
async function asked(platform: string, text: string, where: Setting = setting()) {
  const { stage, ana } = onStage(platform, where);
  ana.direct.say(ana, text);
  const question = await until("the question", () => ana.direct.posts().find(({ buttons }) => buttons.length >= 2));
  return { stage, ana, question };
}
const says = (room: Room, words: string): Shown | undefined => room.posts().find(({ text }) => text.includes(words));
const callsAbout = (place: string) =>
  setting().models.calls.filter(({ messages }) => JSON.stringify(messages).includes(place));

describe("a question", () => {
  it("BTN-01: on Telegram has buttons of at most 64 bytes, each its own, and a press gives the whole option", async () => {
    const { ana, question } = await asked("telegram", "BTN-01");
    const [wire] = telegram.chat(Number(ana.direct.place)).messages.filter(({ keyboard }) => keyboard.length > 0);
    const data = wire?.keyboard.flat().map((button) => button.callback_data ?? "") ?? [];
    expect(new Set(data).size).toBe(2);
    expect(data.map((one) => Buffer.byteLength(one)).filter((bytes) => bytes < 1 || bytes > 64)).toEqual([]);
    await question.press(ana, question.buttons[0] ?? "");
    await until("the reply", () => says(ana.direct, `my answer is: ${DISTRICTS[0]}`));
  });

  it("BTN-02: on Slack tells long options apart, shows them whole, and a press of the third gives the third", async () => {
    const { ana, question } = await asked("slack", "BTN-02");
    expect(question.buttons.filter((label) => label.length > 75)).toEqual([]);
    expect(new Set(question.buttons).size).toBe(4);
    for (const option of LONG_OPTIONS) expect(question.text).toContain(option);
    await question.press(ana, question.buttons[2] ?? "");
    await until("the reply", () => says(ana.direct, `my answer is: ${LONG_OPTIONS[2]}`));
    expect(slack.violations).toEqual([]);
  });

  it("BTN-02: whose blocks Slack refuses is asked in words there, with numbers, and a typed number answers it", async () => {
    const { ana } = onStage("slack");
    slack.fail({ method: "chat.postMessage", place: ana.direct.place, error: "invalid_blocks" });
    ana.direct.say(ana, "BTN-02");
    const question = await until("the question in words", () => says(ana.direct, `4. ${LONG_OPTIONS[3]}`));
    expect(question.buttons).toEqual([]);
    ana.direct.say(ana, "3");
    await until("the reply", () => says(ana.direct, `my answer is: ${LONG_OPTIONS[2]}`));
    const results = slack.calls
      .filter(({ method, params }) => method === "chat.postMessage" && params["channel"] === ana.direct.place)
      .map(({ result }) => result);
    expect(results).toEqual(["invalid_blocks", "ok", "ok"]);
    expect(slack.violations).toEqual([]);
  });

  it("of a hundred options is a menu on Slack, which tells them all apart and whole in the text above", async () => {
    const { ana, question } = await asked("slack", "BTN 100");
    expect(new Set(question.buttons).size).toBe(100);
    const body = ana.direct
      .posts()
      .map(({ text }) => text)
      .join("\n");
    for (const [at, option] of OPTIONS["BTN 100"]?.entries() ?? []) expect(body).toContain(`${at + 1}. ${option}`);
    await question.press(ana, question.buttons[96] ?? "");
    await until("the reply", () => says(ana.direct, `my answer is: ${MANY_OPTIONS[96]}`));
    expect(slack.violations).toEqual([]);
  });

  it("of more options than Slack's blocks can hold is asked in words there, none is lost, and a typed number answers", async () => {
    const { ana } = onStage("slack");
    ana.direct.say(ana, "BTN 300");
    await until("its end", () => says(ana.direct, `300. ${MANY_OPTIONS[299]}`));
    const body = ana.direct
      .posts()
      .map(({ text }) => text)
      .join("\n");
    for (const [at, option] of MANY_OPTIONS.entries()) expect(body).toContain(`${at + 1}. ${option}`);
    ana.direct.say(ana, "297");
    await until("the reply", () => says(ana.direct, `my answer is: ${MANY_OPTIONS[296]}`));
    const results = slack.calls
      .filter(({ params }) => params["channel"] === ana.direct.place)
      .map(({ result }) => result);
    expect(results.filter((result) => result !== "ok")).toEqual([]);
    expect(slack.violations).toEqual([]);
  });

  it.each(PLATFORMS)(
    "BTN-05: on %s that was answered in words, or left by /new, has no buttons, and a late press is told so",
    async (platform) => {
      for (const [words, told] of [
        ["the second", "already been answered"],
        ["/new", "no longer active"],
      ] as const) {
        const { ana, question } = await asked(platform, `BTN-05 ${words.length}`);
        const calls = setting().models.calls.length;
        ana.direct.say(ana, words);
        await until("the buttons to go", () => ana.direct.posts().every(({ buttons }) => buttons.length === 0));
        await until("what follows", () => ana.direct.posts().length === 2);
        const before = ana.direct.posts().length;
        expect(await question.press(ana, question.buttons[0] ?? "")).toContain(told);
        expect(ana.direct.posts()).toHaveLength(before);
        expect(setting().models.calls.length - calls).toBe(words === "/new" ? 0 : 1);
      }
    },
  );

  it.each(["slack", "discord"])(
    "BTN-09: on %s acknowledges a press within 3 s, though its run takes longer and another blocks the process",
    async (platform) => {
      const { stage, ana, question } = await asked(platform, "BTN-09");
      const bob = stage.person("Bob");
      bob.direct.say(bob, "block");
      const acks = slack.acks.length;
      const pressed = question.press(ana, "Blue");
      // The stage fails where Discord has seen no acknowledgement for 3 s.
      expect(await pressed).toBe("");
      expect(says(ana.direct, "Tool said")).toBeUndefined();
      await until("the reply", () => says(ana.direct, "my answer is: Blue"));
      if (platform === "slack") expect(slack.acks.length - acks).toBeGreaterThanOrEqual(1);
      else
        expect(
          discord.calls.filter(({ route, status }) => route.includes("/callback") && status !== 200 && status !== 204),
        ).toEqual([]);
    },
  );

  it.each(["slack", "discord"])(
    "BTN-09: on %s acknowledges a press within 3 s while a long and twisted answer is drawn",
    async (platform) => {
      const { stage, ana, question } = await asked(platform, "BTN-09");
      const bob = stage.person("Bob");
      bob.direct.say(bob, "draw");
      await until("the long answer", () =>
        setting().models.calls.some(({ messages }) => JSON.stringify(messages.at(-1)).includes("draw")),
      );
      const said = Date.now();
      expect(await question.press(ana, "Blue")).toBe("");
      expect(Date.now() - said).toBeLessThan(3000);
      await until("the reply", () => says(ana.direct, "my answer is: Blue"));
    },
  );

  it.each(PLATFORMS)(
    "BTN-11: on %s is answered by free words: the run goes on with exactly these, and none begins anew",
    async (platform) => {
      const { ana } = await asked(platform, "BTN-11");
      const before = setting().models.calls.length;
      ana.direct.say(ana, "the second, but in blue");
      await until("the reply", () => says(ana.direct, "my answer is: the second, but in blue"));
      await until("no buttons", () => ana.direct.posts().every(({ buttons }) => buttons.length === 0));
      expect(setting().models.calls.length - before).toBe(1);
    },
  );
});

describe("a question that nobody answers in time", () => {
  const impatient = sharedProgram([createTelegramStage, createSlackStage, createDiscordStage], questions, {
    question_ttl: `${TTL_S}s`,
  });
  /** What is stored of questions and runs, and what the model was asked. */
  const stateOf = (setting: Setting) => ({
    questions: query(setting, "select * from questions"),
    runs: query(setting, "select * from runs"),
    inputs: query(setting, "select count(*) from inbox"),
    calls: setting.models.calls.length,
  });

  it.each(PLATFORMS)(
    "BTN-05: on %s loses its buttons, and a press that comes too late is told so and changes nothing",
    async (platform) => {
      const { stage, ana, question } = await asked(platform, "BTN-05 expiry", impatient());
      await until("the word about it", () => says(ana.direct, `I waited ${TTL_S} seconds for an answer from Ana`));
      await until("the buttons to go", () => ana.direct.posts().every(({ buttons }) => buttons.length === 0));
      const [before, posts] = [stateOf(impatient()), ana.direct.posts().map(({ text }) => text)];
      expect(await question.press(ana, "Blue")).toContain("no longer active");
      expect(stateOf(impatient())).toEqual(before);
      expect(ana.direct.posts().map(({ text }) => text)).toEqual(posts);
      expect(stage.violations()).toEqual([]);
    },
  );
});

describe("on Telegram", () => {
  it("ORD-03: a run of a hundred seconds makes no other chat wait, and its own /stop is seen at once", async () => {
    const { stage, ana } = onStage("telegram");
    const bob = stage.person("Bob");
    ana.direct.say(ana, "slow");
    await until("the long run", () => callsAbout("slow").length > 0);
    const said = Date.now();
    bob.direct.say(bob, "hi");
    await until("an answer elsewhere", () => says(bob.direct, "You said: hi"));
    // Within a second on a machine of one's own.
    expect(Date.now() - said).toBeLessThan(3000);
    ana.direct.say(ana, "/stop");
    await until("the stop", () => says(ana.direct, "Stopped"));
    expect(Date.now() - said).toBeLessThan(6000);
  });

  it("ORD-01: two messages 20 ms apart, the first with a file that comes slowly, are answered in their order", async () => {
    const { ana } = onStage("telegram");
    telegram.fail({ method: "getFile", delayMs: 2000 });
    ana.direct.sendFile(ana, "list.txt", "content", "first with a file");
    await sleep(20);
    ana.direct.say(ana, "second");
    await until("the answers", () => says(ana.direct, "second"));
    const calls = callsAbout("first with a file");
    const users = (calls.at(-1)?.messages ?? [])
      .filter(({ role }) => role === "user")
      .map((one) => JSON.stringify(one));
    const at = (words: string) => users.findIndex((one) => one.includes(words));
    expect(at("first with a file")).toBeGreaterThanOrEqual(0);
    expect(at("second")).toBeGreaterThanOrEqual(at("first with a file"));
    expect(ana.direct.posts().length).toBeLessThanOrEqual(2);
  });

  it("DUP-03: an update that was answered before kill -9 starts nothing when it is given again; the next one does", async () => {
    const alone = await createSetting(() => createTelegramStage());
    alone.models.script(echo);
    const ana = alone.stage.person("Ana");
    const first = await spawnProgram(alone);
    ana.direct.say(ana, "hello");
    await until("the reply", () => ana.direct.posts().length === 1);
    const open = () => query<{ n: number }>(alone, "select count(*) as n from slots where settled = 0")[0]?.n;
    await until("its receipt", () => open() === 0);
    await first.kill();
    alone.stage.redeliver();
    ana.direct.say(ana, "second");
    await spawnProgram(alone);
    await until("the second reply", () => says(ana.direct, "You said: second"));
    expect(ana.direct.posts()).toHaveLength(2);
    expect(alone.models.calls).toHaveLength(2);
  });
});
