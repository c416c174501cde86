/** All platforms in one program: what one of them suffers is its own affair. */
import { expect, it } from "vitest";
import { until } from "../helpers.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { createSetting, startHere } from "./program.ts";
import { echo } from "./scripts.ts";
import { createSlackStage } from "./slack-stage.ts";
import type { Stage } from "./stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

const WRONG_TOKENS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  slack: { bot_token: "xoxb-1-2-wrong" },
  discord: { bot_token: "d3Jvbmc.wrong.wrong-wrong-wrong" },
  telegram: { bot_token: "123456:AAwrong_wrong_wrong_wrong_wrong_wro" },
};
const NAMES = Object.keys(WRONG_TOKENS);

/** The program with three platforms and the page; `wrong`: settings that replace the right ones. */
async function startAll(wrong: Readonly<Record<string, Readonly<Record<string, string>>>> = {}) {
  const stages = await Promise.all([createSlackStage(), createDiscordStage(), createTelegramStage()]);
  const [slack, ...others] = stages;
  const settings = ({ platform, settings: own }: Stage) => [
    platform,
    { access: { mode: "open" }, ...own, ...wrong[platform] },
  ];
  const setting = await createSetting(async () => slack, { platforms: Object.fromEntries(stages.map(settings)) });
  setting.models.script(echo);
  const program = await startHere(setting);
  const readiness = async () => {
    const answer = await fetch(`${program.http.origin}/readyz`);
    const body = (await answer.json()) as { platforms: Record<string, { connected: boolean; lastError?: string }> };
    return { status: answer.status, platforms: body.platforms };
  };
  const close = () => Promise.all(others.map((stage) => stage.close()));
  return { stages, readiness, close, program };
}

async function expectAnswer(stage: Stage): Promise<void> {
  const ana = stage.person("Ana");
  ana.direct.say(ana, "hello");
  await until(`an answer on ${stage.platform}`, () => ana.direct.posts().some((post) => post.text.includes("hello")));
}

it.each(NAMES)("a wrong token of %s is named in /readyz, and the others answer", async (name) => {
  const { stages, readiness, close } = await startAll({ [name]: WRONG_TOKENS[name] ?? {} });
  await Promise.all(stages.filter(({ platform }) => platform !== name).map(expectAnswer));
  const { status, platforms } = await readiness();
  expect(status).toBe(503);
  const down = Object.entries(platforms).filter(([, { connected }]) => !connected);
  expect(down).toEqual([[name, expect.objectContaining({ lastError: expect.stringMatching(/token/) })]]);
  expect(JSON.stringify(platforms)).not.toContain("wrong");
  await close();
});

it.each(NAMES)(
  "a token of %s that is revoked while it runs takes that platform down, and nothing else",
  async (name) => {
    const { stages, readiness, close } = await startAll();
    await until("all to be connected", async () => (await readiness()).status === 200);
    stages.find(({ platform }) => platform === name)?.revoke();
    await until(`${name} to be named down`, async () => {
      const { connected, lastError } = (await readiness()).platforms[name] ?? {};
      return connected === false && lastError?.includes("token");
    });
    await Promise.all(stages.filter(({ platform }) => platform !== name).map(expectAnswer));
    const others = Object.entries((await readiness()).platforms).filter(([platform]) => platform !== name);
    expect(others.map(([, { connected }]) => connected)).toEqual([true, true, true]);
    await close();
  },
);
