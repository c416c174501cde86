/**
 * For how long the event loop stands still.
 *
 * `standstill` asks for the next turn of the loop as often as it can and takes the longest pause between two: it also sees a
 * long chain of promises, in which no timer fires. `watchLag` is what a timer of 5 ms feels, as a heartbeat would.
 */

/** Does `work`; `longest` is the longest pause of the loop meanwhile, in ms. */
export async function standstill<Result>(work: () => Promise<Result>): Promise<{ result: Result; longest: number }> {
  let longest = 0;
  let last = performance.now();
  let next: NodeJS.Immediate;
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    next = setImmediate(tick);
  };
  next = setImmediate(tick);
  try {
    const result = await work();
    // The pause in which it ended is over at the next turn only.
    await loopTurn();
    return { result, longest };
  } finally {
    clearImmediate(next);
  }
}

/** Resolves in the next turn of the loop: all promises that can settle have. */
export function loopTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Resolves when what waits for the end of a turn of the loop (a commit, the graph's next step) is over. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await loopTurn();
}

const BEAT_MS = 5;

/** Starts a heartbeat; the returned function stops it and gives the longest delay beyond its 5 ms. */
export function watchLag(): () => number {
  let longest = 0;
  let last = performance.now();
  const beat = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - BEAT_MS);
    last = now;
  };
  const timer = setInterval(beat, BEAT_MS);
  return () => {
    clearInterval(timer);
    beat();
    return Math.max(0, longest);
  };
}
