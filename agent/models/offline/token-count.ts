/** Tokens as this model counts them: one for every four characters begun, of text, tool names and arguments. */
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { Decision } from "./script.ts";

const CHARACTERS_A_TOKEN = 4;
const tokens = (text: string) => Math.ceil(text.length / CHARACTERS_A_TOKEN);

/** Each message that was read, counted by itself. */
export function countInput(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + tokens(message.text) + tokens(callText(message)), 0);
}

export function countOutput(decision: Decision): number {
  if (decision.type === "say") return tokens(decision.text);
  return decision.calls.reduce((sum, call) => sum + tokens(call.tool + JSON.stringify(call.args)), 0);
}

function callText(message: BaseMessage): string {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return calls.map(({ name, args }) => name + JSON.stringify(args)).join("");
}
