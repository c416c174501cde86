import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { repairToolCalls } from "../../../agent/middleware/repair-tool-calls.ts";

const ai = (...ids: string[]) =>
  new AIMessage({
    content: "",
    tool_calls: ids.map((id) => ({ type: "tool_call" as const, id, name: "t", args: {} })),
  });
const tool = (id: string, content = `result ${id}`) => new ToolMessage({ content, tool_call_id: id });
const human = (text: string) => new HumanMessage(text);
const shape = (messages: readonly BaseMessage[]) =>
  messages.map((message) =>
    ToolMessage.isInstance(message) ? `${message.tool_call_id}: ${message.text.slice(0, 9)}` : message.getType(),
  );

describe("a history for a provider", () => {
  it("AGT-01: a call without a result gets an error directly after its message, before the next words", () => {
    const repaired = repairToolCalls([human("go"), ai("t1", "t2"), tool("t1"), human("continue")]);
    expect(shape(repaired)).toEqual(["human", "ai", "t1: result t1", "t2: This call", "human"]);
    expect(repaired[3]).toMatchObject({ status: "error", name: "t" });
  });

  it("AGT-01: a result that stands after other words is moved to its call, a second one dropped", () => {
    const repaired = repairToolCalls([ai("t1", "t2"), human("hm"), tool("t2"), tool("t1"), tool("t2", "again")]);
    expect(shape(repaired)).toEqual(["ai", "t1: result t1", "t2: result t2", "human"]);
  });

  it("results without a call are dropped", () => {
    expect(shape(repairToolCalls([tool("x"), human("hi"), ai(), tool("y")]))).toEqual(["human", "ai"]);
  });

  it("an id that comes again in a later turn keeps its own result", () => {
    const history = [ai("c0"), tool("c0", "first"), human("more"), ai("c0")];
    expect(shape(repairToolCalls(history))).toEqual(["ai", "c0: first", "human", "ai", "c0: This call"]);
  });

  it("a sound history stays as it is", () => {
    const history = [human("go"), ai("a", "b"), tool("a"), tool("b"), ai(), human("more")];
    expect(repairToolCalls(history)).toEqual(history);
  });

  it("calls that could not be parsed are not sent back in raw form", () => {
    const raw = { tool_calls: [{ id: "x", type: "function" as const, function: { name: "t", arguments: "{broken" } }] };
    const [message] = repairToolCalls([new AIMessage({ content: "hm", additional_kwargs: raw })]);
    expect(message?.additional_kwargs["tool_calls"]).toBeUndefined();
    expect(message?.text).toBe("hm");
  });
});
