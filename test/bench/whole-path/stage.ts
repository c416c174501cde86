/** All bots side by side, warm, with threads of every length prepared. Only one works at a time; the others sleep. */
import path from "node:path";
import { AGENTS, type Bot, createBot, type Variant, VARIANTS } from "./bot.ts";
import { type Chats, planChats, type StagePlan } from "./chats.ts";
import { calmTurn } from "./turn.ts";

export interface Stage {
  readonly bots: Readonly<Record<Variant, Bot>>;
  readonly chats: Chats;
  close(): Promise<void>;
}

const WARM_TURNS = 10;

export async function createStage(plan: StagePlan, folder: string, program: string): Promise<Stage> {
  const chats = planChats(plan);
  const bots = await createBots(folder, program);
  const all = VARIANTS.map((variant) => bots[variant]);
  const close = async () => void (await Promise.all(all.map((bot) => bot.close())));
  try {
    await Promise.all(all.map((bot) => prepare(bot, chats)));
    return { bots, chats, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createBots(folder: string, program: string): Promise<Record<Variant, Bot>> {
  const make = (variant: Variant) => createBot(variant, path.join(folder, variant), program);
  const [echo, plain, chatSdk, deepagents, ours] = await Promise.all([
    make("echo"),
    make("plain"),
    make("chat-sdk"),
    make("deepagents"),
    make("ours"),
  ]);
  return { echo, plain, "chat-sdk": chatSdk, deepagents, ours };
}

async function prepare(bot: Bot, { all, old, warm }: Chats): Promise<void> {
  // It knows its threads only once it has run.
  if (bot.variant === "ours") {
    await bot.start();
    await bot.open(all);
    await bot.kill();
  }
  // One less than the next turn's number, and one more for the turn that warms the thread.
  const threads = old.map(({ chat, point }) => ({ chat, turns: point - 2 }));
  if (AGENTS.some((agent) => agent === bot.variant)) await bot.seed(threads);
  await bot.start();
  for (let count = 0; count < WARM_TURNS; count += 1) await calmTurn(bot, warm);
  for (const { chat } of old) await calmTurn(bot, chat);
}
