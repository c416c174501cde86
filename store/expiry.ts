/** Questions that nobody answered in time. */
import type { Database } from "better-sqlite3";
import { type Expired, type GatewayStore, type Question, slot, type Stopped } from "../gateway/store-contract.ts";
import type { RunId, ThreadId } from "../subagents/contract.ts";
import { atOnce } from "./commit.ts";
import type { OutboxStore } from "./outbox-store.ts";
import type { QuestionStore } from "./question-store.ts";

/** Committed before it returns: what is decided next goes by it. */
export function createExpire(db: Database, outbox: OutboxStore, questions: QuestionStore): GatewayStore["expire"] {
  // A question was shown when its first post was intended; one without a post keeps its run waiting.
  const due = db.prepare<[number], { run: RunId; thread: ThreadId }>(
    `select questions.run, questions.thread from questions join runs on runs.id = questions.run
     where questions.state = 'open' and runs.state = 'waiting' group by questions.run
     having max(coalesce((select min(at) from posts where slot = 'question:' || questions.id), 9e15)) < ?`,
  );
  const stop = db.prepare("update runs set state = 'stopping' where id = ? and state = 'waiting'");

  const expireAll = atOnce(
    db,
    (runs: readonly Stopped[], asSeen: (questions: readonly Question[]) => Expired): readonly Stopped[] => {
      for (const { run, thread } of runs) {
        const { closed, notice } = asSeen(questions.openOfRun(run));
        for (const one of closed) questions.giveUp(thread, { type: "give_up", ...one });
        outbox.put(thread, { slot: slot("notice", `expired-${run}`), view: notice, final: true });
        stop.run(run);
      }
      return runs;
    },
  );
  return (shownBefore, asSeen) => {
    const runs = due.all(shownBefore);
    return runs.length === 0 ? runs : expireAll(runs, asSeen);
  };
}
