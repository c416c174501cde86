/**
 * Runs what keeps the store small off the hot path: one little step at a time, each in a turn of the event loop of its
 * own, with a pause after it. With nothing to do it looks once a minute.
 */
import type { Logger } from "pino";
import type { Clock } from "./contract.ts";
import type { Chore, Progress } from "./store-contract.ts";

export interface Upkeep {
  /** There may be something to do now. */
  poke(): void;
  /** Resolves when the step under way is done. */
  stop(): Promise<void>;
}

/** Ours: a step takes a few ms, so four fifths of the time are people's. */
const PAUSE_MS = 20;
const WAIT_MS = 1000;
const LOOK_MS = 60_000;
/** The start belongs to those who have waited for it. */
const FIRST_MS = 5000;

/** The chores in the order of their importance: a later one is asked when the ones before have nothing to do. */
export function startUpkeep(chores: readonly Chore[], clock: Clock, log: Logger): Upkeep {
  let working: Promise<void> | undefined;
  let poked = false;
  let stopped = false;
  let cancel = clock.after(FIRST_MS, look);

  function look(): void {
    poked = false;
    working = oneStep(chores)
      .catch((error: unknown): Progress => {
        log.warn({ err: error }, "the upkeep of the store failed; it is tried again in a minute");
        return "idle";
      })
      .then((progress) => {
        working = undefined;
        if (!stopped) cancel = clock.after(pauseAfter(progress), look);
      });
  }

  const pauseAfter = (progress: Progress): number =>
    progress === "more" || poked ? PAUSE_MS : progress === "waiting" ? WAIT_MS : LOOK_MS;

  return {
    poke() {
      poked = true;
      if (working || stopped) return;
      cancel();
      cancel = clock.after(PAUSE_MS, look);
    },
    async stop() {
      stopped = true;
      cancel();
      await working;
    },
  };
}

async function oneStep(chores: readonly Chore[]): Promise<Progress> {
  let waiting = false;
  for (const chore of chores) {
    const progress = await chore();
    if (progress === "more") return "more";
    waiting ||= progress === "waiting";
  }
  return waiting ? "waiting" : "idle";
}

/** What the operator is told of it. */
export const createUpkeepNews = (log: Logger) => ({
  deleting: (rule: string, threads: readonly string[]) =>
    log.debug({ rule, threads }, `retention.${rule} deletes threads`),
  deleted: (rule: string, threads: number) =>
    log.info({ rule, threads }, `retention.${rule} deleted ${threads === 1 ? "1 thread" : `${threads} threads`}`),
  stuck: (bytes: number) =>
    log.warn({ bytes }, "the database is larger than retention.max_db_mb, and no finished thread is left to delete"),
  forgotten: (person: string) => log.info({ person }, "a person was forgotten"),
  rewriting: (tookMs?: number) =>
    tookMs === undefined
      ? log.info("the database file is written anew, which takes a moment")
      : log.info({ tookMs: Math.round(tookMs) }, "the database file was written anew"),
  notRewritten: (error: unknown) =>
    log.warn({ err: error }, "the database file could not be written anew; the next start tries again"),
  postponed: () =>
    log.info("the database file is large; the next start writes it anew, so that no trace is left in it"),
});
