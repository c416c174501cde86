/**
 * What is said in a turn: a person's 200 characters, a call of `lookup`, its result of 2 KB, an answer of 500; about 3.9 KB
 * of message JSON. Always the same text for the same number.
 */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

export const MESSAGES_A_TURN = 4;

export const personText = (turn: number) => filled(`Question ${turn}:`, 200);
export const lookupText = (query: string) => filled(`Found for ${query}:`, 2048);
export const answerText = (call: number) => filled(`Answer ${call}:`, 500);
export const queryText = (call: number) => `item ${call}`;

/** The messages of `turns` finished turns, as they are in a thread's state, with ids of their own. */
export function history(turns: number): BaseMessage[] {
  return Array.from({ length: turns }, (_, turn) => finishedTurn(turn)).flat();
}

function finishedTurn(turn: number): BaseMessage[] {
  const id = (part: string) => `00000000-0000-4000-8000-${part}${String(turn).padStart(11, "0")}`;
  const call = `call_seeded_${turn}`;
  const args = { query: queryText(turn) };
  const response_metadata = { model_name: "instant" };
  return [
    new HumanMessage({ id: id("a"), content: personText(turn) }),
    new AIMessage({
      id: id("b"),
      content: "",
      tool_calls: [{ type: "tool_call", id: call, name: "lookup", args }],
      response_metadata,
    }),
    new ToolMessage({ id: id("c"), tool_call_id: call, name: "lookup", content: lookupText(args.query) }),
    new AIMessage({ id: id("d"), content: answerText(turn), response_metadata }),
  ];
}

const WORDS = "the harbour office keeps a list of ships that came in late and why each of them had to wait ".repeat(30);

function filled(start: string, length: number): string {
  return `${start} ${WORDS}`.slice(0, length);
}
