/** Whole lives of each bot: a life is one round, so that memory and cold start have as many samples as the burst. */
import path from "node:path";
import type { Section } from "../measure.ts";
import { createBot, type Variant, VARIANTS } from "./bot.ts";
import { type Cells, extreme, interleavedFigures } from "./figures.ts";
import { type LifeFigures, type LifePlan, live, MODEL_MS } from "./life.ts";

export interface LivesPlan extends LifePlan {
  readonly rounds: number;
}
type CellsOf = (name: keyof LifeFigures) => Cells;

export async function measureLives(plan: LivesPlan, folder: string, program: string): Promise<Section[]> {
  let lives = 0;
  const measure = (variant: Variant) => async () => {
    const bot = await createBot(variant, path.join(folder, `${variant}-${(lives += 1)}`), program);
    try {
      return await live(bot, plan);
    } finally {
      await bot.close();
    }
  };
  const variants = Object.fromEntries(VARIANTS.map((variant) => [variant, measure(variant)]));
  const cells = await interleavedFigures(plan.rounds, variants);
  const burst = `${plan.threads} threads x ${plan.turnsEach} turns`;
  return [...processSections(cells, plan.quietMs, burst), ...burstSections(cells, burst)];
}

const COMMON = { variants: VARIANTS, base: "plain" } as const;
const AGAINST = { of: "ours", against: "plain" } as const;

const processSections = (cells: CellsOf, quietMs: number, burst: string): readonly Section[] => [
  {
    ...COMMON,
    title: "Cold start",
    unit: "ms",
    rows: [
      { point: "to the first getUpdates", cells: cells("polledMs") },
      { point: "to the first reply", cells: cells("repliedMs") },
    ],
    goals: [{ row: "to the first reply", ...AGAINST, atMost: 1.5 }],
    note: "From the spawn of a process on an empty folder; a message waits from the beginning.",
  },
  {
    ...COMMON,
    title: "Memory",
    unit: "MB",
    rows: [
      { point: "idle", cells: cells("idleMb") },
      { point: "peak", cells: cells("peakMb") },
    ],
    goals: [
      { row: "idle", ...AGAINST, atMost: 1.5 },
      { row: "peak", ...AGAINST, atMost: 1.3 },
    ],
    note: `Idle: resident ${quietMs / 1000} s after the first answer. Peak: of the whole life, after ${burst}.`,
  },
];

const burstSections = (cells: CellsOf, burst: string): readonly Section[] => [
  {
    ...COMMON,
    title: `Throughput, ${burst}`,
    unit: "turns/s",
    rows: [{ point: "all at once", cells: cells("perSecond") }],
    goals: [{ row: "all at once", ...AGAINST, atLeast: 1, aim: 1.5 }],
    note: `Each model call takes ${MODEL_MS} ms; a person writes again when the answer is there.`,
  },
  {
    ...COMMON,
    title: `Slowest answers, ${burst}`,
    unit: "ms",
    rows: [{ point: "p99", cells: cells("p99Ms") }],
    goals: [{ row: "p99", ...AGAINST, atMost: 1 }],
  },
  {
    ...COMMON,
    title: `Processor time, ${burst}`,
    unit: "ms a turn",
    rows: [{ point: "a turn", cells: cells("cpuMs") }],
    goals: [{ row: "a turn", ...AGAINST, atMost: 1.3 }],
    note: "User and system time of all threads of the process.",
  },
  {
    title: `Lost turns, ${burst}`,
    unit: "turns",
    variants: VARIANTS,
    rows: [{ point: "in the worst round", cells: extreme([cells("lost")], Math.max) }],
    goals: [{ row: "in the worst round", of: "ours", atMost: 0 }],
  },
];
