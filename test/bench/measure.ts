/**
 * What a measurement is, and how variants take turns. Both parts of the benchmark give `Section`s and nothing else.
 *
 * Variants that are compared run interleaved, in one process run, in an order that rotates: a machine that gets slower for
 * a minute then slows them all. So a ratio inside one row can be trusted, the figures themselves much less.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** One figure: the median, and every sample it was taken from, in the order in which they were measured. */
export interface Cell {
  readonly median: number;
  readonly samples: readonly number[];
}

/** One table: the same thing measured for several variants (columns) at several points (rows), in one unit. */
export interface Section {
  readonly title: string;
  /** `ms`, `KB`, `turns/s`, … */
  readonly unit: string;
  /** The columns, in this order. */
  readonly variants: readonly string[];
  /** Every other column also shows its ratio to this one. */
  readonly base?: string;
  readonly rows: readonly Row[];
  readonly goals?: readonly Goal[];
  /** What a doubting reader must know: how it was counted, what is not comparable. */
  readonly note?: string;
}

export interface Row {
  /** `turn 100`. */
  readonly point: string;
  /** By variant; one that was not measured here is absent. */
  readonly cells: Readonly<Record<string, Cell>>;
}

/** A bound on one cell, as a ratio to another cell, or in the section's own unit where there is no other. */
export type Goal = {
  readonly row: string;
  /** The variant that is judged. */
  readonly of: string;
  /** The variant it is compared with; absent, with no `againstRow` either: the bound is on the figure itself. */
  readonly against?: string;
  /** The row it is compared with; absent: the same. */
  readonly againstRow?: string;
  /** What we hope for beyond the bound: shown, not judged. */
  readonly aim?: number;
} & ({ readonly atMost: number } | { readonly atLeast: number });

export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error("A median needs at least one sample, and got none");
  return (lower + upper) / 2;
}

/** @throws Error without a sample, or where one is no finite number: a figure that was not measured is left out instead. */
export function cell(samples: readonly number[]): Cell {
  const odd = samples.find((sample) => !Number.isFinite(sample));
  if (odd !== undefined) throw new Error(`A sample must be a finite number, and is ${odd}`);
  return { median: median(samples), samples };
}

/** Measures one variant once; resolves with one sample in the section's unit. */
export type Measure = () => Promise<number> | number;

/** A variant has no sample in this round, and the message says why: what was measured is kept, and the others go on. */
export class LostRound extends Error {}

/** See `takeTurns`; one cell for each variant. */
export async function interleaved(
  rounds: number,
  variants: Readonly<Record<string, Measure>>,
): Promise<Record<string, Cell>> {
  return cellsOf(await takeTurns(rounds, variants), (sample) => sample);
}

/** One figure of what `takeTurns` gave, for each variant that has a sample. */
export function cellsOf<Sample>(
  taken: Readonly<Record<string, readonly Sample[]>>,
  figure: (sample: Sample) => number,
): Record<string, Cell> {
  const some = Object.entries(taken).filter(([, samples]) => samples.length > 0);
  return Object.fromEntries(some.map(([name, samples]) => [name, cell(samples.map(figure))]));
}

/**
 * Lets the variants take turns, never two at once: in each round every variant once, the first of a round being the last of
 * the next one. Gives each variant's samples in the order of the rounds; a `LostRound` is told of and has none.
 */
export async function takeTurns<Sample>(
  rounds: number,
  variants: Readonly<Record<string, () => Promise<Sample> | Sample>>,
): Promise<Record<string, Sample[]>> {
  const entries = Object.entries(variants);
  const taken: Record<string, Sample[]> = Object.fromEntries(entries.map(([name]) => [name, []]));
  const told = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measure] of rotated(entries, round)) {
      collectGarbage();
      try {
        taken[name]?.push(await measure());
      } catch (error) {
        if (!(error instanceof LostRound)) throw error;
        if (!told.has(error.message)) console.error(error.message);
        told.add(error.message);
      }
    }
  }
  return taken;
}

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

/** Milliseconds that `work` takes, its promise included. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

setFlagsFromString("--expose-gc");
/** Collects garbage now, so that no variant pays for what the one before it left; for its own it pays while it runs. */
const collectGarbage: () => void = runInNewContext("gc");
