/**
 * What the gateway asks of the store. Each verb is one transaction: what must be true together is written together.
 * `MaybePromise`, so that a store over a network can stand beside the synchronous SQLite one.
 */
import type { Answer, Clarification, InputFile } from "../agent/contract.ts";
import type { Ledger, PersonId, RunId, ThreadId } from "../subagents/contract.ts";
import type {
  Acknowledgement,
  Inbound,
  InboundFile,
  InboundOf,
  MaybePromise,
  Part,
  Place,
  PostRef,
  ThreadKey,
  View,
} from "./contract.ts";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** One stored event; the id of the message that the agent sees. */
export type InboundId = Branded<"InboundId">;
export type QuestionId = Branded<"QuestionId">;
/** `request:<id>`, `reply:<run>`, `progress:<run>`, `question:<id>`, `notice:<id>`, `file:<id>`: unique over all threads. */
export type Slot = Branded<"Slot">;
export const slot = (type: View["type"], id: string): Slot => `${type}:${id}` as Slot;

// ── accepting an event ──────────────────────────────────────────────────────────────────────────────────────────────

/** What is known when an event is decided, read in the same transaction that carries the decision out. */
export interface Facts {
  readonly id: InboundId;
  readonly now: number;
  readonly person: { readonly id: PersonId; readonly name: string; readonly admin: boolean };
  /** Absent: nothing of ours is there yet. */
  readonly thread?: ThreadFacts;
  /** Open ones of this thread, oldest first. */
  readonly questions: readonly Question[];
  /** For what was said in no thread: the author's own in that place, the one at work before the others. */
  readonly own?: { readonly thread: ThreadFacts; readonly questions: readonly Question[] };
  /** What a pressed button or a sent form means; absent when we never made it. */
  readonly token?: TokenFacts;
  /** For `edited` and `deleted`: what became of that message. */
  readonly target?: { readonly id: InboundId; readonly state: InboundState; readonly person: PersonId };
  /** An unused button token, for a notice that this decision shows. */
  readonly freshToken: string;
  /** Sending it makes this person the first admin; absent as soon as there is one. */
  readonly adminCode?: string;
}
export interface ThreadFacts {
  readonly id: ThreadId;
  readonly startedBy: PersonId;
  readonly lastActivityAt: number;
  readonly run?: RunFacts;
  /** Messages that wait for a turn. */
  readonly queued: number;
  /** This person has addressed the bot here before. */
  readonly addressed: boolean;
}
export interface RunFacts {
  readonly id: RunId;
  readonly principal: PersonId;
  readonly state: "running" | "waiting" | "stopping";
  readonly startedAt: number;
}
export type InboundState = "queued" | "context" | "taken" | "done" | "dropped";

export type TokenMeaning =
  | { readonly type: "option"; readonly question: QuestionId; readonly optionId: string }
  | { readonly type: "form"; readonly question: QuestionId }
  | { readonly type: "stop"; readonly run: RunId }
  | { readonly type: "continue_thread"; readonly thread: ThreadId };
export type TokenFacts =
  | { readonly type: "option"; readonly optionId: string; readonly question: Question }
  | { readonly type: "form"; readonly question: Question }
  | { readonly type: "stop"; readonly run: RunId; readonly live: boolean; readonly principal: PersonId }
  | { readonly type: "continue_thread"; readonly thread: ThreadId; readonly startedBy: PersonId };

