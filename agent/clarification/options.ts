/** Whatever a model passes as options, made a list of plain labels (contract B). Pure. */
import { wellFormed } from "../../subagents/well-formed.ts";
import type { ChoiceOption } from "../contract.ts";

/**
 * A JSON string is parsed, an unparsable one is a single option; a scalar becomes one option; an object gives its scalar
 * leaves in order; null gives none. XML-like tags are stripped, blanks dropped, repeats dropped keeping the order. No cap.
 */
export function normaliseOptions(raw: unknown): readonly string[] {
  const leaves = typeof raw === "string" ? scalars(parseJson(raw)) : scalars(raw);
  return [...new Set(leaves.map(plain).filter((one) => one !== ""))];
}

/** `prefix` makes the ids: `option-1`, or `<field>-option-1` in a form. */
export function toChoices(labels: readonly string[], prefix: string): readonly ChoiceOption[] {
  return labels.map((label, index) => ({ id: `${prefix}-${index + 1}`, label, value: label }));
}

/** Text for people, as any platform takes it: no XML-like tags, no blank ends. */
function plain(text: string): string {
  return wellFormed(text)
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .trim();
}

/** The value of a JSON text; the text itself when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function scalars(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(scalars);
  if (typeof value === "object") return Object.values(value).flatMap(scalars);
  return typeof value === "string" ? [value] : [JSON.stringify(value)];
}
