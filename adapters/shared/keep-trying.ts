/** What is only a nicety, tried until it succeeds: a menu of commands, say. */
import type { Clock } from "../../gateway/contract.ts";

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 600_000;

export interface Trying {
  stop(): void;
}

/** At once, then after 5 s, 10 s … at most 10 min. A failure goes to `failed` with the wait, and to nobody after `stop`. */
export function keepTrying(
  clock: Clock,
  attempt: () => Promise<void>,
  failed: (error: unknown, retryMs: number) => void,
): Trying {
  let stopped = false;
  let cancel = () => {};
  const tryNow = (retryMs: number): void => {
    attempt().catch((error: unknown) => {
      if (stopped) return;
      failed(error, retryMs);
      cancel = clock.after(retryMs, () => tryNow(Math.min(retryMs * 2, LAST_RETRY_MS)));
    });
  };
  tryNow(FIRST_RETRY_MS);
  return {
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
