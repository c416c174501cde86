/**
 * A look-up that an event waits for is tried again before the event is refused: one that is refused comes again later,
 * and what was said after it would have overtaken it.
 */
import { AdapterError } from "../../gateway/contract.ts";
import type { Clock } from "../../gateway/contract.ts";
import { pause } from "../shared/pause.ts";

/** About 2 s together: Slack waits 3 s for an acknowledgement. */
const PAUSES_MS = [200, 600, 1200];
/** After this much no new attempt is made, counted as the attempts' own time-outs are. */
const ALTOGETHER_MS = 2000;

/** Rejects with the last failure, at once with one that no waiting mends. */
export async function patiently<T>(clock: Clock, ask: () => Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ALTOGETHER_MS);
  for (const usualMs of PAUSES_MS) {
    try {
      return await ask();
    } catch (error) {
      const waitMs = error instanceof AdapterError ? waitAfter(error, usualMs) : "never";
      if (waitMs === "never" || late.aborted) throw error;
      await pause(clock, waitMs);
    }
  }
  return ask();
}

function waitAfter({ code, retryAfterMs }: AdapterError, usualMs: number): number | "never" {
  if (code === "unavailable" || code === "unknown_outcome") return usualMs;
  const isSoon = code === "rate_limited" && retryAfterMs !== undefined && retryAfterMs <= ALTOGETHER_MS;
  return isSoon ? retryAfterMs : "never";
}
