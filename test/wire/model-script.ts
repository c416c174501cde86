/**
 * What a script needs to know of a request to decide, and the errors that providers give.
 */
import type { ModelAnswer, ModelRequest } from "./model-answer.ts";
import { wireError, type WireMessage } from "./model-request.ts";

/** A message's text; parts that are no text are left out. */
function textOf(message: WireMessage): string {
  const { content } = message;
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** All that the system layer says: tells a subagent's call from the lead agent's. */
export const systemText = ({ messages }: ModelRequest): string =>
  messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(textOf)
    .join("\n");

export const lastUserText = ({ messages }: ModelRequest): string => {
  const message = messages.findLast(({ role }) => role === "user");
  return message === undefined ? "" : textOf(message);
};

/** Results of tools since the last user message, in order: how far this turn is. */
export function toolResults({ messages }: ModelRequest): readonly { name: string; id: string; text: string }[] {
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const calls = turn.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
  return turn.flatMap((message) => {
    if (message.role !== "tool") return [];
    const name = calls.find((call) => call.id === message.tool_call_id)?.function.name ?? "";
    return [{ name, id: message.tool_call_id, text: textOf(message) }];
  });
}

const failure = (status: number, message: string, code: string): Required<Pick<ModelAnswer, "error">> => ({
  error: wireError(status, message, null, code),
});
/** Answers as OpenAI gives them when it fails. */
export const failures = {
  rateLimit: failure(429, "Rate limit reached for requests. Please try again in 20s.", "rate_limit_exceeded"),
  quota: failure(
    429,
    "You exceeded your current quota, please check your plan and billing details.",
    "insufficient_quota",
  ),
  server: failure(500, "The server had an error while processing your request. Sorry about that!", "server_error"),
  contextLength: failure(
    400,
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
    "context_length_exceeded",
  ),
} as const satisfies Record<string, ModelAnswer>;
