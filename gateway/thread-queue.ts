/**
 * One run per thread at a time; threads never wait for each other. What there is to do is in the store: a kick says
 * "look", and looking claims the next thing until nothing is left.
 */
import type { Logger } from "pino";
import type { RunId, ThreadId } from "../subagents/contract.ts";
import type { Clock } from "./contract.ts";
import type { Runner } from "./runner.ts";
import type { GatewayStore } from "./store-contract.ts";

export interface ThreadQueue {
  /** There may be something to run in this thread. */
  kick(thread: ThreadId): void;
  /** Cancels a run that is under way; a run that is not is ended by the next kick. */
  abort(run: RunId): void;
  /** Claims nothing new and lets go of what runs: the next start goes on with it. */
  stop(): Promise<void>;
}

/** After a failure that is ours, not the agent's: long enough not to spin, and the run is given up after three. */
const RETRY_MS = 5000;

/** `run` is called for one claim of a thread at a time; what it throws is logged, and the thread looked at again. */
export function createThreadQueue(store: GatewayStore, run: Runner, clock: Clock, log: Logger): ThreadQueue {
  const working = new Map<ThreadId, { again: boolean }>();
  const running = new Map<RunId, AbortController>();
  const abandon = new AbortController();

  function kick(thread: ThreadId): void {
    if (abandon.signal.aborted) return;
    const state = working.get(thread);
    if (state) {
      state.again = true;
      return;
    }
    working.set(thread, { again: false });
    void work(thread);
  }

  async function work(thread: ThreadId): Promise<void> {
    try {
      while (await workOnce(thread)) if (abandon.signal.aborted) return;
    } catch (error) {
      log.error({ err: error, thread }, "a run failed inside the gateway; trying again");
      clock.after(RETRY_MS, () => kick(thread));
    }
    const again = working.get(thread)?.again;
    working.delete(thread);
    if (again) kick(thread);
  }

  /** False: nothing to do. */
  async function workOnce(thread: ThreadId): Promise<boolean> {
    const claim = await store.claim(thread);
    if (!claim) return false;
    const controller = new AbortController();
    running.set(claim.run, controller);
    try {
      await run(claim, controller.signal, abandon.signal);
    } finally {
      running.delete(claim.run);
    }
    return true;
  }

  return {
    kick,
    abort: (id) => running.get(id)?.abort(new Error("stopped")),
    async stop() {
      if (abandon.signal.aborted) return;
      abandon.abort();
      await store.letGo([...running.keys()]);
    },
  };
}
