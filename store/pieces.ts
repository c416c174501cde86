/**
 * Messages and large values of one scope, each a row that is written once. A checkpoint refers to them by key, a list of
 * messages by ranges of keys: what a turn adds does not depend on what was there before.
 *
 * Which message has a row already is known in memory: by object, and by message id. One that was edited in place since, or
 * replaced under the same id, differs from its print or its text and gets a row of its own; the old row stays for the
 * checkpoints that refer to it. What is in memory can be dropped at any time: it is read again.
 */
import { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { Database } from "better-sqlite3";
import type { PieceReader, PieceWriter } from "./checkpoint-codec.ts";
import { isUnchanged, type Print, printOf } from "./message-print.ts";
import { readMessage, readWithLibrary, writeMessage } from "./message-codec.ts";
import { baseOf, NUMBERS, VALUES_FROM } from "./piece-keys.ts";
import { type Ranges, toRanges } from "./ranges.ts";
import { StoreError } from "./store-error.ts";

/** A message as it stands in a row. */
interface Known {
  readonly key: number;
  readonly print: Print;
  /** In which writing it was last found unchanged: nobody can have edited it since, in the same one. */
  checkedIn: number;
  /** The same object stands in a newer row. */
  replaced: boolean;
}

/**
 * To look through a whole thread at every step would cost more than all the rest of the step. What a task returns is
 * looked at always, and so is a list when a turn begins or somebody updates the state; in between only the end of it,
 * where a turn's own messages are. So of what was edited in place only one thing is not kept: an older message that the
 * task did not return. A graph must not do that; savers that store what a step has changed do not keep it either.
 */
const LATEST = 64;

/** The rows of one scope, by their numbers. */
export interface PieceSql {
  add(key: number, body: string): void;
  get(key: number): string | undefined;
  /** Ascending. */
  range(first: number, last: number): readonly { readonly key: number; readonly body: string }[];
  lastKey(first: number, last: number): number | undefined;
}

export function createPieceSql(db: Database): (scope: number) => PieceSql {
  const add = db.prepare("insert into graph_pieces(key, body) values(?, ?)");
  const get = db.prepare<[number], string>("select body from graph_pieces where key = ?").pluck();
  const range = db.prepare<[number, number, number], { key: number; body: string }>(
    "select key - ? as key, body from graph_pieces where key between ? and ? order by graph_pieces.key",
  );
  const last = db
    .prepare<[number, number], number>(
      "select key from graph_pieces where key between ? and ? order by key desc limit 1",
    )
    .pluck();
  return (scope) => {
    const base = baseOf(scope);
    const inScope = (key: number | undefined) => (key === undefined ? undefined : key - base);
    return {
      add: (key, body) => void add.run(base + key, body),
      get: (key) => get.get(base + key),
      range: (first, to) => range.all(base, base + first, base + to),
      lastKey: (first, to) => inScope(last.get(base + first, base + to)),
    };
  };
}

/** One scope's pieces. Writes take place inside the transaction of the caller. */
export class Pieces implements PieceWriter, PieceReader {
  readonly #sql: PieceSql;
  #nextMessage: number;
  #nextValue: number;
  #byObject = new WeakMap<object, Known>();
  /** The newest row of each message id. */
  readonly #byId = new Map<string, number>();
  /** What was read or written, to be handed out again. */
  readonly #held = new Map<number, { readonly print: Print; readonly size: number }>();
  /** The list that was written last: the next one is mostly the same, and a little more. */
  #last: readonly Known[] = [];
  readonly #once = new Map<string, number>();
  #writing = 1;
  /** A state when a turn begins or somebody updates it, one between the steps of a turn, or what a task has written. */
  #what: "state" | "step" | "writes" = "state";
  /** Characters of what is held, about a third of the memory that it takes. */
  size = 0;

  constructor(sql: PieceSql) {
    this.#sql = sql;
    this.#nextMessage = (sql.lastKey(0, VALUES_FROM - 1) ?? -1) + 1;
    this.#nextValue = (sql.lastKey(VALUES_FROM, NUMBERS[1]) ?? VALUES_FROM - 1) + 1;
  }

  /** Nothing of what the rows hold is known yet: see `learn`. */
  get isEmpty(): boolean {
    return this.#byId.size === 0;
  }

  /** Makes the messages of these rows known by id, so that they are not written again. */
  learn(ranges: Ranges): void {
    for (const [first, last] of ranges)
      for (const { key, body } of this.#sql.range(first, last)) {
        const id = messageId(body);
        if (id !== undefined) this.#byId.set(id, key);
      }
  }

  /** What is written until the next call of this is written at one moment: a state, or what a task has written. */
  beginWriting(what: "state" | "step" | "writes"): this {
    this.#writing += 1;
    this.#what = what;
    return this;
  }

  writeMessage(message: BaseMessage): number | undefined {
    return this.#rowOf(message)?.key;
  }

  writeMessages(list: readonly unknown[], isWhole: boolean): Ranges | undefined {
    const rows: Known[] = [];
    const last = this.#last;
    // The list of a task that is sent on, whole, is the state's.
    const looksAtAll = this.#what === "state" || (this.#what === "writes" && isWhole);
    const from = looksAtAll ? 0 : list.length - LATEST;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      const same = last[index];
      if (same && same.print.message === item && !same.replaced && (index < from || this.#isSame(same))) {
        rows.push(same);
        continue;
      }
      const row = BaseMessage.isInstance(item) ? this.#rowOf(item) : undefined;
      if (!row) return undefined;
      rows.push(row);
    }
    // What a task has written is not what the thread has.
    if (this.#what !== "writes" || !isWhole) this.#last = rows;
    return toRanges(rows.map(({ key }) => key));
  }

  #isSame(known: Known): boolean {
    if (known.checkedIn === this.#writing) return true;
    known.checkedIn = isUnchanged(known.print) ? this.#writing : 0;
    return known.checkedIn !== 0;
  }

  #rowOf(message: BaseMessage): Known | undefined {
    // Another one stands in the state later: the graph gives it an id, or makes a message of a chunk.
    if (message.id === undefined || (this.#what === "writes" && AIMessageChunk.isInstance(message))) return undefined;
    const known = this.#byObject.get(message);
    if (known && this.#isSame(known)) return known;
    const text = writeMessage(message);
    const before = this.#byId.get(message.id);
    if (before !== undefined && this.#sql.get(before) === text) return this.#remember(before, message);
    const key = this.#nextMessage;
    this.#nextMessage += 1;
    this.#sql.add(key, text);
    return this.#hold(key, message, text);
  }

  writeValue(text: string): number {
    const key = this.#nextValue;
    this.#nextValue += 1;
    this.#sql.add(key, text);
    return key;
  }

  writeOnce(text: string): number {
    const known = this.#once.get(text);
    if (known !== undefined) return known;
    const key = this.writeValue(text);
    this.#once.set(text, key);
    return key;
  }

  messages(ranges: Ranges): BaseMessage[] | undefined {
    const found: BaseMessage[] = [];
    for (const [first, last] of ranges)
      for (let key = first; key <= last; key += 1) {
        const message = this.#heldMessage(key) ?? this.#readTo(key, last);
        if (!message) return undefined;
        found.push(message);
      }
    return found;
  }

  async messagesSlowly(ranges: Ranges): Promise<BaseMessage[]> {
    const keys = ranges.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    return Promise.all(
      keys.map(async (key) => {
        const [message] = this.messages([[key, key]]) ?? [];
        return message ?? this.#hold(key, await readWithLibrary(this.value(key)), this.value(key)).print.message;
      }),
    );
  }

  /** These rows are no longer there. */
  forget(from: number, to: number): void {
    for (const [id, key] of this.#byId) if (key >= from && key <= to) this.#byId.delete(id);
    for (const [text, key] of this.#once) if (key >= from && key <= to) this.#once.delete(text);
    for (const [key, { size }] of this.#held) {
      if (key < from || key > to) continue;
      this.#held.delete(key);
      this.size -= size;
    }
    // Other objects than the held ones may stand for a row, and a weak map cannot be looked through.
    this.#byObject = new WeakMap();
    for (const [key, { print }] of this.#held) {
      this.#byObject.set(print.message, { key, print, checkedIn: 0, replaced: false });
    }
    this.#last = [];
  }

  value(key: number): string {
    const body = this.#sql.get(key);
    if (body === undefined) throw new StoreError(`Expected the piece ${key} of a checkpoint, found none`);
    return body;
  }

  /** What was handed out before, unless whoever had it has changed it. */
  #heldMessage(key: number): BaseMessage | undefined {
    const held = this.#held.get(key);
    return held && isUnchanged(held.print) ? held.print.message : undefined;
  }

  /** Reads this row, and the rows up to `last` with it, since they are wanted next. */
  #readTo(key: number, last: number): BaseMessage | undefined {
    const rows = this.#sql.range(key, last);
    if (rows.length !== last - key + 1)
      throw new StoreError(`Expected ${last - key + 1} pieces of a checkpoint from ${key} on, found ${rows.length}`);
    for (const row of rows) {
      if (this.#heldMessage(row.key)) continue;
      const message = readMessage(row.body);
      if (message) this.#hold(row.key, message, row.body);
    }
    return this.#heldMessage(key);
  }

  #hold(key: number, message: BaseMessage, text: string): Known {
    const known = this.#remember(key, message);
    if (message.id !== undefined) this.#byId.set(message.id, key);
    if (!this.#held.has(key)) this.size += text.length;
    this.#held.set(key, { print: known.print, size: text.length });
    return known;
  }

  #remember(key: number, message: BaseMessage): Known {
    const known: Known = { key, print: printOf(message), checkedIn: this.#writing, replaced: false };
    const before = this.#byObject.get(message);
    if (before) before.replaced = true;
    this.#byObject.set(message, known);
    return known;
  }
}

function messageId(body: string): string | undefined {
  // Boundary: written by this file; a value that is no message has no such id.
  const { kwargs } = JSON.parse(body) as { kwargs?: { id?: unknown } };
  return typeof kwargs?.id === "string" ? kwargs.id : undefined;
}
