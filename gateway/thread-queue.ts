/**
 * One run per thread at a time; threads never wait for each other. What there is to do is in the store: a kick says
 * "look", and looking claims the next thing until nothing is left.
 */
import { setMaxListeners } from "node:events";
import type { Logger } from "pino";
import type { RunId, ThreadId } from "../subagents/contract.ts";
import type { Clock } from "./contract.ts";
import type { Metrics } from "./metrics.ts";
import type { Runner } from "./runner.ts";
import type { GatewayStore } from "./store-contract.ts";

export interface ThreadQueue {
  /** There may be something to run in this thread. */
  kick(thread: ThreadId): void;
  /** Cancels a run that is under way; a run that is not is ended by the next kick. */
  abort(run: RunId): void;
  /** Claims nothing and leaves what runs as it is, without writing: `resume` goes on with it. */
  pause(): void;
  /** Claims again; the caller kicks. */
  resume(): Promise<void>;
  /** Claims nothing new and lets go of what runs: the next start goes on with it. */
  stop(): Promise<void>;
}

/** After a failure that is ours, not the agent's: long enough not to spin, and the run is given up after three. */
const RETRY_MS = 5000;

/** `run` is called for one claim of a thread at a time; what it throws is logged, and the thread looked at again. */
export function createThreadQueue(
  store: GatewayStore,
  run: Runner,
  clock: Clock,
  log: Logger,
  metrics: Metrics,
): ThreadQueue {
  const working = new Map<ThreadId, { again: boolean }>();
  const running = new Map<RunId, AbortController>();
  /** What a pause broke off: that was not the run's fault. */
  const left = new Set<RunId>();
  let abandon = newAbandon();
  let stopped = false;

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
    const { signal } = abandon;
    try {
      while (!signal.aborted && (await workOnce(thread, signal)));
    } catch (error) {
      if (!signal.aborted) {
        log.error({ err: error, thread }, "a run failed inside the gateway; trying again");
        clock.after(RETRY_MS, () => kick(thread));
      }
    }
    const again = working.get(thread)?.again;
    working.delete(thread);
    if (again) kick(thread);
  }

  /** False: nothing to do. */
  async function workOnce(thread: ThreadId, abandoned: AbortSignal): Promise<boolean> {
    const claim = await store.claim(thread);
    if (!claim) {
      metrics.idle(thread);
      return false;
    }
    metrics.claimed(claim);
    const controller = new AbortController();
    running.set(claim.run, controller);
    try {
      await run(claim, controller.signal, abandoned);
    } finally {
      running.delete(claim.run);
    }
    return true;
  }

  return {
    kick,
    abort: (id) => running.get(id)?.abort(new Error("stopped")),
    pause() {
      abandon.abort();
      for (const run of running.keys()) left.add(run);
    },
    async resume() {
      if (stopped) return;
      abandon = newAbandon();
      const runs = [...left];
      left.clear();
      if (runs.length > 0) await store.letGo(runs);
    },
    async stop() {
      const paused = abandon.signal.aborted;
      stopped = true;
      abandon.abort();
      if (paused) return;
      await store.letGo([...running.keys()]);
    },
  };
}

/** Each run listens to it, and there may be any number of them: Node warns of a leak from eleven on. */
function newAbandon(): AbortController {
  const abandon = new AbortController();
  setMaxListeners(0, abandon.signal);
  return abandon;
}