export interface Question {
  readonly id: QuestionId;
  readonly run: RunId;
  readonly thread: ThreadId;
  readonly request: Clarification;
  /** Who is asked: the run's principal. */
  readonly asked: { readonly id: PersonId; readonly name: string };
  readonly state: "open" | "answered" | "given_up";
  /** Our button tokens: option id → token, and `form` → token. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly post?: PostRef;
}

/** Carried out in order, in the transaction of `accept`. */
export type Effect =
  /** Kept, and nothing else follows from it. */
  | { readonly type: "record" }
  /** The message waits for a turn of this thread. */
  | { readonly type: "queue" }
  /** Others' words: known to the next turn, starting none. */
  | { readonly type: "context" }
  | {
      readonly type: "rewrite";
      readonly target: InboundId;
      readonly text: string;
      readonly files: readonly InboundFile[];
    }
  | { readonly type: "drop"; readonly target: InboundId }
  /**
   * From here on the place has another thread; later effects of the same decision are about that one. Messages that
   * wait for a turn move along, and so do those of a run that was just stopped to continue an older thread.
   */
  | { readonly type: "open_thread" }
  | { readonly type: "continue_thread"; readonly thread: ThreadId }
  | { readonly type: "answer"; readonly question: QuestionId; readonly answer: Answer; readonly view: View }
  | { readonly type: "give_up"; readonly question: QuestionId; readonly view: View }
  | { readonly type: "stop"; readonly run: RunId }
  | {
      readonly type: "show";
      readonly slot: Slot;
      readonly view: View;
      readonly tokens?: Readonly<Record<string, TokenMeaning>>;
    }
  | { readonly type: "make_admin" }
  /** The author is forgotten: from now on a stranger; their runs are stopped, and the rest follows in steps. */
  | { readonly type: "forget" };

/** Pure. No effects: nothing is stored, the event was not for us or was refused. */
export interface Decision {
  /** One sentence: which rule decided. */
  readonly rule: string;
  readonly effects: readonly Effect[];
  /** The author spoke to the bot, and not only where it can hear it. */
  readonly addressed?: boolean;
  /** What the effects are about; absent: the event's own thread. */
  readonly thread?: ThreadId;
  readonly reply?: Acknowledgement;
  /** Who wrote it may not enter: said seldom, not at every event. */
  readonly refused?: true;
}
export type Decide = (event: Inbound, facts: Facts) => Decision;

export interface Accepted {
  readonly accepted: boolean;
  readonly rule: string;
  readonly reply?: Acknowledgement;
  readonly refused?: true;
  /** Threads with something new to run or to show. */
  readonly wake: readonly ThreadId[];
  /** Runs to abort now. */
  readonly stop: readonly RunId[];
}

// ── running a thread ────────────────────────────────────────────────────────────────────────────────────────────────

export interface Thread {
  readonly id: ThreadId;
  readonly key: ThreadKey;
  readonly platform: string;
  readonly account: string;
  readonly place: Place;
}

/** The one thing to do next in a thread. While it is not finished or suspended, nothing else of that thread is claimed. */
export type Claim = {
  readonly run: RunId;
  readonly thread: Thread;
  readonly principal: { readonly id: PersonId; readonly name: string };
  readonly startedAt: number;
} & (
  | {
      readonly type: "messages";
      readonly attempt: number;
      /** The first run of its thread. */
      readonly first: boolean;
      readonly messages: readonly StoredMessage[];
    }
  | { readonly type: "answers"; readonly attempt: number; readonly byInterrupt: Readonly<Record<string, Answer>> }
  /** It was stopped while nobody ran it: only its end is to be shown. */
  | { readonly type: "stopped" }
);
export interface StoredMessage {
  readonly id: InboundId;
  readonly type: "request" | "context";
  readonly author: string;
  readonly message: InboundOf<"message">;
  /** Present once its files lie in the thread's folder. */
  readonly files?: readonly InputFile[];
}

export interface NewQuestion {
  readonly id: QuestionId;
  readonly request: Clarification;
  readonly tokens: Readonly<Record<string, string>>;
  readonly view: View;
}

/** How the thread shows that nobody has answered: each of the questions, closed, and a notice. */
export interface Expired {
  readonly closed: readonly { readonly question: QuestionId; readonly view: View }[];
  readonly notice: View;
}
export interface Stopped {
  readonly run: RunId;
  readonly thread: ThreadId;
}

export type RunOutcome = "done" | "cancelled" | "failed";

// ── sending ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a slot shall show. `final`: it will not change any more. */
export interface SlotWrite {
  readonly slot: Slot;
  readonly view: View;
  readonly final: boolean;
  /** Only where the slot was posted before: the end of a card that nobody has seen is not worth a message. */
  readonly ifPosted?: boolean;
}
/** A slot whose wanted state has not been confirmed by the platform. */
export interface OpenSlot extends SlotWrite {
  /** Rises with every new view; `settle` names the one that was shown. */
  readonly version: number;
  /** Decided once, when a final view was first rendered. */
  readonly parts?: readonly Part[];
}
/** The receipt of one part: `intended` before the call, `sent` after it. */
export interface Receipt {
  readonly index: number;
  /** Rises only after a confirmed removal. */
  readonly generation: number;
  readonly state: "intended" | "sent" | "removed" | "given_up";
  readonly post?: PostRef;
  /** What the platform was last known to show. */
  readonly part?: Part;
  /** When this generation was first intended, epoch ms. */
  readonly at: number;
}

export interface GatewayStore extends Pick<Ledger, "tasks" | "runUsage"> {
  accept(event: Inbound, decide: Decide): MaybePromise<Accepted>;
  /**
   * Waited for before the outside is told what follows from what was written: an acknowledgement, a call of a platform.
   * Resolves when all that was written so far survives a power failure; rejects when it was undone.
   */
  safe(): MaybePromise<void>;

