/**
 * A tool call that had no result when the process died is repeated by LangGraph. For reading and for idempotent work
 * that is right; a `once` tool is not run again: the model is told that the outcome is unknown.
 *
 * A call's row: started → ended. It ends only at the next model call, when its result is in the state: a result that was
 * returned but not yet checkpointed would be lost in a crash, and with an ended row the call would run twice.
 */
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import type { Effect, Ledger } from "../../subagents/contract.ts";
import { readContext } from "../../subagents/run-context.ts";

const START_KEY = "tool_start_key";

interface EffectsDeps {
  readonly ledger: Ledger;
  /** A tool that is not named counts as `once`. */
  readonly effects: ReadonlyMap<string, Effect>;
  readonly now: () => number;
}

export function createEffectsMiddleware({ ledger, effects, now }: EffectsDeps) {
  return createMiddleware({
    name: "effects",
    async wrapToolCall(request, handler) {
      const { id = "", name } = request.toolCall;
      const { runId } = readContext(request.runtime);
      const namespace: unknown = request.runtime.configurable?.["checkpoint_ns"];
      const key = `${typeof namespace === "string" ? namespace : ""}/${id}`;
      const effect = effects.get(name) ?? "once";
      const start = ledger.toolStarted({ runId, key, tool: name, effect, at: now() });
      if (start === "repeated" && effect === "once") return marked(unknownOutcome(id, name), key);
      const result = await handler(request);
      return ToolMessage.isInstance(result) ? marked(result, key) : result;
    },
    wrapModelCall(request, handler) {
      const { runId } = readContext(request.runtime);
      for (const key of startKeys(request.messages)) ledger.toolEnded(runId, key);
      return handler(request);
    },
  });
}

/** The calls whose results stand at the end of the history. */
function startKeys(messages: readonly BaseMessage[]): string[] {
  const last = messages.findLastIndex((message) => message.getType() === "ai");
  return messages
    .slice(last + 1)
    .map((message): unknown => message.additional_kwargs[START_KEY])
    .filter((key) => typeof key === "string");
}

function marked(message: ToolMessage, key: string): ToolMessage {
  message.additional_kwargs = { ...message.additional_kwargs, [START_KEY]: key };
  return message;
}

function unknownOutcome(id: string, name: string): ToolMessage {
  return new ToolMessage({
    content: `This call of ${name} had begun when the program stopped, and its outcome is unknown. It was not run again. Check what it did before you repeat it, or ask.`,
    tool_call_id: id,
    name,
    status: "error",
  });
}
