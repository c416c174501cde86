/** The whole store on one SQLite connection: short synchronous transactions, each a verb of the gateway's port. */
import { randomBytes } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { GatewayStore, TokenMeaning } from "../gateway/store-contract.ts";
import type { Ledger, ThreadId } from "../subagents/contract.ts";
import { safe, soon } from "./commit.ts";
import { createExpire } from "./expiry.ts";
import { createInbox } from "./inbox.ts";
import { keepReceipts } from "./kept-receipts.ts";
import { createLedger } from "./ledger.ts";
import { createOutboxStore } from "./outbox-store.ts";
import { createQuestionStore } from "./question-store.ts";
import { createRunStore } from "./run-store.ts";
import { createTranscript, type StoredTranscript } from "./transcript.ts";

export interface Store extends GatewayStore {
  readonly ledger: Ledger;
  readonly transcript: StoredTranscript;
  /** 32 random bytes as hex, made once for each name. */
  secret(name: string): string;
  /** The code that makes its sender the first admin; undefined once there is an admin. */
  adminCode(): string | undefined;
}

/** `db` comes from `openDatabase`. */
export function createStore(db: Database, now: () => number): Store {
  const outbox = createOutboxStore(db, now);
  const questions = createQuestionStore(db, outbox);
  const ledger = createLedger(db);
  const keep = db.prepare("insert into meta(key, value) values(?, ?) on conflict do nothing");
  const meta = db.prepare<[string], string>("select value from meta where key = ?").pluck();
  const hasAdmin = db.prepare("select 1 from persons where admin = 1 limit 1");

  /** Keeps the first value that was ever made. */
  const once = (key: string, make: () => string): string => {
    const known = meta.get(key);
    if (known !== undefined) return known;
    const made = make();
    keep.run(key, made);
    return made;
  };

  return {
    ...outbox,
    ...keepReceipts(db, outbox),
    ...createRunStore(db, outbox, questions, now),
    accept: createInbox(db, outbox, questions, now),
    expire: createExpire(db, outbox, questions),
    mint: soon(db, (thread: ThreadId, token: string, meaning: TokenMeaning) =>
      questions.addToken(thread, token, meaning),
    ),
    safe: () => safe(db),
    tasks: (run) => ledger.tasks(run),
    runUsage: (run) => ledger.runUsage(run),
    ledger,
    transcript: createTranscript(db),
    secret: (name) => once(`secret:${name}`, () => randomBytes(32).toString("hex")),
    adminCode: () => (hasAdmin.get() ? undefined : once("admin_code", () => randomBytes(6).toString("base64url"))),
  };
}
