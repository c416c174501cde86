/**
 * What a message looked like when it was written down: so that one that somebody edited in place afterwards is noticed,
 * without writing it out as JSON again. A thread of a thousand turns is looked through at every step, so the fields that
 * every message has are compared by name, which is some ten times faster than by key.
 */
import type { BaseMessage } from "@langchain/core/messages";

/** The fields of the library's message classes. */
interface Fields {
  readonly content: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly additional_kwargs?: unknown;
  readonly response_metadata?: unknown;
  readonly tool_calls?: unknown;
  readonly invalid_tool_calls?: unknown;
  readonly usage_metadata?: unknown;
  readonly tool_call_id?: unknown;
  readonly status?: unknown;
  readonly artifact?: unknown;
}
export interface Print extends Fields {
  readonly message: BaseMessage & Fields;
  /** Containers in which there was nothing. */
  readonly empty: readonly object[];
  /** What stood in the others: owner, key, value, over and over. */
  readonly leaves: readonly unknown[];
  /** Container, number of keys, over and over. */
  readonly sizes: readonly unknown[];
}
type Container = Record<string, unknown>;

/** Everything that `toJSON` of the message writes is in it: the keys that it was made with, as they are now. */
export function printOf(message: BaseMessage & Fields): Print {
  const found: Found = { empty: [], leaves: [], sizes: [] };
  const made = message.lc_kwargs as Container;
  for (const key in made) {
    if (FIELDS.has(key)) look(message[key as keyof Fields], found, 0);
    else leaf(key in message ? (message as unknown as Container) : made, key, found, 0);
  }
  return {
    message,
    content: message.content,
    id: message.id,
    name: message.name,
    additional_kwargs: message.additional_kwargs,
    response_metadata: message.response_metadata,
    tool_calls: message.tool_calls,
    invalid_tool_calls: message.invalid_tool_calls,
    usage_metadata: message.usage_metadata,
    tool_call_id: message.tool_call_id,
    status: message.status,
    artifact: message.artifact,
    empty: found.empty,
    leaves: found.leaves.length === 0 ? NOTHING : found.leaves,
    sizes: found.sizes.length === 0 ? NOTHING : found.sizes,
  };
}
const NOTHING: readonly unknown[] = [];

interface Found {
  readonly empty: object[];
  readonly leaves: unknown[];
  readonly sizes: unknown[];
}
/** Deeper than anything that is sent; a circle ends here. The library reads back no more. */
const DEEPEST = 50;

function look(value: unknown, found: Found, depth: number): void {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return;
  const keys = Object.keys(value);
  if (keys.length === 0) return void found.empty.push(value);
  found.sizes.push(value, keys.length);
  for (const key of keys) leaf(value as Container, key, found, depth);
}

function leaf(owner: Container, key: string, found: Found, depth: number): void {
  const value = owner[key];
  if (Number.isNaN(value)) return; // equals nothing, itself included; JSON writes null for it
  found.leaves.push(owner, key, value);
  look(value, found, depth + 1);
}

const FIELDS: ReadonlySet<string> = new Set<keyof Fields>([
  "content",
  "id",
  "name",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
]);

/** The message, and all that hangs on it, is what it was. */
export function isUnchanged(print: Print): boolean {
  const { message, empty, leaves, sizes } = print;
  if (
    message.content !== print.content ||
    message.id !== print.id ||
    message.name !== print.name ||
    message.additional_kwargs !== print.additional_kwargs ||
    message.response_metadata !== print.response_metadata ||
    message.tool_calls !== print.tool_calls ||
    message.invalid_tool_calls !== print.invalid_tool_calls ||
    message.usage_metadata !== print.usage_metadata ||
    message.tool_call_id !== print.tool_call_id ||
    message.status !== print.status ||
    message.artifact !== print.artifact
  )
    return false;
  for (const container of empty) if (sizeOf(container) !== 0) return false;
  for (let at = 0; at < leaves.length; at += 3) {
    // Boundary: as `printOf` laid it out.
    const owner = leaves[at] as Container;
    if (owner[leaves[at + 1] as string] !== leaves[at + 2]) return false;
  }
  for (let at = 0; at < sizes.length; at += 2) if (sizeOf(sizes[at] as object) !== sizes[at + 1]) return false;
  return true;
}

function sizeOf(container: object): number {
  if (Array.isArray(container)) return container.length;
  let size = 0;
  for (const _ in container) size += 1;
  return size;
}
