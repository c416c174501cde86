/** Sorted lists of whole numbers as ranges: what a thousand rows in a row take is two numbers. */

/** From the first to the last, both included. */
export type Range = readonly [first: number, last: number];
/** In the order of the list they stand for; not necessarily ascending. */
export type Ranges = readonly Range[];

export function toRanges(numbers: readonly number[]): Ranges {
  const ranges: [number, number][] = [];
  let current: [number, number] | undefined;
  for (const number of numbers) {
    if (current && number === current[1] + 1) current[1] = number;
    else ranges.push((current = [number, number]));
  }
  return ranges;
}

/** As `toRanges` gives them, so that the same list is the same ranges. */
export function isSameList(one: Ranges, other: Ranges): boolean {
  if (one.length !== other.length) return false;
  return one.every(([first, last], index) => first === other[index]?.[0] && last === other[index][1]);
}

/** The same numbers, each once, ascending, in as few ranges as can be. */
export function union(ranges: Ranges): Ranges {
  const merged: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged;
}

const MOST = 8;

/** All of these numbers in at most 8 ranges, ascending; where there would be more, some of those between them too. */
export function cover(ranges: Ranges): Ranges {
  const exact = union(ranges);
  if (exact.length <= MOST) return exact;
  const gapBefore = (index: number): number => (exact[index]?.[0] ?? 0) - (exact[index - 1]?.[1] ?? 0);
  const widest = exact
    .map((_, index) => index)
    .slice(1)
    .toSorted((a, b) => gapBefore(b) - gapBefore(a));
  const cuts = [0, ...widest.slice(0, MOST - 1).toSorted((a, b) => a - b), exact.length];
  return cuts.slice(1).map((end, index): Range => [exact[cuts[index] ?? 0]?.[0] ?? 0, exact[end - 1]?.[1] ?? 0]);
}

/** What lies between the ranges, inside `within`. `ranges` as `union` gives them. */
export function gaps(ranges: Ranges, within: Range): Ranges {
  const found: Range[] = [];
  let next = within[0];
  for (const [first, last] of ranges) {
    if (first > next) found.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= within[1]) found.push([next, within[1]]);
  return found;
}
