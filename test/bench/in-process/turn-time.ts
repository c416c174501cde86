/**
 * How long a turn takes in a thread that has N turns already. From 100 turns on each variant has one thread, warmed by a
 * turn that is not timed, and a round adds one turn to it; below that a turn more would count, and each round has a thread
 * of its own, spoken from its first word on.
 */
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { interleaved, type Measure, type Row, type Section, timed } from "../measure.ts";
import { type Bot, createBot, createBotWithoutSaver, createDeepBot } from "./bot.ts";
import { withFolder } from "./folder.ts";
import { growAtOnce, grownOurs, grownStock } from "./grown-thread.ts";
import { openOurs, openStock } from "./saver.ts";
import type { SpokenCopy } from "./spoken-thread.ts";

const NONE = "no checkpointer";
const MEMORY = "MemorySaver";
const STOCK = "stock SqliteSaver";
const DEEP = "deepagents + stock";
const OURS = "ours";

export async function measureTurnTime(points: readonly number[], rounds: number, spoken: SpokenCopy): Promise<Section> {
  const rows: Row[] = [];
  for (const turns of points) {
    const cells = await (turns < 100 ? inFreshThreads(turns, rounds) : inOneThread(turns, rounds, spoken));
    rows.push({ point: `turn ${turns}`, cells });
  }
  return {
    title: "Turn time",
    unit: "ms",
    variants: [NONE, MEMORY, STOCK, DEEP, OURS],
    base: STOCK,
    rows,
    goals: [
      { row: "turn 100", of: OURS, against: STOCK, atMost: 0.25 },
      { row: "turn 300", of: OURS, against: STOCK, atMost: 0.1 },
      { row: "turn 1000", of: OURS, against: STOCK, atMost: 0.06 },
      { row: "turn 300", of: OURS, against: NONE, atMost: 2 },
      { row: "turn 1000", of: OURS, against: NONE, atMost: 2 },
    ],
  };
}

function inFreshThreads(turns: number, rounds: number): Promise<Row["cells"]> {
  return withFolder(async (newFile) => {
    const stock = openStock(newFile());
    const deep = openStock(newFile());
    const ours = openOurs(newFile());
    const cells = await interleaved(rounds, {
      [NONE]: fresh(createBotWithoutSaver(), turns),
      [MEMORY]: fresh(createBot(new MemorySaver()), turns),
      [STOCK]: fresh(createBot(stock.saver), turns),
      [DEEP]: fresh(createDeepBot(deep.saver), turns),
      [OURS]: fresh(createBot(ours.saver), turns),
    });
    for (const { db } of [stock, deep, ours]) db.close();
    return cells;
  });
}

function fresh(bot: Bot, turns: number): Measure {
  let threads = 0;
  return async () => {
    const thread = `thread ${(threads += 1)}`;
    for (let turn = 0; turn < turns; turn += 1) await bot.turn(thread);
    return timed(() => bot.turn(thread));
  };
}

function inOneThread(turns: number, rounds: number, spoken: SpokenCopy): Promise<Row["cells"]> {
  return withFolder(async (newFile) => {
    const none = createBotWithoutSaver();
    const memory = createBot(new MemorySaver());
    for (const bot of [none, memory]) await growAtOnce(bot, "thread", turns);
    const stock = await grownStock(newFile(), turns);
    const deep = await grownStock(newFile(), turns, createDeepBot);
    const ours = grownOurs(spoken, turns);
    await ours.bot.turn(ours.thread);
    const next =
      ({ bot, thread }: { bot: Bot; thread: string }) =>
      () =>
        timed(() => bot.turn(thread));
    const cells = await interleaved(rounds, {
      [NONE]: next({ bot: none, thread: "thread" }),
      [MEMORY]: next({ bot: memory, thread: "thread" }),
      [STOCK]: next(stock),
      [DEEP]: next(deep),
      [OURS]: next(ours),
    });
    for (const { db } of [stock, deep, ours]) db.close();
    return cells;
  });
}
