/**
 * Where a thread stands before a run, and what is therefore to be done. Pure.
 *
 * A run's input is absent → start. Present, and the graph has work left → continue (a question beside it is asked again,
 * as the same one); only waits for an answer → waiting; has nothing left, or has gone on to a later turn → finished.
 * Answers that are still awaited → resume with those; none of them awaited any more (given before a crash, or the
 * question was dropped) → the same as for present input.
 */
import type { BaseMessage } from "@langchain/core/messages";
import type { Answer, RunInput } from "./contract.ts";

export interface Pending {
  readonly interruptId: string;
  readonly value: unknown;
}
export interface ThreadState {
  readonly messages: readonly BaseMessage[];
  /** The graph has nodes that did not run to their end. */
  readonly unfinished: boolean;
  /** Some of them wait for no answer: a subagent that worked beside a question when the process died. */
  readonly working: boolean;
  readonly pending: readonly Pending[];
}
export type Position =
  | { readonly type: "start"; readonly absent: ReadonlySet<string> }
  | { readonly type: "resume"; readonly answers: Readonly<Record<string, Answer>> }
  | { readonly type: "continue" }
  | { readonly type: "waiting" }
  | { readonly type: "finished" };

export function findPosition(input: RunInput, state: ThreadState): Position {
  if (input.type === "answers") {
    const awaited = new Set(state.pending.map((one) => one.interruptId));
    const answers = Object.entries(input.byInterrupt).filter(([interruptId]) => awaited.has(interruptId));
    if (answers.length > 0) return { type: "resume", answers: Object.fromEntries(answers) };
    return state.unfinished ? { type: "continue" } : { type: "finished" };
  }
  // From the end, where an input that is there stands: a thread may have thousands of messages.
  const isPresent = (id: string) => state.messages.findLastIndex((message) => message.id === id) >= 0;
  const absent = input.messages.filter((message) => !isPresent(message.id));
  // What was said around the request may be read differently the second time; only the request tells.
  if (absent.some((message) => message.type === "request"))
    return { type: "start", absent: new Set(absent.map((message) => message.id)) };
  if (!state.unfinished || hasLaterTurn(input, state.messages)) return { type: "finished" };
  return state.pending.length > 0 && !state.working ? { type: "waiting" } : { type: "continue" };
}

/** What the run has produced so far: the messages after its input, up to the input of a later turn. */
export function turnMessages(input: RunInput, messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const after = messages.slice(inputEnd(input, messages));
  const next = after.findIndex(isHuman);
  return next < 0 ? after : after.slice(0, next);
}

function hasLaterTurn(input: RunInput, messages: readonly BaseMessage[]): boolean {
  return messages.slice(inputEnd(input, messages)).some(isHuman);
}

/** The index behind the run's last input; an answer belongs to the latest turn. */
function inputEnd(input: RunInput, messages: readonly BaseMessage[]): number {
  if (input.type === "answers") return messages.findLastIndex(isHuman) + 1;
  const ids = new Set(input.messages.map((message) => message.id));
  return messages.findLastIndex((message) => message.id !== undefined && ids.has(message.id)) + 1;
}
function isHuman(message: BaseMessage): boolean {
  return message.getType() === "human";
}
