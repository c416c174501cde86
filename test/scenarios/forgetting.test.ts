/** Being forgotten, as a person of each platform sees it, and as an operator does it from the command line. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { until } from "../helpers.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { createSetting, type Setting, startHere } from "./program.ts";
import { echo } from "./scripts.ts";
import { createSlackServer } from "../wire/slack-server.ts";
import { createSlackStage } from "./slack-stage.ts";
import type { Room } from "./stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

const fileOf = ({ folder }: Setting) => path.join(folder, "data", "threadline.db");
const tracesOf = (setting: Setting, word: string) => {
  const bytes = ["", "-wal"].map((end) => readFileSync(fileOf(setting) + end, "latin1"));
  return bytes.join("").split(word).length - 1;
};
const count = (setting: Setting, table: string) => {
  const db = new Database(fileOf(setting), { readonly: true });
  try {
    return db.prepare(`select count(*) from ${table}`).pluck().get();
  } finally {
    db.close();
  }
};

/** `told`: what Slack shows to one person alone, which is no post. */
const PLATFORMS = {
  slack: async () => {
    const server = await createSlackServer();
    const told = () =>
      server.calls.filter(({ method }) => method === "chat.postEphemeral").map((call) => JSON.stringify(call));
    return { stage: await createSlackStage(server), told };
  },
  discord: async () => ({ stage: await createDiscordStage(), told: () => [] }),
  telegram: async () => ({ stage: await createTelegramStage(), told: () => [] }),
};

it.each(["slack", "discord", "telegram"] as const)(
  "%s: who sends `!forget me` is told so, among others and alone with the bot, and is gone from the data folder",
  async (platform) => {
    const { stage, told } = await PLATFORMS[platform]();
    const setting = await createSetting(async () => stage);
    setting.models.script(echo);
    await startHere(setting);
    const [ana, bob] = [stage.person("Quillon"), stage.person("Bob")];
    const room = stage.room(ana, bob);
    const has = (of: Room, word: string) => of.posts().some(({ text }) => text.includes(word));
    ana.direct.say(ana, "a wombat alone");
    room.say(ana, "a wombat among us");
    bob.direct.say(bob, "I am Bob");
    await until("two answers", () => has(ana.direct, "wombat") && has(room, "wombat"));
    ana.direct.sendFile(ana, "quokka.txt", "quokka", "keep this wombat");
    await until("two more", () => has(ana.direct, "keep this") && has(bob.direct, "I am Bob"));

    room.say(ana, "!forget me");
    await until("the answer", () => has(room, "Forgotten: ") || told().join().includes("Forgotten: "));
    await until("the person to be gone", () => count(setting, "persons") === 1, 30_000);
    const words = [ana.id, "Quillon", "wombat", "quokka"];
    await until("no trace", () => words.every((word) => tracesOf(setting, word) === 0), 30_000);
    expect(tracesOf(setting, "I am Bob")).toBeGreaterThan(0);
    expect(readdirSync(setting.folder, { recursive: true }).join()).not.toContain("quokka");
    ana.direct.say(ana, "!forget me");
    await until("the answer", () => has(ana.direct, "Forgotten: ") || told().length === 2);
    expect(stage.violations()).toEqual([]);
  },
);

it("slack: `/threadline forget me` is answered to the caller alone, and the person is gone", async () => {
  const server = await createSlackServer();
  const stage = await createSlackStage(server);
  const setting = await createSetting(async () => stage);
  setting.models.script(echo);
  await startHere(setting);
  const ana = server.user("U0QUILLON", "Quillon");
  const channel = server.channel("C0TEAM", "team", [ana]);
  ana.mention(channel, "a wombat");
  await until("the reply", () => channel.messages.some(({ user }) => user.id === server.bot.id));
  expect((await ana.command("/threadline", "forget", channel)).ephemerals.join()).toContain("!forget me");
  expect((await ana.command("/threadline", "forget me", channel)).ephemerals.join()).toContain("Forgotten: ");
  await until("no trace", () => ["U0QUILLON", "wombat"].every((word) => tracesOf(setting, word) === 0), 30_000);
  expect(server.violations).toEqual([]);
});

it("`threadline forget` is taken by the running program and done without one, and says whom it could mean", async () => {
  const setting = await createSetting(createTelegramStage);
  setting.models.script(echo);
  const config = path.join(setting.folder, "config.yaml");
  writeFileSync(config, setting.yaml);
  const forget = async (person: string) => {
    const args = ["--import", "tsx", "gateway/cli.ts", "forget", person, "--config", config];
    return promisify(execFile)(process.execPath, args).then(
      ({ stdout }) => stdout,
      (error: { code: number; stderr: string }) => `${error.code}: ${error.stderr}`,
    );
  };
  const program = await startHere(setting);
  const [ana, bob] = [setting.stage.person("Quillon"), setting.stage.person("Bob")];
  for (const one of [ana, bob]) one.direct.say(one, "a wombat alone");
  await until("two answers", () =>
    [ana, bob].every(({ direct }) => direct.posts().some(({ text }) => text.includes("wombat"))),
  );
  expect(await forget("Quill")).toMatch(new RegExp(`^1: .*it knows Quillon.* \\(telegram:${ana.id}\\)`));
  expect(await forget(`telegram:${ana.id}`)).toMatch(
    new RegExp(`^telegram:${ana.id} is being forgotten by the running Threadline; .* calls them [0-9a-f-]{36}\\.\n$`),
  );
  await until("one person", () => count(setting, "persons") === 1, 20_000);
  await program.stop();
  expect(await forget(`telegram:${bob.id}`)).toBe(`telegram:${bob.id} is forgotten.\n`);
  expect([count(setting, "persons"), count(setting, "threads"), count(setting, "runs")]).toEqual([0, 0, 0]);
});
