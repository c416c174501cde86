/**
 * Questions and the tokens of buttons: what a press means is here, never in the button.
 *
 * open → answered (by the one press, form or text that came first) → resumed (the answer was handed to the run)
 *      → given_up (stopped, left by /new, or its run ended)
 */
import type { Database } from "better-sqlite3";
import type { Answer, Clarification } from "../agent/contract.ts";
import { type PostRef, postRef } from "../gateway/contract.ts";
import {
  type Effect,
  type NewQuestion,
  type Question,
  type QuestionId,
  slot,
  type TokenFacts,
  type TokenMeaning,
} from "../gateway/store-contract.ts";
import { type PersonId, personId, type RunId, type ThreadId, threadId } from "../subagents/contract.ts";
import { fromJson } from "./database.ts";
import { ADOPTED_FROM, type OutboxStore } from "./outbox-store.ts";

interface QuestionRow {
  id: QuestionId;
  run: RunId;
  thread: string;
  person: string;
  name: string;
  request: string;
  tokens: string;
  state: "open" | "answered" | "resumed" | "given_up";
  post: string | null;
}
type Closing = Extract<Effect, { type: "answer" | "give_up" }>;

const SELECT = `select questions.id, run, questions.thread, person, persons.name, request, tokens, state,
    (select post from posts where slot = 'question:' || questions.id and idx < ${ADOPTED_FROM} order by idx desc limit 1) as post
  from questions join persons on persons.id = person`;

export function createQuestionStore(db: Database, outbox: OutboxStore) {
  const openOf = db.prepare<[string], QuestionRow>(
    `${SELECT} where questions.thread = ? and state = 'open' order by seq`,
  );
  const byId = db.prepare<[string], QuestionRow>(`${SELECT} where questions.id = ?`);
  const token = db.prepare<[string], { thread: string; meaning: string }>(
    "select thread, meaning from tokens where token = ?",
  );
  const tokenOf = db.prepare<[string], string>("select token from tokens where meaning = ?").pluck();
  const addToken = db.prepare("insert into tokens(token, thread, meaning) values(?, ?, ?) on conflict do nothing");
  const add = db.prepare(
    `insert into questions(id, run, thread, interrupt, person, request, tokens, state)
     select ?, id, thread, ?, person, ?, ?, 'open' from runs where id = ? on conflict do nothing`,
  );
  const close = db.prepare("update questions set state = ?, answer = ? where id = ? and state = 'open'");
  const run = db.prepare<[string], { thread: string; person: PersonId; state: string }>(
    "select thread, person, state from runs where id = ?",
  );
  const startedBy = db.prepare<[string], PersonId>("select person from threads where id = ?").pluck();
  const answers = db.prepare<[string], { interrupt: string; answer: string }>(
    "select interrupt, answer from questions where run = ? and state = 'answered'",
  );
  const resumed = db.prepare("update questions set state = 'resumed' where run = ? and state = 'answered'");
  const openCount = db
    .prepare<[string], number>("select count(*) from questions where run = ? and state = 'open'")
    .pluck();
  const knownPost = db.prepare("select 1 from posts where slot = ? and post = ?");
  const confirm = db.prepare(
    `update posts set post = ?, state = 'sent' where slot = ? and state = 'intended' and idx = (
       select max(idx) from posts where slot = ? and state = 'intended')`,
  );

  function tokenFacts(text: string): TokenFacts | undefined {
    const row = token.get(text);
    if (!row) return undefined;
    const meaning = fromJson<TokenMeaning>(row.meaning);
    switch (meaning.type) {
      case "option":
      case "form": {
        const question = byId.get(meaning.question);
        return question && { ...meaning, question: toQuestion(question) };
      }
      case "stop": {
        const found = run.get(meaning.run);
        return found && { ...meaning, principal: found.person, live: found.state !== "ended" };
      }
      case "continue_thread": {
        const person = startedBy.get(meaning.thread);
        return person === undefined ? undefined : { ...meaning, startedBy: person };
      }
    }
  }

  const openOfRun = db.prepare<[string], QuestionRow>(`${SELECT} where run = ? and state = 'open' order by seq`);

  return {
    openOfRun: (id: RunId): Question[] => openOfRun.all(id).map(toQuestion),
    open: (thread: ThreadId): Question[] => openOf.all(thread).map(toQuestion),
    threadOfToken: (text: string) => token.get(text)?.thread,
    tokenFacts,
    /** Returns the token that stands for this meaning from now on: an earlier one, if there is one. */
    addToken(thread: ThreadId, text: string, meaning: TokenMeaning): string {
      const json = JSON.stringify(meaning);
      addToken.run(text, thread, json);
      return tokenOf.get(json) ?? text;
    },
    ask(runOf: RunId, { id, request, tokens, view }: NewQuestion): void {
      const { changes } = add.run(id, request.interruptId, JSON.stringify(request), JSON.stringify(tokens), runOf);
      const thread = run.get(runOf)?.thread;
      if (changes === 0 || thread === undefined) return; // asked before: it keeps its id and its buttons
      for (const [key, text] of Object.entries(tokens)) {
        const meaning: TokenMeaning =
          key === "form" ? { type: "form", question: id } : { type: "option", question: id, optionId: key };
        addToken.run(text, thread, JSON.stringify(meaning));
      }
      outbox.put(threadId(thread), { slot: slot("question", id), view, final: false });
    },
    answer(thread: ThreadId, effect: Extract<Closing, { type: "answer" }>): void {
      close.run("answered", JSON.stringify(effect.answer), effect.question);
      outbox.put(thread, { slot: slot("question", effect.question), view: effect.view, final: true });
    },
    giveUp(thread: ThreadId, effect: Extract<Closing, { type: "give_up" }>): void {
      close.run("given_up", null, effect.question);
      outbox.put(thread, { slot: slot("question", effect.question), view: effect.view, final: true });
    },
    /** The answers of a run that has no open question any more; each is handed out once. Undefined: none to hand out. */
    takeAnswers(runOf: RunId): Record<string, Answer> | undefined {
      if ((openCount.get(runOf) ?? 0) > 0) return undefined;
      const rows = answers.all(runOf);
      if (rows.length === 0) return undefined;
      resumed.run(runOf);
      return Object.fromEntries(rows.map((row) => [row.interrupt, fromJson<Answer>(row.answer)]));
    },
    /** A press on a message we hold no receipt of: its send was never confirmed, or it is a duplicate that goes with the rest. */
    adoptPost({ id, thread }: Question, post: PostRef): void {
      const name = slot("question", id);
      if (knownPost.get(name, post)) return;
      // The part with the buttons is the last one.
      if (confirm.run(post, name, name).changes === 0) outbox.adopt(thread, name, post);
      outbox.reopen(name);
    },
  };
}
export type QuestionStore = ReturnType<typeof createQuestionStore>;

function toQuestion(row: QuestionRow): Question {
  return {
    id: row.id,
    run: row.run,
    thread: threadId(row.thread),
    request: fromJson<Clarification>(row.request),
    asked: { id: personId(row.person), name: row.name },
    state: row.state === "resumed" ? "answered" : row.state,
    tokens: fromJson<Record<string, string>>(row.tokens),
    ...(row.post !== null && { post: postRef(row.post) }),
  };
}
