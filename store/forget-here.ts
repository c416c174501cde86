/** Forgetting a person in a data folder that no program uses: begun, and done to the end. */
import type { Database } from "better-sqlite3";
import type { Chore } from "../gateway/store-contract.ts";
import { createCheckpointer } from "./checkpointer.ts";
import { transaction } from "./commit.ts";
import { moveEarlierCheckpoints } from "./earlier-checkpoints.ts";
import { createForgetOrder, type Ordered } from "./forget-order.ts";
import type { StoppedRun } from "./forget-request.ts";
import { createUpkeep } from "./upkeep.ts";
import { emptyJournal, rewrite } from "./vacuum.ts";

const SILENT = {
  stuck() {},
  deleting() {},
  deleted() {},
  forgotten() {},
  rewriting() {},
  notRewritten() {},
  postponed() {},
};

/** What was under way for this person ends here without being shown: no platform is connected. */
export async function forgetHere(db: Database, dataDir: string, now: () => number, text: string): Promise<Ordered> {
  const ordered = createForgetOrder(db, now)(text);
  if (ordered.type === "unknown") return ordered;
  const checkpointer = createCheckpointer(db);
  await moveEarlierCheckpoints(db, checkpointer, () => {});
  const chores = createUpkeep({
    db,
    checkpointer,
    dataDir,
    retention: {},
    now,
    halt: createEndRuns(db, now),
    showMs: 0,
    onDeleted: () => {},
    tell: SILENT,
  });
  await finishAll(chores);
  // However large the file is: nobody waits for it here.
  rewrite(db);
  emptyJournal(db);
  return ordered;
}

/** Nobody else would end them. */
function createEndRuns(db: Database, now: () => number): (runs: readonly StoppedRun[]) => void {
  const end = db.prepare("update runs set state = 'ended', outcome = 'cancelled', ended_at = ? where id = ?");
  const close = db.prepare("update questions set state = 'given_up' where run = ? and state = 'open'");
  const release = db.prepare("update inbox set state = 'done' where run = ? and state = 'taken'");
  return transaction(db, (runs: readonly StoppedRun[]) => {
    for (const { run } of runs) {
      end.run(now(), run);
      close.run(run);
      release.run(run);
    }
  });
}

async function finishAll(chores: readonly Chore[]): Promise<void> {
  while (await doNext(chores));
}

/** A later one is asked when the ones before have nothing to do. */
async function doNext(chores: readonly Chore[]): Promise<boolean> {
  for (const chore of chores) if ((await chore()) !== "idle") return true;
  return false;
}
