/**
 * The reply as people may read it. What may be published is an allowlist: the text of the lead agent's own model calls;
 * nothing of subagents, tools, summaries or thinking.
 */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { visibleText, withoutThinkingSoFar } from "../subagents/visible-text.ts";

/** Of one model call. */
export interface ReplyText {
  /** The reply so far, whole, when this piece changed it. */
  add(piece: string): string | undefined;
}

export function createReplyText(): ReplyText {
  let raw = "";
  let shown = "";
  return {
    add(piece) {
      raw += piece;
      const visible = withoutThinkingSoFar(raw);
      if (visible === shown || visible === "") return undefined;
      shown = visible;
      return shown;
    },
  };
}

/** The reply of a turn that has ended: the text of its last message, if that is the model's. */
export function finalText(turn: readonly BaseMessage[]): string {
  const last = turn.at(-1);
  return AIMessage.isInstance(last) ? visibleText(last) : "";
}
