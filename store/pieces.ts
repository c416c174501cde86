/**
 * Messages and large values of one scope, each a row that is written once. A checkpoint refers to them by key, a list of
 * messages by ranges of keys: what a turn adds does not depend on what was there before.
 *
 * Which message has a row already is known in memory, by message id. One that was edited in place since, or replaced under the
 * same id, differs from its print or its text and gets a row of its own; the old row stays for the checkpoints that refer
 * to it. What is in memory can be dropped at any time: it is read again.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { Database } from "better-sqlite3";
import type { PieceReader, PieceWriter } from "./checkpoint-codec.ts";
import { isUnchanged, type Print, printOf } from "./message-print.ts";
import { readMessage, readWithLibrary, writeMessage } from "./message-codec.ts";
import { baseOf, NUMBERS, VALUES_FROM } from "./piece-keys.ts";
import { isSameList, type Ranges, toRanges } from "./ranges.ts";
import { StoreError } from "./store-error.ts";

/** A list of messages as it was written last: the next one, and what is read next, is mostly the same and a little more. */
interface Last {
  readonly messages: readonly BaseMessage[];
  readonly rows: readonly Row[];
  readonly ranges: Ranges;
}
const NO_LIST: Last = { messages: [], rows: [], ranges: [] };

/** A message as it stands in a row. */
interface Row {
  readonly key: number;
  /** Characters. */
  readonly size: number;
  /** Undefined: only its id was looked at. */
  readonly print: Print | undefined;
}

/**
 * To look through a whole thread at every step would cost more than all the rest of the step. What a task returns is
 * looked at always. What is read, and a list when a turn begins or somebody updates the state, is looked at whole, but once
 * in a turn of the event loop. Everywhere else only the end of it is, where a turn's own messages are. So of what was edited
 * in place only one thing is not kept: an older message that the task did not return. A graph must not do that; savers that
 * store what a step has changed do not keep it either.
 */
const LATEST = 64;
/** Some 5 ms. Ours. */
const LOADED_AT_ONCE = 400;

/** The rows of one scope, by their numbers. */
export interface PieceSql {
  add(key: number, body: string): void;
  get(key: number): string | undefined;
  /** In the order of their keys. */
  range(first: number, last: number): readonly string[];
  lastKey(first: number, last: number): number | undefined;
}

export function createPieceSql(db: Database): (scope: number) => PieceSql {
  const add = db.prepare("insert into graph_pieces(key, body) values(?, ?)");
  const get = db.prepare<[number], string>("select body from graph_pieces where key = ?").pluck();
  const range = db
    .prepare<[number, number], string>("select body from graph_pieces where key between ? and ? order by key")
    .pluck();
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
      range: (first, to) => range.all(base + first, base + to),
      lastKey: (first, to) => inScope(last.get(base + first, base + to)),
    };
  };
}

