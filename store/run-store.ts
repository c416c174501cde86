/**
 * Runs: claimed one at a time for each thread.
 *
 * running  → an agent works on it, or did when the process died: claimed again with the same input
 * waiting  → it asked; claimed with the answers once no question of it is open
 * stopping → someone stopped it; whoever runs it ends it, and with nobody running it, it is claimed to be ended
 * ended    → never claimed again
 */
import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Answer, InputFile } from "../agent/contract.ts";
import { type InboundOf, type Place, threadKey } from "../gateway/contract.ts";
import type {
  Claim,
  GatewayStore,
  InboundId,
  NewQuestion,
  RunOutcome,
  SlotWrite,
  StoredMessage,
  Thread,
} from "../gateway/store-contract.ts";
import {
  isTerminal,
  type PersonId,
  personId,
  type RunId,
  runId,
  type StoredTask,
  type ThreadId,
  threadId,
} from "../subagents/contract.ts";
import { soon } from "./commit.ts";
import { fromJson } from "./database.ts";
import type { OutboxStore } from "./outbox-store.ts";
import type { QuestionStore } from "./question-store.ts";

interface RunRow {
  seq: number;
  id: string;
  person: PersonId;
  name: string;
  state: "running" | "waiting" | "stopping";
  attempt: number;
  input: string;
  started_at: number;
}
interface InboxRow {
  id: InboundId;
  person: PersonId;
  author: string;
  state: "queued" | "context" | "taken";
  event_json: string;
  files: string | null;
}
interface ThreadRow {
  id: string;
  key: string;
  platform: string;
  account: string;
  place: string;
}
/** What a run was last started with: the messages are read from the inbox. */
type StoredInput =
  | { type: "messages"; context: InboundId[]; first: boolean }
  | { type: "answers"; byInterrupt: Record<string, Answer> };
type RunVerbs = Pick<
  GatewayStore,
  "busyThreads" | "claim" | "ask" | "openQuestions" | "suspend" | "finish" | "letGo" | "filesStored" | "thread"
>;

