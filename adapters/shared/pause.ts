/** A wait that somebody may end. */
import type { Clock } from "../../gateway/contract.ts";

/** Resolves after so many ms by that clock, or as soon as the signal is given. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    function end() {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    }
    const cancel = clock.after(ms, end);
    signal?.addEventListener("abort", end);
  });
}
