import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { keepTasks } from "../../../agent/middleware/task-limits.ts";

const call = (id: string, name: string) => ({ type: "tool_call" as const, id, name, args: {} });
const raw = (id: string, name: string) => ({ id, type: "function" as const, function: { name, arguments: "{}" } });
const asked = [
  ["t1", "task"],
  ["r", "read_file"],
  ["t2", "task"],
  ["t3", "task"],
] as const;
const calls = asked.map(([id, name]) => call(id, name));

describe("a response with more tasks than it may begin", () => {
  it("keeps the first ones and all other calls, and OpenAI's raw calls are cut in step", () => {
    const message = new AIMessage({
      id: "m",
      content: "so",
      tool_calls: calls,
      additional_kwargs: { tool_calls: asked.map(([id, name]) => raw(id, name)) },
    });
    const kept = keepTasks(message, 1);
    expect(kept.tool_calls?.map(({ id }) => id)).toEqual(["t1", "r"]);
    expect(kept.additional_kwargs.tool_calls?.map(({ id }) => id)).toEqual(["t1", "r"]);
    expect([kept.id, kept.text]).toEqual(["m", "so"]);
  });

  it("loses Anthropic's tool_use blocks of the calls that are cut, and no other block", () => {
    const blocks = asked.map(([id, name]) => ({ type: "tool_use", id, name, input: {} }));
    const message = new AIMessage({ content: [{ type: "text", text: "so" }, ...blocks], tool_calls: calls });
    expect(keepTasks(message, 2).content).toEqual([{ type: "text", text: "so" }, ...blocks.slice(0, 3)]);
  });

  it("keeps what was counted of its tokens", () => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const message = Object.assign(new AIMessage({ content: "", tool_calls: calls }), { usage_metadata: usage });
    expect(keepTasks(message, 0).usage_metadata).toEqual(usage);
  });

  it("is the same message when nothing is over", () => {
    const message = new AIMessage({ content: "", tool_calls: calls });
    expect(keepTasks(message, 3)).toBe(message);
  });
});
