/**
 * What ends a subagent before it reports by itself: its turns, its tokens, or a loop. Turns and calls are counted in its
 * state and tokens in the ledger, so that a restart counts on.
 *
 * At the token limit it gets one last call without tools, for what it has so far; in a loop the calls of its message are
 * cut, and that message is its last. Both are marked on the message. A turn that would be one too many is not begun.
 */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { SUBAGENT, type StopReason } from "./contract.ts";
import { judgeLoop } from "./loop-guard.ts";
import { keepCalls } from "./tool-calls.ts";

export interface CapsDeps {
  /** Model calls. */
  readonly maxTurns: number;
  /** By the execution whose messages these are. */
  readonly tokensUsed: (messages: readonly BaseMessage[]) => number;
}

/** Contract A8: without summarisation. */
const MAX_TOKENS = 2_000_000;
const WARN_AT = 0.7;

const NOTES = {
  tokens: "[TOKEN BUDGET] Most of your tokens are used. Come to an end: make only the calls you cannot do without.",
  noTokens: "[TOKEN BUDGET REACHED] You have no tools any more. Report now what you have, and what stayed open.",
  loop: "[LOOP] You have made the same calls several times. They bring nothing new: try another way, or report.",
} as const;

/** Thrown in place of the model call that would be one too many. */
export class TurnLimit extends Error {
  override readonly name = "TurnLimit";
}

export function createCaps({ maxTurns, tokensUsed }: CapsDeps) {
  return createMiddleware({
    name: "caps",
    async wrapModelCall(request, handler) {
      const { messages, systemMessage } = request;
      const turns = messages.filter((message) => AIMessage.isInstance(message));
      if (turns.length >= maxTurns) throw new TurnLimit(`The subagent has taken its ${maxTurns} turns`);
      const used = tokensUsed(messages);
      const call = (notes: readonly string[], tools = request.tools) =>
        handler({
          ...request,
          tools,
          systemMessage: notes.reduce((all, note) => all.concat(`\n\n${note}`), systemMessage),
        });
      if (used >= MAX_TOKENS) return lastWord(await call([NOTES.noTokens], []), "token_capped");
      const before = turns.map(callsOf);
      const isWarned = judgeLoop(before) !== "none";
      const notes = [...(used >= MAX_TOKENS * WARN_AT ? [NOTES.tokens] : []), ...(isWarned ? [NOTES.loop] : [])];
      const response = await call(notes);
      const isLooping = AIMessage.isInstance(response) && judgeLoop([...before, callsOf(response)]) === "stop";
      return isLooping ? lastWord(response, "loop_capped") : response;
    },
  });
}

/** Which limit ended the execution that threw this, or whose last message this is. */
export function stopReasonOf(end: unknown): StopReason | undefined {
  if (end instanceof TurnLimit) return "turn_capped";
  if (end instanceof Error) return stopReasonOf(end.cause); // LangChain wraps the errors of middleware
  if (!AIMessage.isInstance(end)) return undefined;
  return SUBAGENT.stopReasons.find((reason) => reason === end.additional_kwargs[SUBAGENT.keys.stopReason]);
}

const callsOf = (message: AIMessage) => message.tool_calls ?? [];

function lastWord<Response>(response: Response, reason: StopReason): Response | AIMessage {
  if (!AIMessage.isInstance(response)) return response;
  const last = keepCalls(response, () => () => false);
  last.additional_kwargs[SUBAGENT.keys.stopReason] = reason;
  return last;
}
