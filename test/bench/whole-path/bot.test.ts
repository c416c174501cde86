import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempFolder } from "../../helpers.ts";
import { createBot, type Variant } from "./bot.ts";
import { LostRound } from "../measure.ts";
import { answered, turn } from "./turn.ts";

async function makeBot(variant: Variant, program: string) {
  const bot = await createBot(variant, path.join(tempFolder(), variant), program);
  onTestFinished(() => bot.close());
  return bot;
}

test("a bot in a process of its own answers what waited for it, and is gone when it is ended", async () => {
  const bot = await makeBot("echo", "none.js");
  const first = turn(bot, 11);
  const polledMs = await bot.start();
  const { firstMs, finalMs } = answered(bot, await first);
  expect(finalMs).toBeGreaterThan(polledMs);
  expect(firstMs).toBe(finalMs);
  expect(bot.telegram.outgoing.map(({ method, chat }) => [method, chat])).toEqual([["sendMessage", 11]]);
  const { pid } = bot;
  await bot.kill();
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  expect(() => bot.pid).toThrow("to be running");
});

test("a bot that ends by itself is named, with the end of its log, to who waits for its answer", async () => {
  const bot = await makeBot("echo", "none.js");
  await bot.start();
  const waiting = turn(bot, 12);
  process.kill(bot.pid, "SIGKILL");
  await expect(waiting).rejects.toThrow(/^The bot echo ended by itself \(SIGKILL\)/);
  await expect(waiting).rejects.toBeInstanceOf(LostRound);
  expect(() => bot.pid).toThrow("The bot echo ended by itself");
});

test("a bot that does not start says why, in its own words", async () => {
  const bot = await makeBot("ours", "none.js");
  await expect(bot.start()).rejects.toThrow("Cannot find module");
});
