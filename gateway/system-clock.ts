import type { Clock } from "./contract.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    // setTimeout takes at most 2^31-1 ms and fires at once above it.
    const timer = setTimeout(callback, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