/** One scope's pieces. Writes take place inside the transaction of the caller. */
export class Pieces implements PieceWriter, PieceReader {
  readonly #sql: PieceSql;
  #nextMessage: number;
  #nextValue: number;
  /** The newest row of each message id. */
  readonly #byId = new Map<string, Row>();
  /** What was read or written, to be handed out again. */
  readonly #held = new Map<number, Row>();
  #last = NO_LIST;
  /** All of `#last` was looked at in this turn of the event loop. */
  #looked = false;
  readonly #once = new Map<string, number>();
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
      for (const [index, body] of this.#range(first, last).entries()) {
        const id = messageId(body);
        if (id !== undefined) this.#byId.set(id, { key: first + index, size: body.length, print: undefined });
      }
  }

  /** What is written until the next call of this is written at one moment: a state, or what a task has written. */
  beginWriting(what: "state" | "step" | "writes"): this {
    this.#what = what;
    return this;
  }

  writeMessage(message: BaseMessage): number | undefined {
    return this.#rowOf(message)?.key;
  }

  writeMessages(list: readonly unknown[], isWhole: boolean): Ranges | undefined {
    const last = this.#last;
    let same = 0;
    while (same < last.messages.length && last.messages[same] === list[same]) same += 1;
    // The list of a task that is sent on, whole, is the state's.
    if (this.#what === "writes" && isWhole) same = this.#unchanged(0, same);
    else if (this.#what === "state") same = this.#unchangedSinceLook(same);
    else same = this.#unchanged(list.length - LATEST, same);
    if (same === list.length && same === last.messages.length) return last.ranges;
    const messages = last.messages.slice(0, same);
    const rows = last.rows.slice(0, same);
    for (const item of list.slice(same)) {
      const row = BaseMessage.isInstance(item) ? this.#rowOf(item) : undefined;
      if (!row?.print) return undefined;
      messages.push(row.print.message);
      rows.push(row);
    }
    const ranges = toRanges(rows.map(({ key }) => key));
    // What a task has written is not what the thread has.
    if (this.#what === "writes" && isWhole) return ranges;
    this.#last = { messages, rows, ranges };
    if (same < last.messages.length) this.#looked = false;
    return ranges;
  }

  /** How many of the first messages of the last list, up to `to`, are what they were; those before `from` count unseen. */
  #unchanged(from: number, to: number): number {
    const { rows } = this.#last;
    for (let index = Math.max(0, from); index < to; index += 1) {
      const print = rows[index]?.print;
      if (!print || !isUnchanged(print)) return index;
    }
    return to;
  }

  /** The same with a look at all of them, unless there was one in this turn of the event loop. */
  #unchangedSinceLook(to: number): number {
    const unchanged = this.#unchanged(this.#looked ? to - LATEST : 0, to);
    if (!this.#looked && unchanged === this.#last.rows.length) {
      this.#looked = true;
      setImmediate(() => (this.#looked = false));
    }
    return unchanged;
  }

  #rowOf(message: BaseMessage): Row | undefined {
    // Another one stands in the state later: the graph gives it an id, or makes a message of a chunk.
    if (message.id === undefined || (this.#what === "writes" && AIMessageChunk.isInstance(message))) return undefined;
    const known = this.#byId.get(message.id);
    if (known?.print?.message === message && isUnchanged(known.print)) return known;
    const text = writeMessage(message);
    if (known && this.#sql.get(known.key) === text) return this.#hold(known.key, message, text);
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
    const last = this.#last;
    const { length } = last.messages;
    if (isSameList(ranges, last.ranges) && this.#unchangedSinceLook(length) === length) return [...last.messages];
    const found: BaseMessage[] = [];
    for (const [first, last] of ranges)
      for (let key = first; key <= last; key += 1) {
        const held = this.#heldMessage(key);
        const more = held ? [held] : this.#readTo(key, last);
        if (!more) return undefined;
        for (const message of more) found.push(message);
        key += more.length - 1;
      }
    return found;
  }

  /**
   * Reads the messages of these rows, as far as they are there, some at a time, so that the loop goes on in between: `messages`
   * finds them afterwards.
   */
  async load(ranges: Ranges): Promise<void> {
    for (const [first, last] of ranges) {
      for (let key = first; key <= Math.min(last, VALUES_FROM - 1); key += LOADED_AT_ONCE) {
        const to = Math.min(last, key + LOADED_AT_ONCE - 1);
        if (this.#held.has(key) && this.#held.has(to)) continue;
        const bodies = this.#sql.range(key, to);
        if (bodies.length < to - key + 1) return;
        this.#take(key, bodies);
        if (to < last) await nextTurn();
      }
    }
  }

  async messagesSlowly(ranges: Ranges): Promise<BaseMessage[]> {
    const keys = ranges.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    return Promise.all(
      keys.map(async (key) => {
        const [message] = this.messages([[key, key]]) ?? [];
        if (message) return message;
        const read = await readWithLibrary(this.value(key));
        this.#hold(key, read, this.value(key));
        return read;
      }),
    );
  }

  /** These rows are no longer there. */
  forget(from: number, to: number): void {
    const isGone = (key: number) => key >= from && key <= to;
    for (const [id, { key }] of this.#byId) if (isGone(key)) this.#byId.delete(id);
    for (const [text, key] of this.#once) if (isGone(key)) this.#once.delete(text);
    for (const [key, { size }] of this.#held) {
      if (!isGone(key)) continue;
      this.#held.delete(key);
      this.size -= size;
    }
    this.#last = NO_LIST;
  }

  value(key: number): string {
    const body = this.#sql.get(key);
    if (body === undefined) throw new StoreError(`Expected the piece ${key} of a checkpoint, found none`);
    return body;
  }

  /** What was handed out before, unless whoever had it has changed it. */
  #heldMessage(key: number): BaseMessage | undefined {
    const print = this.#held.get(key)?.print;
    return print && isUnchanged(print) ? print.message : undefined;
  }

  /** Reads this row, and the rows up to `last` with it, since they are wanted next. */
  #readTo(key: number, last: number): readonly BaseMessage[] | undefined {
    return this.#take(key, this.#range(key, last));
  }

  /** The messages of rows that follow each other. Undefined: one of them can be read by the library alone. */
  #take(first: number, bodies: readonly string[]): readonly BaseMessage[] | undefined {
    const found: BaseMessage[] = [];
    for (const [index, body] of bodies.entries()) {
      const held = this.#heldMessage(first + index);
      const message = held ?? readMessage(body);
      if (!message) continue;
      if (!held) this.#hold(first + index, message, body);
      found.push(message);
    }
    return found.length === bodies.length ? found : undefined;
  }

  #range(first: number, last: number): readonly string[] {
    const bodies = this.#sql.range(first, last);
    const expected = last - first + 1;
    if (bodies.length === expected) return bodies;
    throw new StoreError(`Expected ${expected} pieces of a checkpoint from ${first} on, found ${bodies.length}`);
  }

  #hold(key: number, message: BaseMessage, text: string): Row {
    const row: Row = { key, size: text.length, print: printOf(message) };
    const before = message.id === undefined ? undefined : this.#byId.get(message.id);
    // An earlier checkpoint that is read has older ones.
    if (message.id !== undefined && (!before || before.key <= key)) this.#byId.set(message.id, row);
    if (!this.#held.has(key)) this.size += row.size;
    this.#held.set(key, row);
    // The same object stands in another row now; the last list is known up to it.
    const at = before?.print?.message === message ? this.#last.rows.indexOf(before) : -1;
    if (at >= 0) this.#last = upTo(at, this.#last);
    return row;
  }
}

function upTo(end: number, { messages, rows }: Last): Last {
  const kept = rows.slice(0, end);
  return { messages: messages.slice(0, end), rows: kept, ranges: toRanges(kept.map(({ key }) => key)) };
}

function messageId(body: string): string | undefined {
  // Boundary: written by this file; a value that is no message has no such id.
  const { kwargs } = JSON.parse(body) as { kwargs?: { id?: unknown } };
  return typeof kwargs?.id === "string" ? kwargs.id : undefined;
}
