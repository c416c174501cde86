import pino from "pino";
import { expect, it, onTestFinished } from "vitest";
import { threadKey } from "../../gateway/contract.ts";
import type { Chore, Progress } from "../../gateway/store-contract.ts";
import { createUpkeepNews, startUpkeep } from "../../gateway/upkeep.ts";
import { createClock, silentLog } from "../helpers.ts";
import { DAY, doAll, upkeepBench } from "../store/upkeep-bench.ts";

const at = (key: string) => ({ thread: threadKey(`memo:${key}`) });

/** Says what it did, and when; then what is next. */
function chores(...plans: (readonly Progress[])[]) {
  const clock = createClock(0);
  const calls: string[] = [];
  const list: Chore[] = plans.map((plan, index) => {
    const left = [...plan];
    return () => {
      calls.push(`${index}@${clock.now()}`);
      return left.shift() ?? "idle";
    };
  });
  return { clock, calls, list };
}

it("does one step at a time with a pause after it, what is more important first, and then looks once a minute", async () => {
  const { clock, calls, list } = chores(["more", "more"], ["more"]);
  const upkeep = startUpkeep(list, clock, silentLog);
  onTestFinished(() => upkeep.stop());
  await clock.advance(4999);
  expect(calls).toEqual([]);
  await clock.advance(10_000);
  expect(calls).toEqual(["0@5000", "0@5020", "0@5040", "1@5040", "0@5060", "1@5060"]);
  calls.length = 0;
  await clock.advance(60_000);
  expect(calls).toEqual(["0@65060", "1@65060"]);
});

it("looks again after a second for what waits, and at once when it is poked", async () => {
  const { clock, calls, list } = chores(["waiting"], []);
  const upkeep = startUpkeep(list, clock, silentLog);
  onTestFinished(() => upkeep.stop());
  upkeep.poke();
  await clock.advance(1500);
  expect(calls).toEqual(["0@20", "1@20", "0@1020", "1@1020"]);
});

it("goes on after a step that failed, and says so", async () => {
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  const clock = createClock(0);
  let calls = 0;
  const failing: Chore = () => {
    calls += 1;
    if (calls === 1) throw new Error("the disk is full");
    return "idle";
  };
  const upkeep = startUpkeep([failing], clock, log);
  onTestFinished(() => upkeep.stop());
  await clock.advance(130_000);
  expect(calls).toBe(3);
  expect(lines.join("")).toContain("tried again in a minute");
});

it("stops when it is told to, after the step under way", async () => {
  const clock = createClock(0);
  let release = () => {};
  let done = false;
  const slow = async (): Promise<Progress> => {
    await new Promise<void>((resolve) => (release = resolve));
    done = true;
    return "more";
  };
  const upkeep = startUpkeep([slow], clock, silentLog);
  await clock.advance(5000);
  const stopped = upkeep.stop();
  release();
  await stopped;
  expect(done).toBe(true);
  await clock.advance(600_000);
});

it.each([
  ["finished_threads_days", { finishedThreadsMs: 10 * DAY }],
  ["max_db_mb", { maxDbBytes: 1 }],
])(
  "says at info how many threads %s deleted, in one line; which ones at debug; never what was said there",
  async (rule, retention) => {
    const lines: { level: number; msg: string; threads?: unknown }[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line));
    const bench = upkeepBench();
    const threads = [await bench.turn("a wombat", at("a")), await bench.turn("a quokka", at("b"))];
    await bench.clock.advance(11 * DAY);
    await doAll(bench.chores(retention, createUpkeepNews(pino({ level: "debug" }, { write }))), bench);
    const [info, ...more] = lines.filter(({ level, msg }) => level === 30 && msg.includes("retention"));
    expect(info).toMatchObject({ msg: `retention.${rule} deleted 2 threads`, threads: 2 });
    expect(more).toEqual([]);
    const named = lines.filter(({ level }) => level === 20).flatMap((line) => line.threads);
    expect(new Set(named)).toEqual(new Set(threads));
    expect(JSON.stringify(lines)).not.toMatch(/wombat|quokka/);
  },
);
