/**
 * Accepting an event: dedupe, read the facts, let the gateway decide, carry the decision out; one transaction.
 *
 * A row is  queued (waits for a turn) or context (known to the next turn, starting none) → taken (by a run) → done
 * or dropped, when it was deleted before its turn. What starts no turn is done at once: it is there to be told apart
 * from its repeat.
 */
import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { Inbound, PostRef } from "../gateway/contract.ts";
import type { Accepted, Decide, Effect, Facts, InboundState } from "../gateway/store-contract.ts";
import { type RunId, type ThreadId, threadId } from "../subagents/contract.ts";
import { atOnce } from "./commit.ts";
import { createFacts } from "./facts.ts";
import { createForgetRequests } from "./forget-request.ts";
import type { OutboxStore } from "./outbox-store.ts";
import type { QuestionStore } from "./question-store.ts";
import { buriedId } from "./tombstone.ts";

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
  const duplicate = db.prepare("select 1 from inbox where platform = ? and account = ? and event in (?, ?)").pluck();
  const readFacts = createFacts(db, questions, now);
  const forgetRequests = createForgetRequests(db, now);

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
      case "forget":
        for (const { run, thread } of forgetRequests.begin(scope.facts.person.id)) {
          scope.stop.push(run);
          scope.wake.add(thread);
        }
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

  return atOnce(db, (event: Inbound, decide: Decide): Accepted => {
    if (duplicate.get(event.platform, event.account, event.eventId, buriedId(event.eventId)))
      return { accepted: true, rule: "the same event again", wake: [], stop: [] };
    const facts = readFacts(event);
    const { rule, effects, addressed = false, thread, reply, refused } = decide(event, facts);
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
