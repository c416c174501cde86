/** Many threads at once in one process, with a model that takes 20 ms a call. */
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { cellsOf, type Section, takeTurns, timed } from "../measure.ts";
import { createBot } from "./bot.ts";
import { withFolder } from "./folder.ts";
import { watchLag } from "./loop-gap.ts";
import { type FileSaver, openOurs, openStock } from "./saver.ts";

const STOCK = "stock SqliteSaver";
const VARIANTS = ["MemorySaver", STOCK, "ours"];
const MODEL_MS = 20;
/** Where the goals are set. */
const JUDGED = pointOf({ threads: 100, turns: 4 });

export interface Load {
  readonly threads: number;
  /** Of each thread. */
  readonly turns: number;
}
function pointOf({ threads, turns }: Load): string {
  return `${threads} threads × ${turns} turns`;
}

interface Burst {
  readonly turnsPerSecond: number;
  readonly longestLag: number;
  readonly p99: number;
}

export async function measureBurst(load: Load, rounds: number): Promise<Section[]> {
  const bursts = await takeTurns<Burst>(rounds, {
    MemorySaver: () => burst(load, new MemorySaver()),
    [STOCK]: () => burstOnFile(load, openStock),
    ours: () => burstOnFile(load, openOurs),
  });
  const rowsOf = (figure: (one: Burst) => number) => [{ point: pointOf(load), cells: cellsOf(bursts, figure) }];
  return [
    {
      title: "Throughput, 20 ms model",
      unit: "turns/s",
      variants: VARIANTS,
      base: "MemorySaver",
      rows: rowsOf((one) => one.turnsPerSecond),
      goals: [{ row: JUDGED, of: "ours", against: "MemorySaver", atLeast: 0.9 }],
    },
    {
      title: "Longest lag of the loop, 20 ms model",
      unit: "ms",
      variants: VARIANTS,
      base: STOCK,
      rows: rowsOf((one) => one.longestLag),
      goals: [{ row: JUDGED, of: "ours", against: STOCK, atMost: 0.8 }],
      note: "What a timer of 5 ms feels, in the worst moment of a round.",
    },
    {
      title: "p99 of a turn, 20 ms model",
      unit: "ms",
      variants: VARIANTS,
      base: STOCK,
      rows: rowsOf((one) => one.p99),
    },
  ];
}

function burstOnFile(load: Load, open: (file: string) => FileSaver): Promise<Burst> {
  return withFolder(async (newFile) => {
    const { saver, db } = open(newFile());
    const result = await burst(load, saver);
    db.close();
    return result;
  });
}

/** Each thread takes its turns one after the other; all threads run at once. */
async function burst({ threads, turns }: Load, saver: BaseCheckpointSaver): Promise<Burst> {
  const bot = createBot(saver, { delayMs: MODEL_MS });
  const times: number[] = [];
  const thread = async (name: string) => {
    for (let turn = 0; turn < turns; turn += 1) times.push(await timed(() => bot.turn(name)));
  };
  const stopWatching = watchLag();
  const ms = await timed(() => Promise.all(Array.from({ length: threads }, (_, index) => thread(`t${index}`))));
  const longestLag = stopWatching();
  const sorted = times.toSorted((a, b) => a - b);
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1];
  if (p99 === undefined) throw new Error("A burst must have turns, and had none");
  return { turnsPerSecond: (times.length * 1000) / ms, longestLag, p99 };
}
