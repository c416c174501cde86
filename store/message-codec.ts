/**
 * A message as JSON, and back: `JSON.stringify` writes what the library writes, and the known classes are made without the
 * library's reader, with the same result.
 */
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";

type Kwargs = Record<string, unknown>;

/** Boundary: the kwargs are what a message of that class was made with. */
const CLASSES: Readonly<Record<string, (kwargs: never) => BaseMessage>> = {
  AIMessage: (kwargs) => new AIMessage(kwargs),
  AIMessageChunk: (kwargs) => new AIMessageChunk(kwargs),
  HumanMessage: (kwargs) => new HumanMessage(kwargs),
  RemoveMessage: (kwargs) => new RemoveMessage(kwargs),
  SystemMessage: (kwargs) => new SystemMessage(kwargs),
  ToolMessage: (kwargs) => new ToolMessage(kwargs),
};
/** The library turns other keys with an underscore into camel case when it reads. */
const KEPT_KEYS = new Set([
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "usage_metadata",
  "tool_call_chunks",
  "tool_call_id",
]);

const library = new JsonPlusSerializer();

/** The text of a message; a message in it, or an object that looks like one of the library's, is the library's to read. */
export const writeMessage = (message: BaseMessage): string => JSON.stringify(message);

/** Undefined: only the library can read it. */
export function readMessage(text: string): BaseMessage | undefined {
  // Keys only: in a string the quotation marks are escaped. The first is the message's own.
  if (text.includes('"lc":', 6) || text.includes('"__lc_escaped__":')) return undefined;
  const { id, kwargs } = JSON.parse(text) as { id?: readonly string[]; kwargs?: Kwargs };
  if (id?.[0] !== "langchain_core" || id[1] !== "messages" || !kwargs) return undefined;
  const make = CLASSES[id.at(-1) ?? ""];
  if (!make) return undefined;
  for (const key in kwargs) if (key.includes("_") && !KEPT_KEYS.has(key)) return undefined;
  return make(kwargs as never);
}

/** @throws Error what the library throws for a class that it does not know. */
export const readWithLibrary = async (text: string): Promise<BaseMessage> =>
  // Boundary: a message was written.
  (await library.loadsTyped("json", text)) as BaseMessage;
