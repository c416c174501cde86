/**
 * The part of the benchmark that runs in one process: the same agent on different savers, without a platform.
 *
 * How far to trust it. Variants take turns within one run, so ratios inside one row hold even on a busy machine; under 1.5
 * times they are noise, and figures of different runs are not to be compared. Bytes and commits are counted, not timed:
 * exact. The model costs nothing, so what remains is LangGraph's own work and the saver's; with a real model all variants
 * look more alike. Our threads are spoken turn by turn; those of the others, from 100 turns on, are put in at once
 * (`grown-thread.ts` says why).
 */
import type { Section } from "./measure.ts";
import { measureBlocking } from "./in-process/blocking.ts";
import { type Load, measureBurst } from "./in-process/burst.ts";
import { measureColdLoad } from "./in-process/cold-load.ts";
import { measureCommitRate } from "./in-process/commit-rate.ts";
import { measureDiskPerTurn, measureWholeThread } from "./in-process/disk.ts";
import { withFolder } from "./in-process/folder.ts";
import { type SpokenCopy, speak } from "./in-process/spoken-thread.ts";
import { measureTransactions } from "./in-process/transactions.ts";
import { measureTurnTime } from "./in-process/turn-time.ts";

interface Plan {
  /** Turns that a thread has already. */
  readonly turns: readonly number[];
  readonly disk: readonly number[];
  readonly loads: readonly number[];
  readonly saves: number;
  readonly rounds: number;
  readonly burst: Load;
}

const LONG: Plan = {
  turns: [1, 10, 100, 300, 1000],
  disk: [10, 100, 300, 1000],
  loads: [100, 1000],
  saves: 1000,
  burst: { threads: 100, turns: 4 },
  rounds: 9,
};
/** Up to 300 turns and 20 threads: what is to be judged beyond stays open. */
const QUICK: Plan = {
  turns: [1, 100, 300],
  disk: [10, 100, 300],
  loads: [100, 300],
  saves: 300,
  burst: { threads: 20, turns: 2 },
  rounds: 3,
};

type Log = (line: string) => void;

export function measureInProcess({ quick, log }: { quick: boolean; log: Log }): Promise<Section[]> {
  const plan = quick ? QUICK : LONG;
  return withFolder(async (newFile) => {
    const points = [...plan.turns, ...plan.disk, ...plan.loads, plan.saves];
    const spoken = await told(log, "speaking a thread", () => speak(points, newFile));
    return measureAll(plan, spoken, log);
  });
}

async function measureAll(plan: Plan, spoken: SpokenCopy, log: Log): Promise<Section[]> {
  const { turns, disk, loads, saves, burst, rounds } = plan;
  const steps: readonly (readonly [string, () => Promise<Section | Section[]>])[] = [
    ["turn time", () => measureTurnTime(turns, rounds, spoken)],
    ["disk a turn", () => measureDiskPerTurn(disk, spoken)],
    ["file of a thread", () => measureWholeThread(spoken)],
    ["cold load", () => measureColdLoad(loads, rounds, spoken)],
    ["blocking part of a save", () => measureBlocking(saves, rounds, spoken)],
    ["transactions a turn", measureTransactions],
    ["many threads at once", () => measureBurst(burst, rounds)],
    ["commit rate", () => measureCommitRate(rounds)],
  ];
  const sections: Section[] = [];
  for (const [name, measure] of steps) sections.push(...[await told(log, name, measure)].flat());
  return sections;
}

async function told<Result>(log: Log, name: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await work();
  log(`in one process: ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}
