/**
 * A platform as a scenario sees it: people who write and press, and what the bot shows them. The scenarios know nothing
 * else, so that one file of them serves every platform.
 */
import type { Fault } from "../wire/faults.ts";

/** What a platform does with the next requests that post or that edit. */
export type Mishap = Omit<Fault, "method" | "place">;

export interface Stage {
  readonly platform: string;
  /** What stands under `platforms.<platform>` in the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Its own posts can be looked for after an unknown outcome. */
  readonly searchable: boolean;
  person(name: string): Person;
  /** A chat of these people and the bot. */
  room(...people: readonly Person[]): Room;
  /** The last event again, as after a lost acknowledgement. */
  redeliver(): void;
  /** Strikes what the bot does in this room, which is one person's alone; absent: anywhere. */
  fail(what: "post" | "edit", mishap: Mishap, room?: Room): void;
  /** All that the bot posted and edited, or tried to, in order of arrival. */
  written(): readonly Written[];
  /** What brings events is cut or told to go, as happens some times a day. */
  disturb(): void;
  /** From now on the platform refuses the bot's token, and ends what is connected with it. */
  revoke(): void;
  /** Requests that the platform would have refused or mended; must stay empty. */
  violations(): readonly string[];
  close(): Promise<void>;
}
/** A request that posts or edits. */
export interface Written {
  readonly type: "post" | "edit";
  /** The chat or channel. */
  readonly place: string;
  readonly at: number;
  /** `unknown`: under way, its answer was lost, or a proxy answered instead. */
  readonly outcome: "accepted" | "refused" | "unknown";
}
export interface Person {
  readonly name: string;
  /** The platform's id. */
  readonly id: string;
  /** Alone with the bot. */
  readonly direct: Room;
}
export interface Room {
  /** Writes to the bot: mentioned or replied to where that is needed. */
  say(person: Person, text: string): void;
  /** The same with a file. */
  sendFile(person: Person, name: string, content: string, text: string): void;
  /** What the bot shows there now, oldest first; removed posts are gone. */
  posts(): readonly Shown[];
  /** What `Written` calls it. */
  readonly place: string;
}
export interface Shown {
  readonly text: string;
  /** A file that the bot handed over, and what is in it. */
  readonly file?: { readonly name: string; readonly content: string };
  readonly buttons: readonly string[];
  /** It rang nobody. */
  readonly silent: boolean;
  /** Earlier texts. */
  readonly before: readonly string[];
  readonly at: number;
  /** What it hangs on within its place: a thread, a topic, the chat itself. */
  readonly thread: string;
  /** Resolves with what the presser was told privately, empty when nothing. */
  press(person: Person, label: string): Promise<string>;
  /** Somebody with the right to do so deletes it. */
  erase(): void;
}
