/**
 * Forgetting a person, in small steps that can be broken off at any point and begun again.
 *
 *   begun (`forget-request.ts`) → their runs are stopped and end → the ends are shown, or a minute has passed (`showMs`)
 *   → messages → runs → threads → usage → the person → done; then the file is written anew (`vacuum.ts`)
 *
 * A thread in which nobody else wrote goes whole. In one that is shared, what they wrote and what was done for them goes;
 * the agent forgets that thread, since its answers quote people: at once, or when the run that others have there ends.
 */
import { rm } from "node:fs/promises";
import path from "node:path";
import type { Database } from "better-sqlite3";
import type { Progress } from "../gateway/store-contract.ts";
import type { PersonId } from "../subagents/contract.ts";
import { soon, stored } from "./commit.ts";
import type { ForgetRequests, Request, StoppedRun } from "./forget-request.ts";
import { createGraphGiveUps } from "./graph-give-ups.ts";
import type { Removal } from "./removal.ts";
import { createSharedErasure } from "./shared-erasure.ts";
import { wantRewrite } from "./vacuum.ts";

export interface ForgettingDeps {
  readonly db: Database;
  readonly removal: Removal;
  readonly requests: ForgetRequests;
  /** The checkpointer's. */
  readonly giveUp: (thread: string) => void;
  readonly now: () => number;
  /** Holds a folder for each thread. */
  readonly threadsFolder: string;
  /** The end of a stopped run is shown before it is forgotten, unless its platform is away for longer, ms. */
  readonly showMs: number;
  /** Aborts these runs, so that they end as cancelled. Called again until they have. */
  readonly halt: (runs: readonly StoppedRun[]) => void;
  /** What is kept of a person outside the tables: memory, agents of their own. */
  readonly forgetMemory: (person: PersonId) => Promise<void>;
  readonly onForgotten: (person: PersonId) => void;
}

/** Rows that a step looks at. */
const LOOK_ROWS = 500;
/** Messages that a step erases, each with what was shown for it. */
const ERASE_ROWS = 50;
/** Stands in the rows of accounting, so that totals stay. */
const NOBODY = "forgotten";

/** Each call does a little for the person who asked first. `waiting`: for runs to end. */
export function createForgetting(deps: ForgettingDeps): () => Promise<Progress> {
  const { db, requests, now, halt, showMs } = deps;
  const giveUps = createGraphGiveUps(deps);
  const erase = createErasure(deps, giveUps.want);
  const live = db.prepare<[string], StoppedRun>(
    "select id as run, thread from runs where state in ('running', 'waiting', 'stopping') and person = ?",
  );
  const unshown = db.prepare<[string]>("select 1 from slots where thread = ? and settled = 0 limit 1");
  let walk: { of: PersonId; steps: AsyncGenerator<undefined> } | undefined;

  /** Undefined: nothing speaks against going on. */
  function awaited({ person, at, threads }: Request): readonly StoppedRun[] | undefined {
    const runs = live.all(person);
    if (runs.length > 0) return runs;
    const isShowing = now() - at < showMs && threads.some((thread) => unshown.get(thread) !== undefined);
    return isShowing ? [] : undefined;
  }

  return async () => {
    const request = requests.next();
    if (!request) return giveUps.step();
    const runs = awaited(request);
    if (runs) {
      halt(runs);
      return "waiting";
    }
    if (walk?.of !== request.person) walk = { of: request.person, steps: erase(request) };
    // One that fails begins again: what it has done is done.
    const { done } = await walk.steps.next().catch((error: unknown) => {
      walk = undefined;
      throw error;
    });
    if (done) walk = undefined;
    return "more";
  };
}