export function createRunStore(
  db: Database,
  outbox: OutboxStore,
  questions: QuestionStore,
  now: () => number,
): RunVerbs {
  const threads = db.prepare<[string], ThreadRow>("select id, key, platform, account, place from threads where id = ?");
  const busy = db
    .prepare<[], string>(
      `select thread from runs where state in ('running', 'waiting', 'stopping')
     union select thread from inbox where state = 'queued' and thread is not null`,
    )
    .pluck();
  const live = db.prepare<[string], RunRow>(
    `select runs.seq, runs.id, person, name, state, attempt, input, started_at from runs join persons on persons.id = person
     where thread = ? and state in ('running', 'waiting', 'stopping') order by runs.seq limit 1`,
  );
  const waiting = db.prepare<[string], InboxRow>(
    "select id, person, author, state, event_json, files from inbox where thread = ? and state in ('queued', 'context') order by seq",
  );
  const taken = db.prepare<[string], InboxRow>(
    "select id, person, author, state, event_json, files from inbox where run = ? and state = 'taken' order by seq",
  );
  const take = db.prepare("update inbox set state = 'taken', run = ? where id = ?");
  const addRun = db.prepare(
    "insert into runs(id, thread, person, state, attempt, input, started_at) values(?, ?, ?, 'running', 1, ?, ?)",
  );
  const startRun = db.prepare("update runs set state = 'running', attempt = ?, input = ? where id = ?");
  const isFirst = db.prepare<[string], number>("select count(*) from runs where thread = ?").pluck();
  const suspend = db.prepare("update runs set state = 'waiting' where id = ? and state = 'running'");
  const endRun = db.prepare("update runs set state = 'ended', outcome = ?, ended_at = ? where id = ?");
  const letGo = db.prepare("update runs set attempt = attempt - 1 where id = ? and state = 'running'");
  const stateOfRun = db.prepare<[string], { thread: string; state: string }>(
    "select thread, state from runs where id = ?",
  );
  const endInbox = db.prepare("update inbox set state = 'done' where run = ? and state = 'taken'");
  const openTasks = db.prepare<[string], string>("select snapshot from tasks where run = ? and ended = 0").pluck();
  const endTask = db.prepare("update tasks set ended = 1, snapshot = ? where execution = ?");
  const closeQuestions = db.prepare("update questions set state = 'given_up' where run = ? and state = 'open'");
  const setFiles = db.prepare("update inbox set files = ? where id = ?");
  const touch = db.prepare("update threads set active_at = ? where id = ?");

  function thread(id: ThreadId): Thread | undefined {
    const row = threads.get(id);
    return row && toThread(row);
  }

  /** The next turn: what one author wrote in a row, and before and between it what others said. */
  function nextTurn(id: ThreadId): InboxRow[] {
    const rows = waiting.all(id);
    const first = rows.find((row) => row.state === "queued");
    if (!first) return [];
    const other = rows.findIndex((row) => row.state === "queued" && row.person !== first.person);
    const turn = other === -1 ? rows : rows.slice(0, other);
    return turn.slice(0, turn.findLastIndex((row) => row.state === "queued") + 1);
  }

  function begin(of: Thread): Claim | undefined {
    const turn = nextTurn(of.id);
    const request = turn.find((row) => row.state === "queued");
    if (!request) return undefined;
    const run = runId(`r_${randomUUID()}`);
    const startedAt = now();
    const context = turn.filter((row) => row.state === "context").map((row) => row.id);
    const first = isFirst.get(of.id) === 0;
    const input: StoredInput = { type: "messages", context, first };
    addRun.run(run, of.id, request.person, JSON.stringify(input), startedAt);
    turn.forEach((row) => take.run(run, row.id));
    const principal = { id: personId(request.person), name: request.author };
    const messages = turn.map((row) => toMessage(row, row.state === "context"));
    return { type: "messages", run, thread: of, principal, startedAt, attempt: 1, first, messages };
  }

  function goOn(of: Thread, row: RunRow): Claim | undefined {
    const run = runId(row.id);
    const base = {
      run,
      thread: of,
      principal: { id: personId(row.person), name: row.name },
      startedAt: row.started_at,
    };
    if (row.state === "stopping") return { ...base, type: "stopped" };
    if (row.state === "waiting") {
      const byInterrupt = questions.takeAnswers(run);
      if (!byInterrupt) return undefined;
      startRun.run(1, JSON.stringify({ type: "answers", byInterrupt } satisfies StoredInput), run);
      return { ...base, type: "answers", attempt: 1, byInterrupt };
    }
    const attempt = row.attempt + 1;
    startRun.run(attempt, row.input, run);
    const input = fromJson<StoredInput>(row.input);
    if (input.type === "answers") return { ...base, type: "answers", attempt, byInterrupt: input.byInterrupt };
    const context = new Set(input.context);
    const messages = taken.all(run).map((one) => toMessage(one, context.has(one.id)));
    return { ...base, type: "messages", attempt, first: input.first, messages };
  }

  function endTasks(run: RunId, outcome: RunOutcome): void {
    for (const text of openTasks.all(run)) {
      const task = fromJson<StoredTask>(text);
      if (isTerminal(task.state)) continue;
      const state = outcome === "cancelled" ? "cancelled" : "failed";
      const ended: StoredTask = {
        ...task,
        state,
        endedAt: now(),
        ...(state === "failed" && { error: "Task disappeared" }),
      };
      endTask.run(JSON.stringify(ended), task.executionId);
    }
  }

  return {
    thread,
    busyThreads: () => busy.all().map(threadId),
    claim: soon(db, (id: ThreadId): Claim | undefined => {
      const found = thread(id);
      if (!found) return undefined;
      const row = live.get(id);
      return row ? goOn(found, row) : begin(found);
    }),
    ask: soon(db, (run: RunId, question: NewQuestion) => questions.ask(run, question)),
    openQuestions: (run: RunId) => questions.openOfRun(run),
    suspend: soon(db, (run: RunId, card: SlotWrite) => {
      const of = stateOfRun.get(run);
      if (of && suspend.run(run).changes > 0) outbox.put(threadId(of.thread), card);
    }),
    finish: soon(db, (run: RunId, outcome: RunOutcome, slots: readonly SlotWrite[]) => {
      const of = stateOfRun.get(run);
      if (of?.state === "stopping" && outcome !== "cancelled") return "stopped";
      if (of === undefined || of.state === "ended") return "ended";
      endRun.run(outcome, now(), run);
      endTasks(run, outcome);
      endInbox.run(run);
      closeQuestions.run(run);
      touch.run(now(), of.thread);
      slots.forEach((one) => outbox.put(threadId(of.thread), one));
      return "ended";
    }),
    letGo: soon(db, (runs: readonly RunId[]) => runs.forEach((run) => letGo.run(run))),
    filesStored: soon(db, (id: InboundId, files: readonly InputFile[]) => void setFiles.run(JSON.stringify(files), id)),
  };
}

function toThread(row: ThreadRow): Thread {
  const { platform, account } = row;
  return { id: threadId(row.id), key: threadKey(row.key), platform, account, place: fromJson<Place>(row.place) };
}

function toMessage(row: InboxRow, context: boolean): StoredMessage {
  return {
    id: row.id,
    type: context ? "context" : "request",
    author: row.author,
    message: fromJson<InboundOf<"message">>(row.event_json),
    ...(row.files !== null && { files: fromJson<InputFile[]>(row.files) }),
  };
}
