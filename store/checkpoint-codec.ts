/**
 * Values of a checkpoint as JSON, and back. What LangGraph's own serializer (`JsonPlusSerializer`) reads back from its
 * text, this one reads back from its own; the differences are two: a message is a reference to a piece of its own, and
 * reading is synchronous, since the library's reader waits once for each node of the JSON (499 ms against 32 at 1000
 * turns). What is rare goes through the library's reader all the same.
 */
import { BaseMessage } from "@langchain/core/messages";
import { DeltaSnapshot, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { readMessage } from "./message-codec.ts";
import type { Range, Ranges } from "./ranges.ts";

/** The key of what stands for something else. A value of somebody that has this key is escaped. */
const MARK = "\u0000piece";

/** What stands in the JSON for what is elsewhere, or cannot be said in JSON. */
type Mark =
  | MessagesMark
  | { readonly [MARK]: "message"; readonly at: number }
  /** A large value, as JSON. */
  | { readonly [MARK]: "value"; readonly at: number }
  /** An object of somebody that has our key. */
  | { readonly [MARK]: "object"; readonly entries: readonly (readonly [string, unknown])[] };

interface MessagesMark {
  readonly [MARK]: "messages";
  /** Values that are ranges, which come before `at`. */
  readonly folded?: readonly number[];
  readonly at: Ranges;
}

export interface Encoded {
  readonly text: string;
  /** The pieces that the text refers to. */
  readonly pieces: Ranges;
}
/** Where pieces are written while a value is encoded. */
export interface PieceWriter {
  /**
   * Undefined: it shall be written where it stands, and so shall a list in which there is one, or no message. `isWhole`: the
   * list is all of the value.
   */
  writeMessage(message: BaseMessage): number | undefined;
  writeMessages(list: readonly unknown[], isWhole: boolean): Ranges | undefined;
  writeValue(text: string): number;
  /** As `writeValue`; the same text again is the same piece. */
  writeOnce(text: string): number;
}
export interface PieceReader {
  /** Undefined: one of them can be read by the library alone. */
  messages(at: Ranges): BaseMessage[] | undefined;
  messagesSlowly(at: Ranges): Promise<BaseMessage[]>;
  value(key: number): string;
}

/** For a text that refers to nothing. */
export const NO_PIECES: PieceReader = {
  messages: () => undefined,
  messagesSlowly: () => Promise.reject(new Error("Expected a value that stands for itself, got a reference")),
  value: () => {
    throw new Error("Expected a value that stands for itself, got a reference");
  },
};

/** A value that is longer is written once, as a piece, and referred to while it does not change. Ours: about a row. */
const LARGE_CHARS = 256;

/** @throws TypeError what JSON cannot write: a circle, a BigInt. */
export function encode(value: unknown, writer: PieceWriter): Encoded {
  const pieces: Range[] = [];
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key: string, plain: unknown): unknown {
    if (plain === undefined) return { lc: 2, type: "undefined" };
    if (plain === null || typeof plain !== "object") return plain;
    // Not what `toJSON` made of it: the value itself.
    const raw = this[key];
    if (Array.isArray(raw)) {
      const at = raw.length > 0 && BaseMessage.isInstance(raw[0]) ? writer.writeMessages(raw, key === "") : undefined;
      if (!at) return raw;
      const mark = fold(at, writer);
      pieces.push(...at, ...(mark.folded ?? []).map((one) => [one, one] as const));
      return mark;
    }
    if (BaseMessage.isInstance(raw)) {
      const at = writer.writeMessage(raw);
      if (at === undefined) return plain;
      pieces.push([at, at]);
      return { [MARK]: "message", at } satisfies Mark;
    }
    if (MARK in plain) return { [MARK]: "object", entries: Object.entries(plain) } satisfies Mark;
    // The library reads it back, and knows none of our marks.
    if (typeof raw === "object" && raw !== null && "lc_serializable" in raw) return JSON.parse(JSON.stringify(plain));
    return special(raw) ?? plain;
  });
  return { text, pieces };
}

/** The same value with what is large in it as a piece: for what later checkpoints will say again. */
export function apart(encoded: Encoded, writer: PieceWriter): Encoded {
  if (encoded.text.length <= LARGE_CHARS || encoded.pieces.length > 0) return encoded;
  const at = writer.writeValue(encoded.text);
  return { text: JSON.stringify({ [MARK]: "value", at } satisfies Mark), pieces: [[at, at]] };
}

const FOLD = 16;
/**
 * A list that was edited in many places is many ranges. The earlier ones go into pieces of their own, 16 together, which
 * stay the same from one checkpoint to the next: so what a checkpoint writes does not grow with the edits.
 */
function fold(at: Ranges, writer: PieceWriter): MessagesMark {
  const folded: number[] = [];
  let rest = at;
  while (rest.length > 2 * FOLD) {
    folded.push(writer.writeOnce(JSON.stringify(rest.slice(0, FOLD))));
    rest = rest.slice(FOLD);
  }
  return { [MARK]: "messages", at: rest, ...(folded.length > 0 && { folded }) };
}

/** The list of a mark, whole. */
function unfold({ at, folded = [] }: MessagesMark, reader: PieceReader): Ranges {
  return [...folded.flatMap((key) => JSON.parse(reader.value(key)) as Ranges), ...at];
}