/** Erases what is theirs; each `yield` is the end of a step. */
function createErasure(deps: ForgettingDeps, wantGiveUp: (thread: string) => void) {
  const { db, removal, requests } = deps;
  const shared = createSharedErasure(deps, wantGiveUp);
  const bounds = (table: "inbox" | "runs") =>
    db.prepare<[], { first: number | null; last: number }>(`select min(seq) as first, max(seq) as last from ${table}`);
  const inboxBounds = bounds("inbox");
  const runBounds = bounds("runs");
  const messages = db.prepare<[number, number, string], { seq: number; thread: string | null }>(
    "select seq, thread from inbox where seq between ? and ? and person = ?",
  );
  const runs = db.prepare<[number, number, string], { id: string; thread: string }>(
    "select id, thread from runs where seq between ? and ? and person = ?",
  );
  const others = db.prepare<[string, string]>(
    "select 1 from inbox where thread = ? and person not in (?, '') and state <> 'dropped' limit 1",
  );
  const threads = db.prepare<[string], { id: string; person: string }>(
    `select id, person from threads where id > ? order by id limit ${LOOK_ROWS}`,
  );
  const nextCall = db
    .prepare<[string], string>(`select call from usage where call > ? order by call limit 1 offset ${LOOK_ROWS - 1}`)
    .pluck();
  const unname = db.prepare(`update usage set person = '${NOBODY}' where call > ? and call <= ? and person = ?`);
  const unnameRest = db.prepare(`update usage set person = '${NOBODY}' where call > ? and person = ?`);
  const removePerson = db.prepare("delete from persons where id = ?");
  const unnameCalls = soon(db, (from: string, to: string | undefined, person: PersonId) =>
    to === undefined ? unnameRest.run(from, person) : unname.run(from, to, person),
  );
  const begin = soon(db, (thread: string) => removal.begin(thread));
  const end = soon(db, (person: PersonId) => {
    removePerson.run(person);
    requests.end(person);
    wantRewrite(db);
  });

  /** True: the thread goes whole, or is about to. */
  function goesWhole(thread: string, person: PersonId): boolean {
    if (removal.isUnderWay(thread)) return true;
    if (others.get(thread, person)) return false;
    begin(thread);
    return true;
  }

  async function* eraseMessages(request: Request) {
    const { person } = request;
    for (const [from, to] of windows(inboxBounds.get())) {
      const found = messages.all(from, to, person);
      for (const thread of new Set(found.map((row) => row.thread))) {
        if (thread !== null && goesWhole(thread, person)) continue;
        if (thread !== null) shared.enter(thread, request);
        const seqs = found.flatMap((row) => (row.thread === thread ? row.seq : []));
        for (let from = 0; from < seqs.length; from += ERASE_ROWS) {
          await shared.eraseMessages(thread, seqs.slice(from, from + ERASE_ROWS));
          yield;
        }
      }
      yield;
    }
  }

  async function* eraseRuns({ person }: Request) {
    for (const [from, to] of windows(runBounds.get())) {
      for (const { id, thread } of runs.all(from, to, person))
        if (!goesWhole(thread, person)) {
          await shared.eraseFilesOf(id, thread);
          while (shared.eraseRun(id) > 0) yield;
        }
      yield;
    }
  }

  async function* eraseThreads(request: Request) {
    for (let last = ""; ;) {
      const rows = threads.all(last);
      for (const { id } of rows.filter(({ person }) => person === request.person))
        if (!goesWhole(id, request.person)) shared.enter(id, request);
      yield;
      last = rows.at(-1)?.id ?? "";
      if (rows.length < LOOK_ROWS) return;
    }
  }

  async function* eraseUsage({ person }: Request) {
    for (let last = ""; ;) {
      const to = nextCall.get(last);
      unnameCalls(last, to, person);
      yield;
      if (to === undefined) return;
      last = to;
    }
  }

  return async function* erase(request: Request): AsyncGenerator<undefined> {
    const { person } = request;
    yield* eraseMessages(request);
    yield* eraseRuns(request);
    yield* eraseThreads(request);
    yield* eraseUsage(request);
    await deps.forgetMemory(person);
    end(person);
    await stored(db);
    deps.onForgotten(person);
  };
}

function* windows(bounds: { first: number | null; last: number } | undefined): Generator<[number, number]> {
  if (!bounds || bounds.first === null) return;
  for (let from = bounds.first; from <= bounds.last; from += LOOK_ROWS) yield [from, from + LOOK_ROWS - 1];
}

/** Removes the person's own folder. What else is kept of people later is forgotten here too. */
export async function forgetMemory(dataDir: string, person: PersonId): Promise<void> {
  await rm(path.join(dataDir, "users", person), { recursive: true, force: true });
}
