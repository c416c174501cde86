/** Everything that is done to the store off the hot path, in the order in which it is asked for. */
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Database } from "better-sqlite3";
import type { Chore } from "../gateway/store-contract.ts";
import { type PersonId, type ThreadId, threadId } from "../subagents/contract.ts";
import { createPrune, createSweep, type Step } from "./checkpoint-upkeep.ts";
import type { Checkpointer } from "./checkpointer.ts";
import { soon, stored } from "./commit.ts";
import { createDroppedFiles } from "./dropped-files.ts";
import { createForgetting, forgetMemory } from "./forget.ts";
import { createForgetRequests, type StoppedRun } from "./forget-request.ts";
import { createRemoval, type Removal, type RemovalDeps } from "./removal.ts";
import { createAgeLimit, createSizeLimit, createSweepServed, type RetentionNews } from "./retention.ts";
import { createVacuum, emptyJournal, isRewriteWanted, rewrite, type RewriteNews, usedBytes } from "./vacuum.ts";

/** What is absent is kept without limit. */
export interface Retention {
  readonly checkpointsPerThread?: number;
  readonly finishedThreadsMs?: number;
  readonly maxDbBytes?: number;
}
export interface UpkeepDeps {
  readonly db: Database;
  readonly checkpointer: Checkpointer;
  readonly dataDir: string;
  readonly retention: Retention;
  readonly now: () => number;
  /** Aborts these runs and sees that they end. */
  readonly halt: (runs: readonly StoppedRun[]) => void;
  /** How long the end of a stopped run may take to be shown before the run is forgotten; 0 where nothing is shown. */
  readonly showMs: number;
  readonly onDeleted: RemovalDeps["onDeleted"];
  readonly tell: UpkeepNews;
}
/** For the operator's log. */
export interface UpkeepNews extends RetentionNews, RewriteNews {
  forgotten(person: PersonId): void;
  /** It is too large to be written anew while people wait. */
  postponed(): void;
}

/** A look over everything: what is counted in days and in checkpoints does not need more. */
const LOOK_MS = 10 * 60_000;

/** Ours: a file up to this size is written anew within half a second, while which nobody is answered. */
const MOST_REWRITE_BYTES = 16_000_000;

/** Asked one after the other, each until it has nothing more to do. */
export function createUpkeep(deps: UpkeepDeps): readonly Chore[] {
  const { db, checkpointer, dataDir, retention, now, halt, showMs, onDeleted, tell } = deps;
  const threadsFolder = path.join(dataDir, "threads");
  const giveUp = (thread: string) => checkpointer.giveUp(thread);
  const removal = createRemoval({ db, giveUp, now, onDeleted });
  const forgetting = createForgetting({
    db,
    removal,
    requests: createForgetRequests(db, now),
    giveUp,
    now,
    threadsFolder,
    showMs,
    halt,
    forgetMemory: (person) => forgetMemory(dataDir, person),
    onForgotten: (person) => tell.forgotten(person),
  });
  const { checkpointsPerThread: keep, finishedThreadsMs: quietMs, maxDbBytes: maxBytes } = retention;
  return [
    forgetting,
    chore(() => removal.step()),
    removeFolders(db, removal, threadsFolder),
    createDroppedFiles(db, dataDir),
    chore(createSweep(db)),
    ...(quietMs === undefined ? [] : [again(createAgeLimit(db, removal, { quietMs, now, news: tell }), now)]),
    ...(keep === undefined ? [] : [again(createPrune(db, checkpointer, keep), now)]),
    ...(maxBytes === undefined ? [] : [chore(createSizeLimit(db, removal, { maxBytes, news: tell }))]),
    again(() => createSweepServed(db, now), now),
    chore(createVacuum(db)),
    rewriteOnce(db, tell),
  ];
}

const chore =
  (step: Step): Chore =>
  () =>
    step() ? "more" : "idle";

/** A look begins at once, and another some minutes after the last one began. */
function again(begin: () => Step, now: () => number): Chore {
  let began: number | undefined;
  let step: Step | undefined;
  return () => {
    // A clock that was set back is no reason to wait.
    const due = began === undefined || Math.abs(now() - began) >= LOOK_MS;
    if (!step && !due) return "idle";
    if (!step) [step, began] = [begin(), now()];
    if (step()) return "more";
    step = undefined;
    return "idle";
  };
}

/**
 * Folders of threads whose rows are gone: those that were removed, and once, at the first call, those that nobody knows.
 * A thread's row is on disk before its folder is made.
 */
function removeFolders(db: Database, removal: Removal, threadsFolder: string): Chore {
  const isKnown = db.prepare<[string]>("select 1 from threads where id = ?");
  const gone = soon(db, (thread: ThreadId) => removal.folderGone(thread));
  let strays: readonly string[] | undefined;
  const remove = (folder: string) => rm(path.join(threadsFolder, folder), { recursive: true, force: true });

  async function unknownFolders(): Promise<readonly string[]> {
    if (!existsSync(threadsFolder)) return [];
    const names = (await readdir(threadsFolder)).filter((name) => /^t_[\w-]+$/.test(name));
    return names.filter((name) => !isKnown.get(name));
  }

  return async () => {
    strays ??= await unknownFolders();
    const [stray, ...rest] = strays;
    if (stray !== undefined) {
      strays = rest;
      if (!removal.isUnderWay(stray) && !isKnown.get(stray)) await remove(stray);
      return "more";
    }
    const [thread] = removal.folders();
    if (thread === undefined) return "idle";
    await stored(db);
    await remove(thread);
    gone(threadId(thread));
    return "more";
  };
}

/** Once nothing else is to be done, what was forgotten goes from the unused bytes of the file too. */
function rewriteOnce(db: Database, tell: UpkeepNews): Chore {
  const unfinished = db.prepare(
    `select 1 from meta where key like 'forgetting:%' or key like 'removing:%' or key like 'dropping:%' or key like 'giving\\_up:%' escape '\\'`,
  );
  let told = false;
  let written = false;
  return () => {
    if (!isRewriteWanted(db) || unfinished.get()) return "idle";
    if (usedBytes(db) > MOST_REWRITE_BYTES) {
      if (!told) tell.postponed();
      told = true;
      return "idle";
    }
    if (!written) {
      const begun = performance.now();
      tell.rewriting();
      rewrite(db);
      tell.rewriting(performance.now() - begun);
    }
    written = !emptyJournal(db);
    return written ? "waiting" : "idle";
  };
}
