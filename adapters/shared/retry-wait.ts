/** How long an adapter waits before it asks for events again. */
import type { AdapterError } from "../../gateway/contract.ts";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/**
 * In ms, after the n-th failure in a row (from 1): what the platform asked for, else twice as long each time. A refused
 * token is never tried again.
 */
export function waitAfter({ code, retryAfterMs }: AdapterError, failures: number): number | "never" {
  if (code === "auth") return "never";
  if (retryAfterMs !== undefined) return retryAfterMs;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
}