  /** Threads with a run to go on with or messages that wait. */
  busyThreads(): MaybePromise<readonly ThreadId[]>;
  claim(thread: ThreadId): MaybePromise<Claim | undefined>;
  /** Stores the question and its slot. Idempotent: one that this run has asked before keeps its id and tokens. */
  ask(run: RunId, question: NewQuestion): MaybePromise<void>;
  /**
   * Gives up what nobody has answered, and stops the run: of each run that waits for nothing but questions which were all
   * shown before this time, epoch ms. A question that was not shown yet is not waited for.
   */
  expire(shownBefore: number, asSeen: (questions: readonly Question[]) => Expired): MaybePromise<readonly Stopped[]>;
  /** Those of this run that nobody has answered. */
  openQuestions(run: RunId): MaybePromise<readonly Question[]>;
  /** The run waits for answers; its card says so from now on, also after a restart. */
  suspend(run: RunId, card: SlotWrite): MaybePromise<void>;
  /**
   * Ends the run, its open tasks and questions, and stores what the thread shall show, together. `stopped`: somebody
   * stopped it meanwhile and nothing was done; only `cancelled` ends it now.
   */
  finish(run: RunId, outcome: RunOutcome, slots: readonly SlotWrite[]): MaybePromise<"ended" | "stopped">;
  /** We stop on purpose while these run: the next start's attempt is not one more. */
  letGo(runs: readonly RunId[]): MaybePromise<void>;
  filesStored(message: InboundId, files: readonly InputFile[]): MaybePromise<void>;
  /** A button's meaning, made before it is shown. Idempotent: the same meaning keeps its token. */
  mint(thread: ThreadId, token: string, meaning: TokenMeaning): MaybePromise<string>;

  thread(thread: ThreadId): MaybePromise<Thread | undefined>;
  show(thread: ThreadId, slots: readonly SlotWrite[]): MaybePromise<void>;
  unsettledThreads(): MaybePromise<readonly ThreadId[]>;
  /** In the order in which they were stored. */
  unsettled(thread: ThreadId): MaybePromise<readonly OpenSlot[]>;
  receipts(slot: Slot): MaybePromise<readonly Receipt[]>;
  /** Some slot has a receipt for this post. */
  hasReceipt(post: PostRef): MaybePromise<boolean>;
  /**
   * Keeps the parts of a final view, so that they are the same after a restart or an upgrade; `beside`: what its thread shall
   * show from then on too.
   */
  decideParts(slot: Slot, parts: readonly Part[], beside?: { thread: ThreadId; write: SlotWrite }): MaybePromise<void>;
  /** The parts of a final view are to be decided once more, and shown. */
  decideAgain(slot: Slot): MaybePromise<void>;
  /** `key`: the thread's from now on, where this post opened or moved it. */
  record(thread: ThreadId, slot: Slot, receipt: Omit<Receipt, "at">, key?: ThreadKey): MaybePromise<void>;
  settle(slot: Slot, version: number): MaybePromise<void>;
  /** The platform said "wait" to this bot, place or thread, by its key; until: epoch ms. */
  hold(key: string, until: number): MaybePromise<void>;
  /** Of these the longest; 0 where there is none. */
  heldUntil(...keys: readonly string[]): MaybePromise<number>;
}

// ── what operators see ──────────────────────────────────────────────────────────────────────────────────────────────

/** What the store says of itself for `/metrics`, in about a millisecond however much it holds. Totals never fall. */
export interface Figures {
  readonly queuedMessages: number;
  /** Threads with a run under way or messages that wait. */
  readonly busyThreads: number;
  readonly runs: readonly { readonly state: RunFacts["state"]; readonly count: number }[];
  readonly runTotals: readonly { readonly state: "started" | RunOutcome; readonly count: number }[];
  /** Of live runs, those that have not ended. */
  readonly tasks: readonly TaskCount[];
  /** `state`: `started` or a terminal one. */
  readonly taskTotals: readonly TaskCount[];
  /** Tokens; `cached` is part of `input`, `reasoning` of `output`. */
  readonly usage: readonly {
    readonly model: string;
    readonly caller: string;
    readonly calls: number;
    readonly input: number;
    readonly output: number;
    readonly cached: number;
    readonly reasoning: number;
  }[];
  readonly bytes: { readonly database: number; readonly wal: number; readonly free: number };
  /** As last counted through; a table that is being counted for the first time is absent. */
  readonly checkpoints: readonly { readonly table: string; readonly rows: number; readonly bytes: number }[];
}
interface TaskCount {
  readonly subagent: string;
  readonly state: string;
  readonly count: number;
}

// ── upkeep ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `more`: there is more to do at once; `waiting`: for something that takes a second or so; `idle`: nothing to do. */
export type Progress = "more" | "waiting" | "idle";
/** Does a little, a few milliseconds at most; can be broken off between any two calls. */
export type Chore = () => MaybePromise<Progress>;
