/** What a list of messages means for the answer: what is asked, which files there are, what has been done since. */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { isTimezone } from "./clock.ts";
import type { Result, Step } from "./script.ts";
import { HOW_TO_CONNECT } from "./wording.ts";

export interface Turn {
  /** What the person wrote last: one text a message, wrapping and file lists removed. */
  readonly requests: readonly string[];
  /** Paths that came with these messages. */
  readonly files: readonly string[];
  /** Sentences on files that could not be taken over. */
  readonly missing: readonly string[];
  /** Files came with an earlier message of the thread. */
  readonly hadFiles: boolean;
  readonly steps: readonly Step[];
  /** The answer before this turn. */
  readonly lastReply?: string;
  /** An answer before this turn said how to connect a model. */
  readonly toldHowToConnect: boolean;
  /** IANA name from the system prompt, else the host's. */
  readonly timezone: string;
}

const isHuman = (message: BaseMessage) => HumanMessage.isInstance(message);
const isAi = (message: BaseMessage) => AIMessage.isInstance(message);
const isTool = (message: BaseMessage) => ToolMessage.isInstance(message);
const isSystem = (message: BaseMessage) => SystemMessage.isInstance(message);

export function readTurn(messages: readonly BaseMessage[]): Turn {
  const end = messages.findLastIndex(isHuman) + 1;
  const start = messages.slice(0, end).findLastIndex((message) => !isHuman(message)) + 1;
  const asked = messages.slice(start, end).map((message) => readRequest(message.text));
  const before = messages.slice(0, start);
  const lastReply = before.findLast((message) => isAi(message) && message.text.trim() !== "")?.text;
  return {
    requests: asked.map(({ text }) => text).filter((text) => text !== ""),
    files: [...new Set(asked.flatMap(({ files }) => files))],
    missing: asked.flatMap(({ missing }) => missing),
    hadFiles: before.some((message) => isHuman(message) && readRequest(message.text).files.length > 0),
    steps: readSteps(messages.slice(end)),
    toldHowToConnect: before.some((message) => isAi(message) && message.text.includes(HOW_TO_CONNECT)),
    ...(lastReply && { lastReply }),
    timezone: timezoneOf(messages.filter(isSystem).map(({ text }) => text)),
  };
}

interface Request {
  readonly text: string;
  readonly files: readonly string[];
  readonly missing: readonly string[];
}

/** `<context>` is other people's words; `<message>` only says who speaks, and its text is escaped. */
function readRequest(raw: string): Request {
  const own = raw.replaceAll(/<context\b[^>]*>[\s\S]*?<\/context>/g, "");
  const listed = [...own.matchAll(/<files>([\s\S]*?)<\/files>/g)].map((match) => unescape(match[1] ?? "")).join("\n");
  const text = own.replaceAll(/<files>[\s\S]*?<\/files>/g, "").trim();
  const wrapped = /^<message\b[^>]*>([\s\S]*)<\/message>$/.exec(text)?.[1];
  const missing = listed.split("\n").filter((line) => /: not available\b/.test(line));
  return { text: wrapped === undefined ? text : unescape(wrapped).trim(), files: pathsIn(listed), missing };
}

const unescape = (text: string) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

/** The `/area/file (size)` lines of a listing, sizes dropped. */
export function pathsIn(listing: string): readonly string[] {
  const lines = listing.split("\n").filter((line) => line.startsWith("/"));
  return lines.map((line) => line.replace(/ \([\d.]+ k?M?B\)$/, "").trim());
}

/** Each message with tool calls that has all it will get before the next one. */
function readSteps(messages: readonly BaseMessage[]): Step[] {
  const results = new Map(messages.filter(isTool).map((message) => [message.tool_call_id, readResult(message)]));
  const asked = messages.filter(isAi).filter((message) => (message.tool_calls ?? []).length > 0);
  return asked.map(({ tool_calls: calls = [] }) => ({
    calls: calls.map(({ name, args }) => ({ tool: name, args })),
    results: calls.map(({ id = "", name }) => results.get(id) ?? { text: `${name} gave no result`, failed: true }),
  }));
}

function readResult(message: ToolMessage): Result {
  return { text: message.text, failed: message.status === "error" };
}

/** The prompt's `<current_date>2026-11-30, Monday (Europe/Berlin)</current_date>`, else the host's. */
function timezoneOf(prompts: readonly string[]): string {
  const stated = /<current_date>[^<]*\(([\w+/-]+)\)<\/current_date>/.exec(prompts.join("\n"))?.[1];
  return stated && isTimezone(stated) ? stated : Intl.DateTimeFormat().resolvedOptions().timeZone;
}
