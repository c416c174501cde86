/**
 * Providers refuse a history in which a tool call has no result, or a result has no call. A run that was stopped between
 * the two leaves such a history; it is repaired in the request, while the state keeps what happened.
 */
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { createMiddleware } from "langchain";

export const repairToolCallsMiddleware = createMiddleware({
  name: "repair-tool-calls",
  wrapModelCall: (request, handler) => handler({ ...request, messages: repairToolCalls(request.messages) }),
});

/**
 * Pure. Afterwards every tool call has exactly one result, directly after its message and in the order of the calls;
 * one that is missing is an error that says so. Results without a call, and second results, are dropped. Results are
 * looked for up to the next message of the model only: ids of some providers come again in later turns.
 */
export function repairToolCalls(messages: BaseMessage[]): BaseMessage[] {
  if (isWhole(messages)) return messages;
  return messages.flatMap((message, index) => {
    if (ToolMessage.isInstance(message)) return [];
    if (!AIMessage.isInstance(message)) return [message];
    const calls = message.tool_calls ?? [];
    const results = resultsAfter(messages, index);
    return [withoutRawCalls(message), ...calls.map((call) => results.get(call.id) ?? missingResult(call))];
  });
}

/** Nothing is to be repaired: nearly always, and a long thread is looked through before each model call. */
function isWhole(messages: readonly BaseMessage[]): boolean {
  let calls: readonly ToolCall[] = [];
  let answered = 0;
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) {
      const call = calls[answered];
      if (!call || call.id !== message.tool_call_id) return false;
      answered += 1;
      continue;
    }
    if (answered < calls.length) return false;
    const isModel = AIMessage.isInstance(message);
    calls = (isModel && message.tool_calls) || [];
    answered = 0;
    if (isModel && calls.length === 0 && message.additional_kwargs["tool_calls"] !== undefined) return false;
  }
  return answered === calls.length;
}

function resultsAfter(messages: readonly BaseMessage[], index: number): Map<string | undefined, ToolMessage> {
  const results = new Map<string | undefined, ToolMessage>();
  for (let at = index + 1; at < messages.length; at += 1) {
    const message = messages[at];
    if (AIMessage.isInstance(message)) break;
    if (ToolMessage.isInstance(message) && !results.has(message.tool_call_id))
      results.set(message.tool_call_id, message);
  }
  return results;
}

function missingResult({ id, name }: ToolCall): ToolMessage {
  return new ToolMessage({
    content:
      "This call was interrupted before it had a result. Whether it did anything is unknown: check if it matters.",
    tool_call_id: id ?? "",
    name,
    status: "error",
  });
}

/** A message whose calls could not be parsed keeps them in raw form; sent back, they would ask for results. */
function withoutRawCalls(message: AIMessage): AIMessage {
  const { tool_calls: raw, ...kwargs } = message.additional_kwargs;
  if (raw === undefined || (message.tool_calls ?? []).length > 0) return message;
  const { id, name, content, response_metadata } = message;
  return new AIMessage({
    content,
    additional_kwargs: kwargs,
    response_metadata,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
  });
}
