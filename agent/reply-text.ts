/**
 * The growing reply out of the stream of messages. What may be published is an allowlist: the text of the lead agent's
 * own model node in the root graph; nothing of subagents, tools, summaries or thinking.
 */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { visibleText, withoutThinkingSoFar } from "../subagents/visible-text.ts";

/** The name LangChain gives to the node that calls the model. */
const MODEL_NODE = "model_request";

export interface ReplyText {
  /** The reply so far, whole, when this chunk changed it. Each model call begins anew. */
  add(namespace: readonly string[], message: unknown, node: unknown): string | undefined;
}

export function createReplyText(): ReplyText {
  let current: { readonly id: string | undefined; raw: string; shown: string } = { id: undefined, raw: "", shown: "" };
  return {
    add(namespace, message, node) {
      if (namespace.length > 0 || node !== MODEL_NODE || !AIMessage.isInstance(message)) return undefined;
      if (message.id !== current.id) current = { id: message.id, raw: "", shown: "" };
      current.raw += message.text;
      const shown = withoutThinkingSoFar(current.raw);
      if (shown === current.shown || shown === "") return undefined;
      current.shown = shown;
      return shown;
    },
  };
}

/** The reply of a turn that has ended: the text of its last message, if that is the model's. */
export function finalText(turn: readonly BaseMessage[]): string {
  const last = turn.at(-1);
  return AIMessage.isInstance(last) ? visibleText(last) : "";
}
