/** A new chat that writes while another one is being answered: beside a slow model call, and beside a long thread. */
import { setTimeout as sleep } from "node:timers/promises";
import { interleaved, type Row, type Section } from "../measure.ts";
import { AGENTS, type Bot } from "./bot.ts";
import type { StagePlan } from "./chats.ts";
import type { Stage } from "./stage.ts";
import { answered, turn } from "./turn.ts";

const SLOW_MS = 2000;
/** What the busy chat's bot still does after its answer, ms. */
const SETTLE_MS = 100;

export async function measureBeside({ rounds, points }: StagePlan, stage: Stage): Promise<Section> {
  const { warm, long, fresh } = stage.chats;
  const row = async (point: string, busy: number, modelMs: number, newChats: readonly number[]): Promise<Row> => {
    const measure = (bot: Bot) => {
      const left = [...newChats];
      return () => besideOnce(bot, busy, modelMs, left.shift());
    };
    const variants = Object.fromEntries(AGENTS.map((variant) => [variant, measure(stage.bots[variant])]));
    return { point, cells: await interleaved(rounds, variants) };
  };
  const against = { of: "ours", against: "plain" } as const;
  return {
    title: "A new chat's answer",
    unit: "ms",
    variants: AGENTS,
    base: "plain",
    rows: [
      await row("beside a model call of 2 s", warm, SLOW_MS, fresh.slice(0, rounds)),
      await row(`beside a thread of ${points.at(-1)} turns`, long, 0, fresh.slice(rounds)),
    ],
    goals: [
      { row: "beside a model call of 2 s", ...against, atMost: 0.03 },
      { row: "beside a thread of 300 turns", ...against, atMost: 0.15 },
    ],
    note: "telegraf, and the Chat SDK where it polls, ask for updates only when all handlers of the last ones have ended.",
  };
}

/** The new chat writes as soon as the bot has shown that it works for the other one. */
async function besideOnce(bot: Bot, busyChat: number, modelMs: number, newChat: number | undefined): Promise<number> {
  if (newChat === undefined) throw new Error("Expected a chat for each round");
  const atWork = bot.telegram.next((call) => call.chat === busyChat);
  const busy = turn(bot, busyChat, modelMs);
  await Promise.race([atWork, busy]);
  const [taken, other] = await Promise.all([turn(bot, newChat), busy]);
  const { finalMs } = answered(bot, taken);
  answered(bot, other);
  await sleep(SETTLE_MS);
  return finalMs;
}
