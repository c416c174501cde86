/**
 * A platform as a scenario sees it: people who write and press, and what the bot shows them. The scenarios know nothing
 * else, so that one file of them serves every platform.
 */

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
  /** The next post of an answer in this room is refused once: wait so many seconds; `skip` posts pass before. */
  rateLimit(room: Room, seconds: number, skip: number): void;
  /** From now on the platform refuses the bot's token, and ends what is connected with it. */
  revoke(): void;
  /** Requests that the platform would have refused or mended; must stay empty. */
  violations(): readonly string[];
  close(): Promise<void>;
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
  /** Resolves with what the presser was told privately, empty when nothing. */
  press(person: Person, label: string): Promise<string>;
}
