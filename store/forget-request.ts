/**
 * The beginning of forgetting a person: what must be true at once, in one transaction. The rest is done in steps, by
 * `forget.ts`.
 *
 * From here on the account is a stranger's: what comes from it next is a new person's, in a new thread.
 */
import type { Database } from "better-sqlite3";
import { type PersonId, personId, type RunId, runId, type ThreadId, threadId } from "../subagents/contract.ts";
import { fromJson } from "./database.ts";

/** What is known of a person who is being forgotten; gone at the end. */
export interface Request {
  readonly person: PersonId;
  /** Epoch ms. */
  readonly at: number;
  /** As the person was called last. */
  readonly name: string;
  /** Where runs of theirs were stopped. */
  readonly threads: readonly ThreadId[];
}
export interface StoppedRun {
  readonly run: RunId;
  readonly thread: ThreadId;
}
export interface ForgetRequests {
  /** For use inside other work. Returns the runs that are to be aborted. Begun before: nothing new happens. */
  begin(person: PersonId): readonly StoppedRun[];
  /** The oldest one that is not done. */
  next(): Request | undefined;
  end(person: PersonId): void;
}

const KEY = "forgetting:";

export function createForgetRequests(db: Database, now: () => number): ForgetRequests {
  const add = db.prepare("insert into meta(key, value) values(?, ?) on conflict do nothing");
  const first = db
    .prepare<[], string>(
      `select value from meta where key >= '${KEY}' and key < 'forgetting;' order by value ->> '$.at' limit 1`,
    )
    .pluck();
  const remove = db.prepare("delete from meta where key = ?");
  const nameOf = db.prepare<[string], string>("select name from persons where id = ?").pluck();
  const live = db.prepare<[string], { id: string; thread: string }>(
    "select id, thread from runs where state in ('running', 'waiting', 'stopping') and person = ?",
  );
  const stop = db.prepare("update runs set state = 'stopping' where id = ? and state in ('running', 'waiting')");
  const unqueue = db.prepare("update inbox set state = 'dropped' where state = 'queued' and person = ?");
  const removeAccounts = db.prepare("delete from accounts where person = ?");
  const unname = db.prepare("update persons set name = '', admin = 0 where id = ?");
  // What only they can read is found by its place no more, and stays while their runs end there.
  const leave = db.prepare("update threads set selected = 0 where person = ? and place ->> '$.type' = 'direct'");

  return {
    begin(person) {
      const runs = live.all(person).map(({ id, thread }) => ({ run: runId(id), thread: threadId(thread) }));
      const threads = [...new Set(runs.map(({ thread }) => thread))];
      const request: Request = { person, at: now(), name: nameOf.get(person) ?? "", threads };
      add.run(KEY + person, JSON.stringify(request));
      for (const { run } of runs) stop.run(run);
      unqueue.run(person);
      removeAccounts.run(person);
      unname.run(person);
      leave.run(person);
      return runs;
    },
    next() {
      const text = first.get();
      return text === undefined ? undefined : fromJson<Request>(text);
    },
    end: (person) => void remove.run(KEY + person),
  };
}

/** Whom an operator means: an id of ours, or `platform:account`. */
export function findPerson(db: Database, text: string): PersonId | undefined {
  const known = db.prepare<[string], string>("select id from persons where id = ?").pluck().get(text);
  if (known !== undefined) return personId(known);
  const [, platform = "", account = ""] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
  const found = db
    .prepare<[string, string], string>("select person from accounts where platform = ? and id = ?")
    .pluck()
    .get(platform, account);
  return found === undefined ? undefined : personId(found);
}

/** People who are called like this, as `Ana (telegram:12345)`; the first few of all when nobody is. */
export function likelyPersons(db: Database, text: string): readonly string[] {
  const select = `select name || ' (' || platform || ':' || accounts.id || ')' from accounts
    join persons on persons.id = person`;
  const named = db.prepare<[string], string>(`${select} where instr(lower(name), lower(?)) > 0 limit 10`).pluck();
  const all = db.prepare<[], string>(`${select} order by created_at desc limit 10`).pluck();
  const found = named.all(text);
  return found.length > 0 ? found : all.all();
}
