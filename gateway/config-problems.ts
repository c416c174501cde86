/**
 * zod's issues → sentences that name the key, say what to do, and show no value.
 */
import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { recogniseSecret } from "./config-secrets.ts";

/** Keys of the design whose feature comes with a later version; `*` stands for any name or index. */
const LATER: readonly RegExp[] = [
  /^(webhooks|question_ttl|budget|skills|interpreter|context|token_usage|tools)$/,
  /^models\.\*\.(max_input_tokens|thinking|reasoning_effort|price)$/,
  /^platforms\.\*\.(busy|allow_bots|mode|webhook_secret|signing_secret)$/,
  /^platforms\.\*\.access\.roles$/,
  /^subagents\.timeout_seconds$/,
  /^subagents\.custom\.\*\.skills$/,
];

/** `["models", "0", "api_key"]` → `models[0].api_key`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (/^\d+$/.test(String(part)) ? `[${String(part)}]` : `.${shownKey(String(part))}`))
    .join("")
    .replace(/^\./, "");
}

/** A key is shown only when it is a plain word: what was pasted into the wrong place may be a secret. */
const shownKey = (key: string): string =>
  /^[A-Za-z][\w-]{0,39}$/.test(key) && recogniseSecret(key) === undefined ? key : "(a key that is no plain word)";

/** One sentence an issue, one a key for unknown keys. `path` is where `schema` stands in the file. */
export function issueSentences(
  issue: z.core.$ZodIssue,
  path: readonly PropertyKey[],
  keysAt: (path: readonly PropertyKey[]) => readonly string[],
): readonly string[] {
  const at = [...path, ...issue.path];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(at, key, keysAt(issue.path)));
  const said = (issue.code === "invalid_key" ? issue.issues[0]?.message : undefined) ?? issue.message;
  const text = said
    .replace(/^Invalid (input|option): /, "")
    .replace(", received undefined", ", got nothing")
    .replace(", received ", ", got ")
    .replace("expected string, got number", 'expected text, got a number; put it in "quotes"')
    .replace(/expected (object|record)/, "expected keys below it, one a line")
    .replace("expected array", "expected a list, [like, this]");
  return [`${pathText(at) || "the file"}: ${text}`];
}

/** Says whether a key is of a later version, misspelled, or unknown; lists what there is. */
export function unknownKey(parent: readonly PropertyKey[], key: string, known: readonly string[]): string {
  const name = pathText([...parent, key]);
  const there = `available here: ${known.join(", ") || "nothing"}`;
  if (LATER.some((later) => later.test(patternOf([...parent, key])))) {
    return `${name}: not available in this version; remove it (${there})`;
  }
  const near = nearest(key, known);
  return `${name}: unknown key; ${near === undefined ? there : `did you mean ${near}? (${there})`}`;
}

/** The word that was probably meant: at most a third of its letters differ. */
function nearest(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const candidate = closest(word, [...known]);
  return distance(word, candidate) <= Math.max(1, Math.floor(candidate.length / 3)) ? candidate : undefined;
}

/** `models.0.price` → `models.*.price`; names that people choose become `*` too. */
function patternOf(path: readonly PropertyKey[]): string {
  const words = path.map(String);
  const chosen = (index: number): boolean =>
    (words[0] === "models" && index === 1) ||
    (words[0] === "platforms" && index === 1 && words.length > 2) ||
    (words[0] === "subagents" && index === 2 && words.length > 3);
  return words.map((word, index) => (chosen(index) ? "*" : word)).join(".");
}

/** The keys that a schema takes at a path; empty where it takes none or any. */
export function keysOf(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  const inner = unwrapped(schema);
  const [head, ...rest] = path;
  if (inner instanceof z.ZodObject)
    return head === undefined ? Object.keys(inner.shape) : keysOf(inner.shape[String(head)], rest);
  if (head === undefined) return [];
  if (inner instanceof z.ZodArray) return keysOf(inner.element, rest);
  return inner instanceof z.ZodRecord ? keysOf(inner.valueType, rest) : [];
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in);
  const wraps = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return wraps ? unwrapped(schema.unwrap()) : schema;
}
