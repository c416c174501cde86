/**
 * Three hundred threads on three platforms at once, faults at random, two kills: nothing is lost, nothing is said twice, no
 * limit is broken, and memory stays flat. Ten minutes, or `THREADLINE_SOAK_SECONDS`; a busy machine bears fewer
 * `THREADLINE_SOAK_THREADS`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { answersAll, type Asked, gather } from "./crowd.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { letItRain } from "./fault-rain.ts";
import { mostIn, mostInOnePlace } from "./pace.ts";
import { createSetting, type Memory, query, type Setting, spawnProgram } from "./program.ts";
import { createSlackStage } from "./slack-stage.ts";
import type { Stage } from "./stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

const LONG = process.env["THREADLINE_LONG"] !== undefined;
const SECONDS = Number(process.env["THREADLINE_SOAK_SECONDS"] ?? 600);
const THREADS = Number(process.env["THREADLINE_SOAK_THREADS"] ?? 300);
/** About one call in ten. */
const RAIN_EVERY_MS = 300_000 / THREADS;
/** Parts of the whole time; early, so that the last process lives long enough for its memory to be judged. */
const KILLS_AT = [0.12, 0.25];
/** After the last message: held and repeated calls take their time. */
const PATIENCE_MS = 90_000;
/** Caches fill, code is compiled. */
const WARM_UP_MS = 60_000;
const MEASURE_MS = 10_000;
/** The store keeps the newest messages of threads at hand, up to a bound that ten minutes do not reach. */
const LIVE_MB_A_MINUTE = 3;
const RSS_MB_A_MINUTE = 4;

if (!LONG) console.warn("The soak takes ten minutes: run it with `npm run test:long`.");

/** Posts of replies that were under way when the process died: on a platform that cannot be searched they are said again. */
const underWay = (setting: Setting): number =>
  query<{ n: number }>(
    setting,
    `select count(*) as n from posts join threads on threads.id = posts.thread
     where platform = 'telegram' and slot like 'reply:%' and state = 'intended'`,
  )[0]?.n ?? 0;

interface Sample extends Memory {
  readonly at: number;
}

/** By least squares: MB a minute. */
function slopeOf(samples: readonly Sample[], of: keyof Memory): number {
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [at, bytes] = [mean(samples.map((one) => one.at)), mean(samples.map((one) => one[of]))];
  const up = samples.reduce((sum, one) => sum + (one.at - at) * (one[of] - bytes), 0);
  const across = samples.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
  return ((up / across) * 60_000) / 1e6;
}

/** From the first to the last, and how steep. */
function memoryLine(samples: readonly Sample[], of: keyof Memory): string {
  const megabytes = (one: Sample | undefined) => ((one?.[of] ?? 0) / 1e6).toFixed();
  return `${of} ${megabytes(samples[0])} → ${megabytes(samples.at(-1))} MB, ${slopeOf(samples, of).toFixed(2)} MB a minute`;
}

const timesSaid = ({ id, person }: Asked, words: "First" | "Last"): number =>
  person.direct.posts().filter(({ text }) => text.includes(`${words} of ${id}.`)).length;

function reportOf(stage: Stage, asked: readonly Asked[]) {
  const own = asked.filter((one) => one.stage === stage);
  const waits = own.map(({ at, answeredAt = Infinity }) => answeredAt - at).toSorted((a, b) => a - b);
  const written = stage.written();
  const accepted = written.filter(({ outcome }) => outcome === "accepted");
  return {
    asked: own.length,
    lost: own.filter((one) => timesSaid(one, "First") === 0 || timesSaid(one, "Last") === 0).length,
    "said twice": own.filter((one) => timesSaid(one, "First") > 1 || timesSaid(one, "Last") > 1).length,
    "p50 ms": waits[Math.floor(waits.length * 0.5)] ?? 0,
    "p95 ms": waits[Math.floor(waits.length * 0.95)] ?? 0,
    posts: accepted.filter(({ type }) => type === "post").length,
    edits: accepted.filter(({ type }) => type === "edit").length,
    "unknown posts": written.filter(({ type, outcome }) => type === "post" && outcome === "unknown").length,
    "most in 1 s": mostIn(
      1000,
      written.map(({ at }) => at),
    ),
    "most in a chat in 10 s": mostInOnePlace(10_000, written),
    violations: stage.violations().length,
  };
}

describe.skipIf(!LONG)("a soak", () => {
  it(
    "of many threads, many faults and two kills loses nothing, repeats nothing, breaks no limit and keeps its memory",
    async () => {
      const setting = await createSetting([createSlackStage, createDiscordStage, createTelegramStage]);
      const { stages } = setting;
      setting.models.script(answersAll);
      let program = await spawnProgram(setting, 60_000);
      const begun = Date.now();
      let startedAt = begun;
      let allowed = 0;
      const crowd = gather(stages, THREADS / stages.length);
      await until("somebody on each platform to have written", () =>
        stages.every((stage) => crowd.asked.some((one) => one.stage === stage)),
      );
      const rain = letItRain(stages, RAIN_EVERY_MS);
      const samples: Sample[] = [];
      for (const part of KILLS_AT) {
        await sleep(begun + part * SECONDS * 1000 - Date.now());
        crowd.hush(true);
        await sleep(1000);
        await program.kill();
        allowed += underWay(setting);
        program = await spawnProgram(setting, 60_000);
        startedAt = Date.now();
        crowd.hush(false);
      }
      while (Date.now() < begun + SECONDS * 1000) {
        await sleep(MEASURE_MS);
        samples.push({ at: Date.now(), ...(await program.memory()) });
      }
      rain.stop();
      await crowd.end(PATIENCE_MS);
      const quiet = () =>
        query<{ n: number }>(setting, "select count(*) as n from slots where settled = 0")[0]?.n === 0;
      await until("a quiet outbox", quiet, 60_000).catch(() => undefined);
      await program.kill();

      const table = Object.fromEntries(stages.map((stage) => [stage.platform, reportOf(stage, crowd.asked)]));
      console.table(table);
      console.log("faults", rain.fallen);
      const warm = samples.filter(({ at }) => at - startedAt > WARM_UP_MS);
      console.log(`memory: ${memoryLine(warm, "live")}; ${memoryLine(warm, "rss")}`);
      console.log(`replies under way at the kills: ${allowed}`);

      for (const [platform, figures] of Object.entries(table)) {
        expect(figures.lost, platform).toBe(0);
        expect(figures.violations, platform).toBe(0);
        const may = platform === "telegram" ? allowed + figures["unknown posts"] : 0;
        expect(figures["said twice"], platform).toBeLessThanOrEqual(may);
      }
      expect(quiet()).toBe(true);
      // Slack 1 a second, Discord 5 in 5, Telegram 1 a second, short bursts allowed: a turn's messages leave at once.
      for (const [platform, figures] of Object.entries(table))
        expect(figures["most in a chat in 10 s"], platform).toBeLessThanOrEqual(15);
      if (warm.length > 12) {
        expect(slopeOf(warm, "live")).toBeLessThan(LIVE_MB_A_MINUTE);
        expect(slopeOf(warm, "rss")).toBeLessThan(RSS_MB_A_MINUTE);
      }
    },
    SECONDS * 1000 + 300_000,
  );
});
