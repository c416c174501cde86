/** Asking the person: buttons through `ask_clarification`, an answer by button, number, label or free text. */
import { callOne, type Result, type Script } from "./script.ts";
import type { Situation } from "./situation.ts";

export interface Option<Value> {
  readonly label: string;
  readonly value: Value;
  /** Other words that mean it. */
  readonly words?: readonly string[];
}
export type Answer<Value> =
  | { readonly type: "chosen"; readonly value: Value }
  | { readonly type: "other"; readonly text: string }
  /** Nobody can be asked here, or the question failed. */
  | { readonly type: "unasked" };

export async function* ask<Value>(
  { tools }: Situation,
  question: string,
  options: readonly Option<Value>[],
): Script<Answer<Value>> {
  if (!tools.has("ask_clarification")) return { type: "unasked" };
  const result = yield* callOne("ask_clarification", {
    question,
    clarification_type: "ambiguous_requirement",
    options: options.map(({ label }) => label),
  });
  return result.failed ? { type: "unasked" } : readAnswer(result, question, options);
}

/** The tool says: For your clarification "Q", my answer is: A */
function readAnswer<Value>({ text }: Result, question: string, options: readonly Option<Value>[]): Answer<Value> {
  const before = `For your clarification "${question}", my answer is:`;
  const said = (text.startsWith(before) ? text.slice(before.length) : text).trim();
  const option = choose(said, options);
  return option ? { type: "chosen", value: option.value } : { type: "other", text: said };
}

/** The label, its number, or the one option that is named in the text. */
export function choose<Value>(text: string, options: readonly Option<Value>[]): Option<Value> | undefined {
  const low = text.toLowerCase().replace(/^(?:in|to|into|as|the) +(?=\S)/, "");
  const exact = options.find(({ label }) => label.toLowerCase() === low);
  const numbered = /^#?\d{1,2}[.)]?$/.test(text) ? options[Number.parseInt(text.replace("#", ""), 10) - 1] : undefined;
  if (exact ?? numbered) return exact ?? numbered;
  const named = options.filter(({ label, words = [] }) =>
    [label, ...words].some((word) => mentions(low, word.toLowerCase())),
  );
  return named.length === 1 ? named[0] : undefined;
}

function mentions(text: string, word: string): boolean {
  const at = text.indexOf(word);
  const isEdge = (character: string | undefined) => !character || !/[\p{L}\p{N}]/u.test(character);
  return at >= 0 && isEdge(text[at - 1]) && isEdge(text[at + word.length]);
}
