/** Variants that take turns, where one measurement gives several figures: each becomes a row or a table of its own. */
import { type Cell, cell, interleaved, type Measure } from "../measure.ts";

export type Cells = Readonly<Record<string, Cell>>;

/** Like `interleaved`. Resolves with the cells of each figure, for each variant that has a sample. */
export async function interleavedFigures<Name extends string>(
  rounds: number,
  variants: Readonly<Record<string, () => Promise<Readonly<Record<Name, number>>>>>,
): Promise<(name: Name) => Cells> {
  const taken: { readonly variant: string; readonly figures: Readonly<Record<Name, number>> }[] = [];
  const measures: Record<string, Measure> = {};
  for (const [variant, measure] of Object.entries(variants)) {
    measures[variant] = async () => {
      taken.push({ variant, figures: await measure() });
      return 0; // it knows only the rounds and their order
    };
  }
  await interleaved(rounds, measures);
  const samples = (variant: string, name: Name) =>
    taken.filter((one) => one.variant === variant).map(({ figures }) => figures[name]);
  const seen = Object.keys(variants).filter((variant) => taken.some((one) => one.variant === variant));
  return (name) => Object.fromEntries(seen.map((variant) => [variant, cell(samples(variant, name))]));
}

/** One sample each: the largest or the smallest that was seen. For what must hold in every turn, which a median would hide. */
export function extreme(many: readonly Cells[], pick: (...samples: number[]) => number): Cells {
  const variants = [...new Set(many.flatMap((cells) => Object.keys(cells)))];
  const all = (variant: string) => many.flatMap((cells) => cells[variant]?.samples ?? []);
  return Object.fromEntries(variants.map((variant) => [variant, cell([pick(...all(variant))])]));
}

/** The sample that so many of a hundred do not exceed (nearest rank). @throws Error without a sample. */
export function percentile(samples: readonly number[], percent: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (found === undefined) throw new Error("A percentile needs at least one sample, and got none");
  return found;
}
