/**
 * One life: a new process on an empty folder with a message waiting, its first answer, a quiet while, then many threads at
 * once.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bot } from "./bot.ts";
import { percentile } from "./figures.ts";
import { type ProcessFigures, readProcess } from "./process-figures.ts";
import { answered, turn } from "./turn.ts";

export interface LifePlan {
  readonly quietMs: number;
  readonly threads: number;
  readonly turnsEach: number;
}
export type LifeFigures = Readonly<
  Record<"polledMs" | "repliedMs" | "idleMb" | "peakMb" | "perSecond" | "p99Ms" | "lost" | "cpuMs", number>
>;

export const MODEL_MS = 20;
const FIRST_CHAT = 500_000;

/** The bot has not run before. @throws Error when its first turn is lost, or a tool did not give its 2 KB in the burst. */
export async function live(bot: Bot, plan: LifePlan): Promise<LifeFigures> {
  const first = turn(bot, FIRST_CHAT);
  const [polledMs, taken] = await Promise.all([bot.start(), first]);
  const repliedMs = answered(bot, taken).finalMs;
  await sleep(plan.quietMs);
  const idleMb = (await figuresOf(bot)).residentMb;
  return { polledMs, repliedMs, idleMb, ...(await burst(bot, plan)) };
}

/** One that is just ending has no figures any more, and is known to have ended a moment later. */
async function figuresOf({ pid, ended }: Bot): Promise<ProcessFigures> {
  try {
    return readProcess(pid);
  } catch (error) {
    await Promise.race([ended, sleep(1000)]);
    throw error;
  }
}

/** In each thread a person writes, waits for the answer, and writes again. */
async function burst(bot: Bot, { threads, turnsEach }: LifePlan) {
  const chats = Array.from({ length: threads }, (_, index) => FIRST_CHAT + 1 + index);
  await bot.open(chats);
  bot.model.takes(() => MODEL_MS);
  const wrong = bot.model.wrongResults.length;
  const before = await figuresOf(bot);
  const startedAt = performance.now();
  const talk = async (chat: number) => {
    const times: number[] = [];
    for (let count = 0; count < turnsEach; count += 1) {
      const taken = await turn(bot, chat);
      if (taken) times.push(taken.finalMs);
    }
    return times;
  };
  const times = (await Promise.all(chats.map(talk))).flat();
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await figuresOf(bot);
  if (bot.model.wrongResults.length > wrong) throw new Error(`Expected the tool of ${bot.variant} to give its 2 KB`);
  const turns = threads * turnsEach;
  return {
    perSecond: times.length / seconds,
    p99Ms: percentile(times, 99),
    lost: turns - times.length,
    cpuMs: (after.cpuMs - before.cpuMs) / turns,
    peakMb: after.peakMb,
  };
}
