/**
 * A tool call that had no result when the process died is repeated by LangGraph. For reading and for idempotent work
 * that is right; a `once` tool is not run again: the model is told that the outcome is unknown.
 * A call's start is never taken back: one whose result was checkpointed is not begun again, and one whose result was
 * returned and not yet checkpointed is as unknown as one in the middle.
 */
import { ToolMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import type { Effect, Ledger } from "../../subagents/contract.ts";
import { readContext } from "../../subagents/run-context.ts";

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
      if (start === "repeated" && effect === "once") return unknownOutcome(id, name);
      // One that must not run twice begins when its start is safe, not before.
      if (effect === "once") await ledger.safe();
      return handler(request);
    },
  });
}

function unknownOutcome(id: string, name: string): ToolMessage {
  return new ToolMessage({
    content: `This call of ${name} had begun when the program stopped, and its outcome is unknown. It was not run again. Check what it did before you repeat it, or ask.`,
    tool_call_id: id,
    name,
    status: "error",
  });
}
