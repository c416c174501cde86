/**
 * How long one save stops everything else. A real turn makes the calls; each is held back until the graph has nothing left
 * to do, then made alone, so that the pause of the loop is the saver's: the call, what follows from it, the commit.
 */
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { cellsOf, type Section, takeTurns } from "../measure.ts";
import { withFolder } from "./folder.ts";
import { type Grown, grownOurs, grownStock } from "./grown-thread.ts";
import { settled, standstill } from "./loop-gap.ts";
import type { SpokenCopy } from "./spoken-thread.ts";

const STOCK = "stock SqliteSaver";

export function measureBlocking(turns: number, rounds: number, spoken: SpokenCopy): Promise<Section> {
  return withFolder(async (newFile) => {
    const stock = await grownStock(newFile(), turns);
    const ours = grownOurs(spoken, turns);
    await ours.bot.turn(ours.thread);
    const longest = await takeTurns(rounds, { [STOCK]: probeOf(stock), ours: probeOf(ours) });
    stock.db.close();
    ours.db.close();
    const row = (point: string, of: (pause: Pause) => number) => ({ point, cells: cellsOf(longest, of) });
    const judged = `turn ${turns}`;
    return {
      title: "Longest blocking part of a save",
      unit: "ms",
      variants: [STOCK, "ours"],
      base: STOCK,
      rows: [row(judged, (pause) => pause.loop), row(`turn ${turns}, the call alone`, (pause) => pause.call)],
      goals: [{ row: "turn 1000", of: "ours", against: STOCK, atMost: 0.02 }],
      note: "How long the loop stands still in the longest of a turn's saves. The call alone: until put or putWrites gives its promise back.",
    };
  });
}

/** The longest of one turn's saves, ms. */
interface Pause {
  readonly loop: number;
  readonly call: number;
}

function probeOf({ saver, bot, thread }: Grown): () => Promise<Pause> {
  const loop: number[] = [];
  const call: number[] = [];
  alone(saver, loop, call);
  return async () => {
    loop.length = 0;
    call.length = 0;
    await bot.turn(thread);
    return { loop: Math.max(...loop), call: Math.max(...call) };
  };
}

/** From now on each save of this saver waits for a quiet loop, one at a time, and its pauses are noted. */
function alone(saver: BaseCheckpointSaver, loop: number[], call: number[]): void {
  let queue: Promise<unknown> = Promise.resolve();
  const measured = <Result>(save: () => Promise<Result>): Promise<Result> => {
    const saved = queue.then(async () => {
      await settled();
      const { result, longest } = await standstill(() => {
        const start = performance.now();
        const saving = save();
        call.push(performance.now() - start);
        return saving;
      });
      loop.push(longest);
      return result;
    });
    queue = saved.catch(() => undefined);
    return saved;
  };
  const put = saver.put.bind(saver);
  const putWrites = saver.putWrites.bind(saver);
  saver.put = (...args) => measured(() => put(...args));
  saver.putWrites = (...args) => measured(() => putWrites(...args));
}
