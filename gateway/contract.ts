/**
 * What an adapter and the gateway say to each other. Owned by the gateway; the only file of it that an adapter sees.
 *
 * Direction: an adapter calls `Deliver` with what came in; the gateway calls the adapter's methods with what shall be
 * shown. Nothing else crosses. Everything here is plain data that survives JSON, so that it can wait in SQLite.
 */
import type { Logger } from "pino";
import type { z } from "zod";
import type { FileView, Form, View } from "./view.ts";

/** What a thread should show: a part of this contract in a file of its own. */
export type * from "./view.ts";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Where a thread can be: made by the adapter, opaque to the gateway. `telegram:700:-100:m12`. */
export type ThreadKey = Branded<"ThreadKey">;
/** The chat, channel or group around a thread. Made by the adapter. */
export type PlaceKey = Branded<"PlaceKey">;
/** One message of a platform: made by the adapter, opaque to the gateway. */
export type PostRef = Branded<"PostRef">;

export const threadKey = (text: string): ThreadKey => text as ThreadKey;
export const placeKey = (text: string): PlaceKey => text as PlaceKey;
export const postRef = (text: string): PostRef => text as PostRef;

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type MaybePromise<T> = T | Promise<T>;

// ── in ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Author {
  /** The platform's stable id of the account. */
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
  /** Belongs to the organisation that runs the bot and is no guest of it; absent where a platform has no such thing. */
  readonly member?: boolean;
}

export interface Place {
  readonly key: PlaceKey;
  /** `direct`: only the author and the bot read it. `shared`: others can. */
  readonly type: "direct" | "shared";
  /** All its messages are one thread (a plain DM); after a long pause a fresh one begins. */
  readonly single?: boolean;
  /** The id an operator would write into `access.places`. */
  readonly id: string;
  readonly name?: string;
}

/** A file that came with a message. Its bytes are fetched later by `Adapter.download`, never while accepting. */
export interface InboundFile {
  /** The adapter's own handle for `download`. */
  readonly id: string;
  /** As the sender named it: a label, never a path. */
  readonly name: string;
  readonly mime?: string;
  readonly sizeBytes?: number;
}

interface Base {
  readonly platform: string;
  /** The bot's own account there: ids of chats and messages are only unique within it. */
  readonly account: string;
  /** The same for every delivery of the same happening, also across restarts and twin events. */
  readonly eventId: string;
  readonly place: Place;
  readonly thread: ThreadKey;
  readonly author: Author;
  /** Epoch ms, by the platform's clock. */
  readonly sentAt: number;
}

export type Inbound = Base &
  (
    | {
        readonly type: "message";
        readonly post: PostRef;
        readonly text: string;
        readonly mentionsBot: boolean;
        /** It begins by addressing somebody else. */
        readonly addressesOther?: boolean;
        /** It stands in no thread yet: the one that `thread` names would begin with it. */
        readonly topLevel?: boolean;
        /** The bot may not write where this was asked; one sentence that says what to do. Only for an unseen one. */
        readonly cannotPost?: string;
        /** The platform shows it to nobody, since it came as a command: the thread shows it first. */
        readonly unseen?: boolean;
        readonly files: readonly InboundFile[];
        readonly replyTo?: { readonly post: PostRef; readonly text?: string; readonly byBot: boolean };
      }
    | {
        readonly type: "edited";
        readonly target: PostRef;
        readonly text: string;
        readonly files: readonly InboundFile[];
      }
    /** By whom is mostly not known. */
    | { readonly type: "deleted"; readonly target: PostRef }
    /** A button, or an option of a menu. The token is ours, at most 16 characters; what it means is in the store. */
    | { readonly type: "press"; readonly token: string; readonly post?: PostRef }
    | { readonly type: "form"; readonly token: string; readonly values: FormValues }
    | {
        readonly type: "command";
        readonly name: string;
        readonly args: string;
        readonly post?: PostRef;
        /** Its answer is for the caller alone: it was called in the place itself and in no thread, or asked for nothing. */
        readonly topLevel?: boolean;
      }
    /** The bot was added, removed, opened or moved: a server, a group, a DM. */
    | { readonly type: "place"; readonly change: "added" | "removed" | "opened" }
  );
export type InboundOf<Type extends Inbound["type"]> = Extract<Inbound, { type: Type }>;
export type FormValues = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * The commands that a platform offers by itself: in a menu, as slash commands. All are also understood when typed.
 * `ask` is no command but a request: an adapter delivers it as an unseen message.
 */
export const COMMANDS = [
  { name: "new", description: "Start a fresh thread" },
  { name: "stop", description: "Stop what is running" },
  { name: "status", description: "What is going on here, and which model answers" },
  { name: "forget", description: "Remove everything I hold about you; says how" },
  { name: "help", description: "What I can do" },
] as const;
export type CommandName = (typeof COMMANDS)[number]["name"];

/** What the adapter tells one person at once, as part of the platform's own acknowledgement; nobody else sees it. */
export type Acknowledgement =
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "form"; readonly form: Form }
  | { readonly type: "invalid"; readonly errors: Readonly<Record<string, string>> };

