/** Kill −9 at random moments, many times over one data folder: nothing is lost, nothing is said twice. Long. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { createSetting, query, spawnProgram } from "./program.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { delegates } from "./scripts.ts";
import { createSlackStage } from "./slack-stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

const LONG = process.env["THREADLINE_LONG"] !== undefined;
const ROUNDS = 15;
/** A run is given up after three tries, so two kills a round are what it must bear. */
const KILLS = 2;

if (!LONG) console.warn("Random kills take some minutes: run them with `npm run test:long`.");

describe.skipIf(!LONG)("kill -9 at random moments", () => {
  it.each([
    ["Telegram", createTelegramStage],
    ["Slack", () => createSlackStage()],
    ["Discord", () => createDiscordStage()],
  ])(
    "on %s leaves one reply and one ended card for each message, and counts each model call once",
    async (_name, createStage) => {
      const setting = await createSetting(createStage);
      setting.models.script(delegates({ stepMs: 150, steps: 3 }));
      const ana = setting.stage.person("Ana");
      const replies = () => ana.direct.posts().filter((post) => post.text.includes("Both are done"));
      let allowed = 0;
      for (let round = 1; round <= ROUNDS; round += 1) {
        ana.direct.say(ana, `compare them, round ${round}`);
        for (let kill = 0; kill < KILLS; kill += 1) {
          const program = await spawnProgram(setting);
          await sleep(Math.random() * 1500);
          await program.kill();
          // A send whose answer never came is said again on a platform that cannot be searched.
          if (setting.stage.searchable) continue;
          const open = query<{ n: number }>(
            setting,
            "select count(*) as n from posts where slot like 'reply:%' and state = 'intended'",
          );
          allowed += open[0]?.n ?? 0;
        }
        const program = await spawnProgram(setting);
        const settled = () =>
          query<{ n: number }>(setting, "select (select count(*) from runs where state = 'ended') as n")[0]?.n ===
            round && query<{ n: number }>(setting, "select count(*) as n from slots where settled = 0")[0]?.n === 0;
        await until(`round ${round} to settle`, settled, 60_000);
        await program.kill();
        expect(replies().length).toBeGreaterThanOrEqual(round);
        expect(replies().length).toBeLessThanOrEqual(round + allowed);
        expect(ana.direct.posts().filter((post) => post.text.startsWith("Working"))).toEqual([]);
      }
      const [row] = query<{ twice: number }>(setting, "select count(*) - count(distinct call) as twice from usage");
      expect(row?.twice).toBe(0);
      expect(query<{ outcome: string }>(setting, "select distinct outcome from runs")).toEqual([{ outcome: "done" }]);
    },
    900_000,
  );
});
