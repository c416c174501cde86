/**
 * Accepting an event: dedupe, read the facts, let the gateway decide, carry the decision out; one transaction.
 *
 * A row is  queued (waits for a turn) or context (known to the next turn, starting none) → taken (by a run) → done
 * or dropped, when it was deleted before its turn. What starts no turn is done at once: it is there to be told apart
 * from its repeat.
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Inbound, PostRef } from "../gateway/contract.ts";
import type {
  Accepted,
  Decide,
  Effect,
  Facts,
  InboundId,
  InboundState,
  ThreadFacts,
} from "../gateway/store-contract.ts";
import { type PersonId, personId, type RunId, type ThreadId, threadId } from "../subagents/contract.ts";
import { transaction } from "./database.ts";
import type { OutboxStore } from "./outbox-store.ts";
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
/** What the effects of one decision have in common. */
interface Scope {
  readonly event: Inbound;
  readonly facts: Facts;
  /** The author spoke to the bot. */
  readonly addressed: boolean;
  thread: ThreadId | undefined;
  state: InboundState;
  readonly wake: Set<ThreadId>;
  readonly stop: RunId[];
}

export function createInbox(db: Database, outbox: OutboxStore, questions: QuestionStore, now: () => number) {
  const duplicate = db.prepare("select 1 from inbox where platform = ? and account = ? and event = ?").pluck();
  const person = db.prepare<[string, string], { id: string; admin: number }>(
    "select persons.id, admin from accounts join persons on persons.id = person where platform = ? and accounts.id = ?",
  );
  const threadOfKey = db.prepare<[string, string], ThreadRow>(
    "select id, person, active_at from threads where platform = ? and key = ? order by selected desc limit 1",
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
     where platform = @platform and place_key = @place and person = @person
     order by exists(select 1 from runs where thread = threads.id and state in ('running', 'waiting', 'stopping')) desc,
       opened_at desc limit 1`,
  );
  const newestThreadOfPlace = db.prepare<[string, string], ThreadRow>(
    "select id, person, active_at from threads where platform = ? and place_key = ? order by opened_at desc limit 1",
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

  const addPerson = db.prepare(
    "insert into persons(id, name, created_at) values(?, ?, ?) on conflict do update set name = excluded.name",
  );
  const addAccount = db.prepare("insert into accounts(platform, id, person) values(?, ?, ?) on conflict do nothing");
  const addInbox = db.prepare(
    `insert into inbox(id, platform, account, event, thread, person, author, post, state, addressed, event_json, received_at)
     values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const openThread = db.prepare(
    `insert into threads(id, key, platform, account, place, person, title, opened_at, active_at, selected)
     values(@id, @key, @platform, @account, @place, @person, @title, @now, @now,
       (select coalesce(max(selected), 0) + 1 from threads where platform = @platform and key = @key))`,
  );
  const selectThread = db.prepare(
    `update threads set selected = (select max(selected) + 1 from threads as other
       where other.platform = threads.platform and other.key = threads.key) where id = ?`,
  );
  const touch = db.prepare(
    "update threads set active_at = ?, title = case when title = '' then ? else title end where id = ?",
  );
  const rewrite = db.prepare(
    "update inbox set event_json = json_set(event_json, '$.text', ?, '$.files', json(?)), files = null where id = ? and state in ('queued', 'context')",
  );
  const drop = db.prepare("update inbox set state = 'dropped' where id = ? and state in ('queued', 'context')");
  const moveQueue = db.prepare("update inbox set thread = ? where thread = ? and state = 'queued'");
  const requeue = db.prepare(
    "update inbox set thread = ?, state = 'queued', run = null where run = ? and state = 'taken'",
  );
  const stopRun = db.prepare("update runs set state = 'stopping' where id = ? and state in ('running', 'waiting')");
  const makeAdmin = db.prepare("update persons set admin = 1 where id = ?");
  const forgetAdminCode = db.prepare("delete from meta where key = 'admin_code'");

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

  function newThread({ event, facts }: Scope): ThreadId {
    const { platform, account, thread: key } = event;
    const id = `t_${randomUUID()}`;
    const place = JSON.stringify(event.place);
    openThread.run({ id, key, platform, account, place, person: facts.person.id, title: "", now: facts.now });
    return threadId(id);
  }

  /** The thread that the effect is about; opened when there is none yet. */
  function threadOf(scope: Scope): ThreadId {
    scope.thread ??= newThread(scope);
    scope.wake.add(scope.thread);
    return scope.thread;
  }

  /** What waits moves along. */
  function moveTo(thread: ThreadId, scope: Scope): void {
    if (scope.thread) {
      scope.wake.add(scope.thread);
      moveQueue.run(thread, scope.thread);
    }
    scope.thread = thread;
  }

  function carryOut(effect: Effect, scope: Scope): void {
    switch (effect.type) {
      case "record":
        return;
      case "queue":
      case "context":
        threadOf(scope);
        scope.state = effect.type === "queue" ? "queued" : "context";
        return;
      case "rewrite":
        rewrite.run(effect.text, JSON.stringify(effect.files), effect.target);
        return;
      case "drop":
        drop.run(effect.target);
        return;
      case "open_thread":
        moveTo(newThread(scope), scope);
        return;
      case "continue_thread":
        selectThread.run(effect.thread);
        // The request that opened the newer thread was meant for the older one.
        scope.stop.forEach((run) => requeue.run(effect.thread, run));
        moveTo(effect.thread, scope);
        return;
      case "answer":
        questions.answer(threadOf(scope), effect);
        return;
      case "give_up":
        questions.giveUp(threadOf(scope), effect);
        return;
      case "stop":
        stopRun.run(effect.run);
        scope.stop.push(effect.run);
        threadOf(scope);
        return;
      case "show": {
        const thread = threadOf(scope);
        for (const [token, meaning] of Object.entries(effect.tokens ?? {})) questions.addToken(thread, token, meaning);
        outbox.put(thread, { slot: effect.slot, view: effect.view, final: true });
        return;
      }
      case "make_admin":
        makeAdmin.run(scope.facts.person.id);
        forgetAdminCode.run();
        return;
    }
  }

  function remember({ platform, author }: Inbound, { person: { id, name }, now: at }: Facts): void {
    addPerson.run(id, name, at);
    addAccount.run(platform, author.id, id);
  }

  function store(scope: Scope): void {
    const { event, facts, thread } = scope;
    const { platform, account, eventId, author } = event;
    const post: PostRef | null = event.type === "message" ? event.post : null;
    addInbox.run(
      facts.id,
      platform,
      account,
      eventId,
      thread ?? null,
      facts.person.id,
      author.name,
      post,
      scope.state,
      scope.addressed ? 1 : 0,
      JSON.stringify(event),
      facts.now,
    );
    const title = event.type === "message" && scope.state === "queued" ? firstWords(event.text) : "";
    if (thread) touch.run(facts.now, title, thread);
  }

  return transaction(db, (event: Inbound, decide: Decide): Accepted => {
    if (duplicate.get(event.platform, event.account, event.eventId))
      return { accepted: true, rule: "the same event again", wake: [], stop: [] };
    const facts = readFacts(event);
    const { rule, effects, thread, reply, refused } = decide(event, facts);
    const addressed = !("target" in event) && effects.some(({ type }) => type !== "context");
    const scope: Scope = {
      event,
      facts,
      addressed,
      thread: thread ?? facts.thread?.id,
      state: "done",
      wake: new Set(),
      stop: [],
    };
    if (effects.length > 0) {
      // Who deleted a message is mostly not said.
      if (event.type !== "deleted") remember(event, facts);
      effects.forEach((effect) => carryOut(effect, scope));
      store(scope);
    }
    // Also for a press that changes nothing: the buttons of a duplicate go too.
    if (event.type === "press" && event.post && facts.token && "question" in facts.token) {
      questions.adoptPost(facts.token.question, event.post);
      scope.wake.add(facts.token.question.thread);
    }
    const accepted = effects.length > 0;
    const said = { ...(reply && { reply }), ...(refused && { refused }) };
    return { accepted, rule, wake: [...scope.wake], stop: scope.stop, ...said };
  });
}

/** Enough for any list of threads, which cuts it to its own width. Whole characters only. */
function firstWords(text: string): string {
  return Array.from(text.slice(0, 400)).slice(0, 200).join("");
}