export interface Delivered {
  /** False: it was refused or is not for us. True also for a repeat of what is already stored. */
  readonly accepted: boolean;
  readonly reply?: Acknowledgement;
}
/**
 * Resolves once the event is safely stored (milliseconds), never waits for a run. Then the adapter acknowledges to the
 * platform, once. Rejects only when the store refuses: then the adapter does not acknowledge, so that the platform
 * delivers again.
 */
export type Deliver = (event: Inbound) => Promise<Delivered>;

// ── out ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One message of a platform, within its limits, as JSON that the adapter made and only the adapter reads. */
export type Part = { readonly [key: string]: Json | undefined };

/** Why the platform refused, with what is needed to act. The message is redacted where it is made. */
export class AdapterError extends Error {
  override readonly name = "AdapterError";
  readonly code: AdapterErrorCode;
  readonly retryAfterMs: number | undefined;
  /** This "wait" is for the whole bot, and not only for what `Limits.waits` names. */
  readonly everywhere: boolean;
  constructor(
    code: AdapterErrorCode,
    message: string,
    options: { retryAfterMs?: number | undefined; everywhere?: boolean | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.everywhere = options.everywhere ?? false;
  }
}
export type AdapterErrorCode =
  | "rate_limited" // wait `retryAfterMs`, then the same call again
  | "auth" // the token is wrong or revoked: nothing works until an operator acts
  | "forbidden" // not in this place: blocked, kicked, archived
  | "not_found" // the message to edit or to remove is gone
  | "not_modified" // the edit changes nothing: a success
  | "too_long" // the platform counts otherwise than we do
  | "invalid" // refused for its content: repeating does not help
  | "unavailable" // certainly not accepted: repeat
  | "unknown_outcome"; // it may have been accepted

/** The kinds of calls that platforms limit apart. A file is a post. */
export const METHODS = ["post", "edit", "remove", "find", "presence", "draft"] as const;
export type Method = (typeof METHODS)[number];
/** What calls are counted together for: all that the bot does there, one chat, or one thread in it. */
export type Scope = "account" | "place" | "thread";
/** At most so many calls of these methods in any `perMs`, in each place (thread …) by itself. */
export interface Rate {
  readonly scope: Scope;
  /** Only in places of this type; absent: in all. */
  readonly places?: Place["type"];
  readonly methods: readonly Method[];
  readonly calls: number;
  readonly perMs: number;
}
/** A "wait" (429) that answers one of these methods holds all of them, there and nowhere else. */
export interface Wait {
  readonly scope: Scope;
  readonly methods: readonly Method[];
}

/** What differs between platforms is a number here, not a method. */
export interface Limits {
  /**
   * The platform's documented pace. What can wait (cards, signs of life) keeps to it and gives way; answers, questions and
   * notices are counted and never wait, so that a little room is to be left for them.
   */
  readonly rates: readonly Rate[];
  /** Each method is in one of them. */
  readonly waits: readonly Wait[];
  /** An answer of more parts comes as its first one and a file. */
  readonly answerParts: number;
  /** A typing sign lasts this long, ms. */
  readonly presenceMs: number;
  /** A draft, which only direct places have, is shown this long, ms. 0: the platform has none. */
  readonly draftMs: number;
  /** Nothing larger is given to `upload` or asked of `download`; the gateway counts. */
  readonly uploadBytes: number;
  readonly downloadBytes: number;
}

export interface Identity {
  readonly account: string;
  readonly name: string;
  /** Where a person can open or invite the bot; printed at start. */
  readonly link?: string;
  /** Opening this with the first admin's code behind it sends the code. */
  readonly codeLink?: string;
}

/** What a platform took. */
export interface Sent {
  readonly post: PostRef;
  /** The thread's key from now on, where it has another: this post opened it, or the platform moved it. */
  readonly thread?: ThreadKey;
}

export interface Health {
  /** Events can flow in and out right now. */
  readonly connected: boolean;
  /** When the platform last gave an event, epoch ms. */
  readonly lastEventAt?: number;
  readonly lastError?: string;
}

/** The growing reply, shown where the reply will stand; it is no message, and fades by itself. */
export interface Draft {
  /** From 1 to 2^31 - 1; the same for one reply. */
  readonly id: number;
  readonly markdown: string;
}

/** Sends may be asked for before `start` has resolved: what an earlier process left is taken up at once. */
export interface Adapter {
  readonly platform: string;
  readonly limits: Limits;
  /** Resolves when the account is known. Goes on connecting by itself; throws `AdapterError` when that is hopeless. */
  start(deliver: Deliver, http: HttpMount): Promise<Identity>;
  /** Pure: the same view gives the same parts, each within the platform's limits, at least one. */
  render(view: View): readonly Part[];
  /**
   * Pure: the same words without marks, and without buttons where those may be what was refused; within the limits too.
   * Tried once when the platform refuses a part for its content. The part itself: there is nothing to take away.
   */
  plain(part: Part): Part;
  /** Posts one message. The nonce is the same when the same post is tried again. Throws `AdapterError`. */
  send(thread: ThreadKey, part: Part, nonce: string): Promise<Sent>;
  edit(thread: ThreadKey, post: PostRef, part: Part): Promise<void>;
  remove(thread: ThreadKey, post: PostRef): Promise<void>;
  upload(thread: ThreadKey, file: FileView, nonce: string): Promise<Sent>;
  /**
   * Looks for what an earlier `send` or `upload` with this nonce, not before `since` (epoch ms), may have posted.
   * `known`: what has a receipt already, and so is another one's of the same words.
   * `unknowable`: the platform gives no way to know; the outbox then decides by what it is.
   */
  find(
    thread: ThreadKey,
    part: Part,
    nonce: string,
    since: number,
    known: (post: PostRef) => MaybePromise<boolean>,
  ): Promise<Sent | "absent" | "unknowable">;
  /**
   * Typing or status, for one `limits.presenceMs`; in its place the draft, where one is given, for one `limits.draftMs`.
   * May do nothing. Throws a `rate_limited`, and for nothing else but a draft.
   */
  presence(thread: ThreadKey, on: boolean, draft?: Draft): Promise<void>;
  /** The bytes of a file that came in. Throws `AdapterError`. */
  download(file: InboundFile): Promise<AsyncIterable<Uint8Array>>;
  /** What was said in this thread before `before`, oldest first. */
  history(thread: ThreadKey, before: PostRef, limit: number): Promise<readonly Earlier[] | "unavailable">;
  health(): Health;
  /** Stops intake; sends that are under way may finish. */
  stop(): Promise<void>;
}

export interface Earlier {
  readonly author: string;
  readonly text: string;
  readonly byBot: boolean;
}

/** Routes on the program's own HTTP server. The handler is fetch-style; the path arrives unchanged. */
export interface HttpMount {
  /** `http://127.0.0.1:8787`, known once the server listens. */
  readonly origin: string;
  mount(prefix: string, handler: (request: Request) => MaybePromise<Response>): void;
}

// ── how an adapter is registered ────────────────────────────────────────────────────────────────────────────────────

export interface AdapterDeps {
  readonly log: Logger;
  readonly clock: Clock;
  /** A folder of this adapter's own; exists, 0700. */
  readonly folder: string;
  /** 32 bytes, hex, kept over restarts, this adapter's own. */
  readonly secret: string;
  /** What is stored of this adapter's threads, for a platform that is drawn by us. */
  readonly transcript: Transcript;
  /** How long an answer of the platform is waited for, ms, in place of what the adapter finds right. */
  readonly requestMs?: number;
}

/** One line in `gateway/main.ts` registers it; nothing else knows that it exists. */
export interface AdapterKind<Config = unknown> {
  readonly platform: string;
  /** The keys under `platforms.<platform>`, strict, without those every platform has. */
  readonly config: z.ZodType<Config>;
  /** `enabled: auto` turns it on when this returns true. */
  readonly configured: (config: Config) => boolean;
  /** What a typed command begins with here; a platform may keep the usual `/` for itself. */
  readonly commandSign: "/" | "!";
  /** `owner`: whoever reaches the bot is its owner (the local page), and is not asked for access. */
  readonly access: "owner" | AccessKind;
  /** Asked only when the platform is on: a heavy client library is imported here and not at the start of every program. */
  readonly create: (config: Config, deps: AdapterDeps) => MaybePromise<Adapter>;
  /** For `doctor`: asks the platform who we are and what is missing, without taking events away. */
  readonly check: (config: Config) => Promise<readonly Finding[]>;
}
export interface AccessKind {
  /** Who may enter unless the configuration says otherwise; `workspace` only where authors are marked as members. */
  readonly mode: "approved" | "workspace";
  readonly place: IdShape;
  readonly user: IdShape;
}
/** What an id under `access` looks like, so that a name in its place is told. */
export interface IdShape {
  readonly pattern: RegExp;
  readonly example: string;
}
/** A kind as the gateway holds it: only the kind itself knows the shape of its settings. */
export type AnyAdapterKind = Omit<AdapterKind<never>, "config"> & { readonly config: z.ZodType };

export interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

/** What the store knows of a platform's threads, for an adapter that has no server to keep its messages. */
export interface Transcript {
  threads(platform: string): MaybePromise<readonly ThreadSummary[]>;
  entries(platform: string, thread: ThreadKey): MaybePromise<readonly Entry[]>;
  /** `listener` hears of each thread here that was deleted: forgotten with a person, or by retention. */
  onDeleted(platform: string, listener: (thread: ThreadKey) => void): void;
}
export interface ThreadSummary {
  readonly thread: ThreadKey;
  readonly title: string;
  readonly updatedAt: number;
  readonly state: "idle" | "working" | "waiting";
}
export type Entry = { readonly at: number } & (
  | {
      readonly type: "inbound";
      readonly post: PostRef;
      readonly author: string;
      readonly text: string;
      readonly files: readonly InboundFile[];
    }
  | { readonly type: "post"; readonly post: PostRef | null; readonly nonce: string; readonly part: Part }
);

/** Injected, so that pace can be tested without waiting. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Calls back once after `ms`; returns what cancels it. */
  after(ms: number, callback: () => void): () => void;
}
