/** What is known when an event is decided: who wrote it, which thread it is about, and what is going on there. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Inbound } from "../gateway/contract.ts";
import type { Facts, InboundId, InboundState, ThreadFacts } from "../gateway/store-contract.ts";
import { type PersonId, personId, type RunId, threadId } from "../subagents/contract.ts";
import type { QuestionStore } from "./question-store.ts";

interface ThreadRow {
  id: string;
  person: string;
  active_at: number;
}
interface RunRow {
  id: RunId;
  person: PersonId;
  state: "running" | "waiting" | "stopping";
  started_at: number;
}
/** Reads; called inside the transaction that carries the decision out. */
export function createFacts(db: Database, questions: QuestionStore, now: () => number): (event: Inbound) => Facts {
  const person = db.prepare<[string, string], { id: string; admin: number }>(
    "select persons.id, admin from accounts join persons on persons.id = person where platform = ? and accounts.id = ?",
  );
  // Not those of somebody who is being forgotten, which are about to go: they are no longer selected.
  const threadOfKey = db.prepare<[string, string], ThreadRow>(
    "select id, person, active_at from threads where platform = ? and key = ? and selected > 0 order by selected desc limit 1",
  );
  const threadById = db.prepare<[string], ThreadRow>("select id, person, active_at from threads where id = ?");
  const threadOfPost = db.prepare<{ platform: string; account: string; post: string }, ThreadRow>(
    `select id, person, active_at from threads where platform = @platform and account = @account and id in (
       select thread from posts where post = @post
       union select thread from inbox where platform = @platform and account = @account and post = @post)
     order by active_at desc limit 1`,
  );
  // A call from outside any thread is about the caller's own: the one at work, else the latest.
  const ownThreadOfPlace = db.prepare<{ platform: string; place: string; person: string }, ThreadRow>(
    `select id, person, active_at from threads
     where platform = @platform and place_key = @place and person = @person and selected > 0
     order by exists(select 1 from runs where thread = threads.id and state in ('running', 'waiting', 'stopping')) desc,
       opened_at desc limit 1`,
  );
  const newestThreadOfPlace = db.prepare<[string, string], ThreadRow>(
    "select id, person, active_at from threads where platform = ? and place_key = ? and selected > 0 order by opened_at desc limit 1",
  );
  const liveRun = db.prepare<[string], RunRow>(
    "select id, person, state, started_at from runs where thread = ? and state in ('running', 'waiting', 'stopping') order by seq desc limit 1",
  );
  const queued = db
    .prepare<[string], number>("select count(*) from inbox where thread = ? and state = 'queued'")
    .pluck();
  const addressed = db.prepare("select 1 from inbox where thread = ? and person = ? and addressed = 1 limit 1");
  const target = db.prepare<[string, string, string], { id: InboundId; state: InboundState; person: PersonId }>(
    "select id, state, person from inbox where platform = ? and account = ? and post = ? and state <> 'dropped' order by seq desc limit 1",
  );
  const adminCode = db.prepare<[], string>("select value from meta where key = 'admin_code'").pluck();

  function findThread(event: Inbound, author: PersonId): ThreadRow | undefined {
    const { platform } = event;
    if (event.type === "press" || event.type === "form") {
      const thread = questions.threadOfToken(event.token);
      if (thread) return threadById.get(thread);
    }
    if (event.type === "message" && event.replyTo && event.place.type === "shared") {
      const found = threadOfPost.get({ platform, account: event.account, post: event.replyTo.post });
      if (found) return found;
    }
    return threadOfKey.get(platform, event.thread) ?? awaitingThread(event, author);
  }

  /** Alone with the bot, words at top level answer what the newest thread there asks. */
  function awaitingThread(event: Inbound, author: PersonId): ThreadRow | undefined {
    if (event.type !== "message" || event.unseen || !event.topLevel || event.place.type !== "direct") return undefined;
    const newest = newestThreadOfPlace.get(event.platform, event.place.key);
    const asked = newest && questions.open(threadId(newest.id)).some((question) => question.asked.id === author);
    return asked ? newest : undefined;
  }

  function ownThread(event: Inbound, person: PersonId): ThreadRow | undefined {
    if (!("topLevel" in event) || !event.topLevel) return undefined;
    return ownThreadOfPlace.get({ platform: event.platform, place: event.place.key, person });
  }

  function threadFacts(row: ThreadRow, author: PersonId): ThreadFacts {
    const run = liveRun.get(row.id);
    return {
      id: threadId(row.id),
      startedBy: personId(row.person),
      lastActivityAt: row.active_at,
      queued: queued.get(row.id) ?? 0,
      addressed: addressed.get(row.id, author) !== undefined,
      ...(run && { run: { id: run.id, principal: run.person, state: run.state, startedAt: run.started_at } }),
    };
  }

  function readFacts(event: Inbound): Facts {
    const known = person.get(event.platform, event.author.id);
    const id = personId(known?.id ?? randomUUID());
    const row = findThread(event, id);
    const own = ownThread(event, id);
    const found = "target" in event ? target.get(event.platform, event.account, event.target) : undefined;
    const token = "token" in event ? questions.tokenFacts(event.token) : undefined;
    const code = adminCode.get();
    return {
      id: `i_${randomUUID()}` as InboundId,
      now: now(),
      person: { id, name: event.author.name, admin: known?.admin === 1 },
      ...(row && { thread: threadFacts(row, id) }),
      questions: row ? questions.open(threadId(row.id)) : [],
      ...(own && { own: { thread: threadFacts(own, id), questions: questions.open(threadId(own.id)) } }),
      ...(token && { token }),
      ...(found && { target: found }),
      freshToken: randomBytes(9).toString("base64url"),
      ...(code !== undefined && { adminCode: code }),
    };
  }

  return readFacts;
}
