/** How fast a bot wrote, as a platform counts it. */
import type { Written } from "./stage.ts";

/** The most calls that fell into any span of this length; they are in order of arrival. */
export function mostIn(spanMs: number, times: readonly number[]): number {
  let most = 0;
  let first = 0;
  times.forEach((at, index) => {
    while (at - (times[first] ?? at) >= spanMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/** The same for the place where it was most. */
export function mostInOnePlace(spanMs: number, written: readonly Written[]): number {
  const byPlace = new Map<string, number[]>();
  for (const { place, at } of written) byPlace.set(place, [...(byPlace.get(place) ?? []), at]);
  return Math.max(0, ...[...byPlace.values()].map((times) => mostIn(spanMs, times)));
}
