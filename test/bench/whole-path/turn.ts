/** One turn of one chat: the person writes, the bot answers. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Bot } from "./bot.ts";
import { type Mark, markOf, question } from "./texts.ts";

export interface Turn {
  /** From the event to the bot's first call in that chat (`typing`, say), ms. */
  readonly firstMs: number;
  /** From the event to the call that brings the answer, ms. */
  readonly finalMs: number;
}

/** After this long without an answer a turn is lost, ms. */
const LOST_AFTER_MS = 60_000;
/** What a bot still does after its answer (stores, looks for more) shall not fall into the next one's turn, ms. */
const SETTLE_MS = 40;

let count = 0;
const nextMark = (): Mark => markOf(count++);

/**
 * The time is taken where the platform gives the event out and where the calls arrive. Undefined: it was lost.
 * A bot that has ended is a `LostRound`. `firstCallMs`: how long the first of its two model calls takes.
 */
export async function turn({ telegram, model, ended }: Bot, chat: number, firstCallMs = 0): Promise<Turn | undefined> {
  const mark = nextMark();
  if (firstCallMs > 0) model.takes((asked, step) => (asked === mark && step === "call" ? firstCallMs : 0));
  const first = telegram.next((call) => call.chat === chat);
  const final = telegram.next((call) => call.chat === chat && call.mark === mark);
  const saidAt = telegram.say(chat, question(mark));
  const lost = new AbortController();
  const timeUp = sleep(LOST_AFTER_MS, undefined, { signal: lost.signal });
  const last = await Promise.race([final, timeUp, ended]).finally(() => lost.abort());
  if (last === undefined) return undefined;
  return { firstMs: (await first).at - saidAt, finalMs: last.at - saidAt };
}

/** The same where losing it spoils the measurement, with a pause after it. */
export async function calmTurn(bot: Bot, chat: number): Promise<Turn> {
  const taken = answered(bot, await turn(bot, chat));
  await sleep(SETTLE_MS);
  return taken;
}

/** @throws Error for a turn that was lost. */
export function answered({ variant }: Bot, taken: Turn | undefined): Turn {
  if (!taken) throw new Error(`Expected an answer of ${variant} within ${LOST_AFTER_MS} ms, and got none`);
  return taken;
}
