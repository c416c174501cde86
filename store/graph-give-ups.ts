/**
 * The agent's memory of threads that forgotten people shared with others: given up as soon as no run is under way there,
 * since answers quote people.
 *
 *   wanted → (no live run) given up
 *          → (a day later: it still runs, or waits for an answer) that run is stopped → given up
 */
import type { Database } from "better-sqlite3";
import type { Progress } from "../gateway/store-contract.ts";
import { soon } from "./commit.ts";
import type { StoppedRun } from "./forget-request.ts";

const KEY = "giving_up:";
/** Ours: long enough for any turn, and for an answer. */
const WAIT_MS = 24 * 3_600_000;

interface Deps {
  readonly db: Database;
  readonly giveUp: (thread: string) => void;
  readonly now: () => number;
  readonly halt: (runs: readonly StoppedRun[]) => void;
}

export function createGraphGiveUps({ db, giveUp, now, halt }: Deps) {
  const mark = db.prepare("insert into meta(key, value) values(?, ?) on conflict do nothing");
  const unmark = db.prepare("delete from meta where key = ?");
  const wanted = db.prepare<[], { thread: string; since: number }>(
    `select substr(key, ${KEY.length + 1}) as thread, cast(value as integer) as since from meta
     where key >= '${KEY}' and key < 'giving_up;'`,
  );
  const live = db.prepare<[string], StoppedRun>(
    "select id as run, thread from runs where thread = ? and state in ('running', 'waiting', 'stopping')",
  );
  const stop = db.prepare("update runs set state = 'stopping' where id = ? and state in ('running', 'waiting')");
  const giveUpNow = soon(db, (thread: string) => {
    giveUp(thread);
    unmark.run(KEY + thread);
  });
  const stopRuns = soon(db, (runs: readonly StoppedRun[]) => runs.forEach(({ run }) => stop.run(run)));

  return {
    /** For use inside other work. */
    want: (thread: string): void => void mark.run(KEY + thread, String(now())),
    step(): Progress {
      for (const { thread, since } of wanted.all()) {
        const runs = live.all(thread);
        if (runs.length === 0) {
          giveUpNow(thread);
          return "more";
        }
        if (now() - since < WAIT_MS) continue;
        stopRuns(runs);
        halt(runs);
      }
      return "idle";
    },
  };
}
