/**
 * What of a model's message people may read: its text, without thinking. Providers mark thinking in two ways: as blocks
 * of their own beside the text, or as `<think>…</think>` inside it, which a stream may cut anywhere.
 */
import type { BaseMessage } from "@langchain/core/messages";

const OPENINGS = ["<think>", "<thinking>"];
/** A tag right after a backtick is quoted, not spoken. */
const CLOSED = /(?<!`)<(think(?:ing)?)>[\s\S]*?<\/\1>\s*/gi;
const UNCLOSED = /(?<!`)<think(?:ing)?>[\s\S]*$/i;

/** The text blocks of a message, thinking removed. */
export function visibleText(message: BaseMessage): string {
  return withoutThinking(message.text);
}

export function withoutThinking(text: string): string {
  return text.replace(CLOSED, "").replace(UNCLOSED, "").trim();
}

/** The same for a text that still grows: also holds back an end that may become an opening tag (`<thi`). */
export function withoutThinkingSoFar(text: string): string {
  const visible = withoutThinking(text);
  const bracket = visible.lastIndexOf("<");
  if (bracket < 0) return visible;
  const tail = visible.slice(bracket).toLowerCase();
  return OPENINGS.some((tag) => tag.startsWith(tail)) ? visible.slice(0, bracket).trimEnd() : visible;
}