/** What JSON cannot hold, in the notation of the library's serializer. */
function special(raw: unknown): unknown {
  if (raw instanceof DeltaSnapshot) return { lc: 2, type: "delta_snapshot", value: raw.value };
  if (raw instanceof Set || raw instanceof Map) return constructed(raw.constructor.name, [Array.from(raw)]);
  if (raw instanceof RegExp) return constructed("RegExp", [raw.source, raw.flags]);
  if (raw instanceof Error) return constructed("Error", [raw.message]);
  if (raw instanceof Uint8Array) return constructed("Uint8Array", [Array.from(raw)], "from");
  if (isSend(raw)) {
    const { node, args, timeout } = raw;
    return { node, args, ...(timeout !== undefined && { timeout }) };
  }
  return undefined;
}

const constructed = (id: string, args: readonly unknown[], method: string | null = null) => ({
  lc: 2,
  type: "constructor",
  id: [id],
  method,
  args,
  kwargs: {},
});

interface SendLike {
  readonly node: unknown;
  readonly args: unknown;
  readonly timeout?: unknown;
}
const isSend = (raw: unknown): raw is SendLike =>
  typeof raw === "object" && raw !== null && "lg_name" in raw && raw.lg_name === "Send";

const library = new JsonPlusSerializer();
class NeedsLibrary extends Error {}
function needsLibrary(): never {
  throw new NeedsLibrary();
}
/** What the library has read stands here until the rest has been read around it. */
class Loaded {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** Resolves to the value that `encode` was given. */
export async function decode(text: string, reader: PieceReader): Promise<unknown> {
  try {
    return revive(JSON.parse(text), reader);
  } catch (error) {
    if (!(error instanceof NeedsLibrary)) throw error;
    return revive(await loadRare(JSON.parse(text), reader), reader);
  }
}

function revive(value: unknown, reader: PieceReader): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => revive(item, reader));
  if (value instanceof Loaded) return value.value;
  if (isMark(value)) return resolve(value, reader);
  if (isRecord(value)) return fromRecord(value, reader);
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) object[key] = revive(object[key], reader);
  return object;
}

function resolve(mark: Mark, reader: PieceReader): unknown {
  switch (mark[MARK]) {
    case "messages":
      return reader.messages(unfold(mark, reader)) ?? needsLibrary();
    case "message":
      return (reader.messages([[mark.at, mark.at]]) ?? needsLibrary())[0];
    case "value":
      return revive(JSON.parse(reader.value(mark.at)), reader);
    case "object":
      return Object.fromEntries(mark.entries.map(([key, value]) => [key, revive(value, reader)]));
  }
}

/** The pieces that a value, as `encode` wrote it and JSON reads it, refers to. */
export function referredBy(value: unknown, reader: PieceReader): Ranges {
  if (value === null || typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap((item) => referredBy(item, reader));
  if (!isMark(value)) return Object.values(value).flatMap((item) => referredBy(item, reader));
  switch (value[MARK]) {
    case "messages":
      return [...unfold(value, reader), ...(value.folded ?? []).map((one): Range => [one, one])];
    case "message":
    case "value":
      return [[value.at, value.at]];
    case "object":
      return referredBy(value.entries, reader);
  }
}

/** What may hold messages is made here; anything else is the library's. */
function fromRecord(record: LibraryRecord, reader: PieceReader): unknown {
  const { lc, type, id, args, value } = record;
  if (lc === 2 && type === "undefined") return undefined;
  if (lc === 2 && type === "delta_snapshot") return new DeltaSnapshot(revive(value, reader));
  const name = lc === 2 && type === "constructor" ? id?.[0] : undefined;
  // Boundary: `constructed` wrote the arguments.
  if (name === "Set") return new Set(revive(args?.[0], reader) as unknown[]);
  if (name === "Map") return new Map(revive(args?.[0], reader) as [unknown, unknown][]);
  const message = lc === 1 ? readMessage(JSON.stringify(record)) : undefined;
  return message ?? needsLibrary();
}

async function loadRare(value: unknown, reader: PieceReader): Promise<unknown> {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return Promise.all(value.map((item) => loadRare(item, reader)));
  if (isMark(value)) return loadMark(value, reader);
  if (isRecord(value) && isRare(value)) return new Loaded(await library.loadsTyped("json", JSON.stringify(value)));
  const entries = Object.entries(value).map(async ([key, item]) => [key, await loadRare(item, reader)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function loadMark(mark: Mark, reader: PieceReader): Promise<unknown> {
  switch (mark[MARK]) {
    case "messages":
      return new Loaded(await reader.messagesSlowly(unfold(mark, reader)));
    case "message":
      return new Loaded((await reader.messagesSlowly([[mark.at, mark.at]]))[0]);
    case "value":
      return new Loaded(await decode(reader.value(mark.at), reader));
    case "object":
      return { ...mark, entries: await loadRare(mark.entries, reader) };
  }
}

const isRare = ({ lc, type, id }: LibraryRecord): boolean =>
  lc === 1 || (type === "constructor" && id?.[0] !== "Set" && id?.[0] !== "Map");

/** Boundary: what these are was written by `encode`. */
const isMark = (value: object): value is Mark => MARK in value;
interface LibraryRecord {
  readonly lc: 1 | 2;
  readonly type?: string;
  readonly id?: readonly string[];
  readonly args?: readonly unknown[];
  readonly value?: unknown;
}
const isRecord = (value: object): value is LibraryRecord => "lc" in value && (value.lc === 1 || value.lc === 2);
