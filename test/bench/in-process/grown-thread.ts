/**
 * A thread that has N turns already, and a bot to go on with it.
 *
 * Ours was spoken turn by turn. The stock savers get their history in one step and speak only the last turn: they write the
 * whole state at every step, however it came about, and hundreds of real turns would take them minutes and gigabytes.
 */
import { createBot, type Bot } from "./bot.ts";
import { type FileSaver, openOurs, openStock } from "./saver.ts";
import { SPOKEN_THREAD, type SpokenCopy } from "./spoken-thread.ts";

export interface Grown extends FileSaver {
  readonly bot: Bot;
  readonly thread: string;
}

export async function grownStock(file: string, turns: number, createOn: typeof createBot = createBot): Promise<Grown> {
  const { saver, db } = openStock(file);
  const bot = createOn(saver);
  await growAtOnce(bot, SPOKEN_THREAD, turns);
  return { saver, db, bot, thread: SPOKEN_THREAD };
}

export function grownOurs(spoken: SpokenCopy, turns: number): Grown {
  const { saver, db } = openOurs(spoken(turns));
  return { saver, db, bot: createBot(saver, { known: { [SPOKEN_THREAD]: turns } }), thread: SPOKEN_THREAD };
}

export async function growAtOnce(bot: Bot, thread: string, turns: number): Promise<void> {
  await bot.seed(thread, turns - 1);
  await bot.turn(thread);
}
