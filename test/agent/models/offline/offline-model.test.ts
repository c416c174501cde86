import { AIMessage, type AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { OfflineModel } from "../../../../agent/models/offline/offline-model.ts";
import { askSubagent, model, toolNames } from "./offline-agent.ts";

const named = (name: string, schema: z.ZodObject = z.object({})) =>
  tool(() => "", { name, description: "- worker: works", schema });
const ALL = ["ask_clarification", "task", "list_files", "read_file", "write_file", "present_files"].map((name) =>
  named(name),
);

const withUsage = z.object({ usage_metadata: z.object({ input_tokens: z.number() }) });
const inputTokens = (message: unknown) => withUsage.parse(message).usage_metadata.input_tokens;

async function collect(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk[]> {
  const chunks: AIMessageChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("the offline model", () => {
  it("streams its text by words and reports usage once, on the last chunk", async () => {
    const chunks = await collect(await model().stream("what is 17 * 23?"));
    expect(chunks.map(({ text }) => text).filter((text) => text !== "")).toEqual(["17 ", "× ", "23 ", "= ", "391"]);
    const counted = chunks.filter(({ usage_metadata: usage }) => usage !== undefined);
    expect(counted).toHaveLength(1);
  });

  it("puts all tool calls into the last chunk", async () => {
    const bound = model().bindTools(ALL);
    const chunks = await collect(await bound.stream("what is 1 + 1, and what is 2 + 2"));
    const calls = chunks.flatMap(({ tool_calls: made = [] }) => made);
    expect(calls.map(({ name, args }) => [name, args["prompt"], args["subagent_type"]])).toEqual([
      ["task", "Calculate 1 + 1", "worker"],
      ["task", "Calculate 2 + 2", "worker"],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  it("counts a token for every four characters begun, of what it read and of what it wrote", async () => {
    const answer = await model().invoke([new SystemMessage("12345"), new HumanMessage("what is 17 * 23?")]);
    expect(answer.usage_metadata).toEqual({ input_tokens: 2 + 4, output_tokens: 4, total_tokens: 10 });
    expect(answer.response_metadata).toMatchObject({ model_name: "offline" });
  });

  it("keeps its usage when a message is stored and read again", async () => {
    const answer = await model().invoke("what is 17 * 23?");
    expect(JSON.stringify(answer)).toContain('"total_tokens":8');
  });

  it("only calls tools that are bound", async () => {
    const answer = await model()
      .bindTools([named("read_file")])
      .invoke("convert 100 degrees");
    expect(AIMessage.isInstance(answer) && answer.tool_calls).toEqual([]);
    expect(answer.text).toBe("I need to know more: “degrees” could be “°C” or “°F”.");
  });

  it("works as a subagent in several steps whose usage grows", async () => {
    const files = new Map([
      ["/uploads/a.md", "Tea is sold here."],
      ["/uploads/b.md", "Coffee is sold there."],
    ]);
    const messages = await askSubagent('Search for "coffee" in /uploads/a.md, /uploads/b.md', files);
    expect(toolNames(messages)).toEqual(["read_file", "read_file", "write_file"]);
    const totals = messages.filter((message) => AIMessage.isInstance(message)).map(inputTokens);
    expect(totals).toHaveLength(4);
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    expect(new Set(totals).size).toBe(4);
    expect(messages.at(-1)?.text).toContain("> Coffee is sold there.");
  });

  it("lets a subagent's step be seen, and does not delay the lead agent", async () => {
    const slow = new OfflineModel({ stepDelayMs: 400 });
    await slow.invoke("what is 1 + 1"); // mathjs is loaded now
    const took = async (run: () => Promise<unknown>) => {
      const start = performance.now();
      await run();
      return performance.now() - start;
    };
    expect(await took(() => slow.bindTools([named("read_file")]).invoke("what is 1 + 1"))).toBeGreaterThanOrEqual(395);
    expect(await took(() => slow.bindTools(ALL).invoke("what is 1 + 1"))).toBeLessThan(300);
  });

  it("tells which subagent failed, beside what the other one found", async () => {
    const call = (id: string) => ({ id, name: "task", args: {} });
    const answer = await model()
      .bindTools(ALL)
      .invoke([
        new HumanMessage("what is 1 + 1, and what is 2 + 2"),
        new AIMessage({ content: "", tool_calls: [call("a"), call("b")] }),
        new ToolMessage({ content: "Task timed out.", tool_call_id: "a", status: "error" }),
        new ToolMessage({ content: "Task Succeeded (capped: turn budget). Result: 2 + 2 = 4", tool_call_id: "b" }),
      ]);
    expect(answer.text).toBe("**1.** Its subagent failed: Task timed out.\n\n**2.** 2 + 2 = 4");
  });

  it("does the parts itself where it has no subagents", async () => {
    const answer = await model()
      .bindTools([named("ask_clarification")])
      .invoke("what is 1 + 1, and what is 2 + 2");
    expect(answer.text).toBe("**1.** 1 + 1 = 2\n\n**2.** 2 + 2 = 4");
  });

  it("stops when it is aborted, before and during a step", async () => {
    await expect(model().invoke("hello", { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
    const abort = new AbortController();
    const running = new OfflineModel({ stepDelayMs: 60_000 }).invoke("hello", { signal: abort.signal });
    setTimeout(() => abort.abort(), 20);
    await expect(running).rejects.toThrow(/abort/i);
  });

  it("refuses structured output with what to do", () => {
    expect(() => model().withStructuredOutput()).toThrow(/follows plain rules.*OPENAI_API_KEY/);
  });

  it("says something when there is nothing to answer", async () => {
    expect((await model().invoke([])).text).not.toBe("");
    expect((await model().invoke([new HumanMessage("  ")])).text).not.toBe("");
  });

  it("answers any text with words or with a call of a bound tool", async () => {
    const piece = fc.constantFrom(
      "search for",
      "and",
      "then",
      "convert",
      "5",
      "degrees",
      "1.",
      "- ",
      "\n",
      "files",
      "what is",
      "+",
      "<files>",
      "/uploads/a.md",
      "compare",
      ":",
      ",",
      '"',
      "in",
      "make a list",
      "time",
      "?",
    );
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(" ")),
    );
    const names = ALL.map(({ name }) => name);
    const property = fc.asyncProperty(text, fc.subarray(ALL), async (said, tools) => {
      const answer = await model()
        .bindTools(tools)
        .invoke([new HumanMessage(said)]);
      const calls = AIMessage.isInstance(answer) ? (answer.tool_calls ?? []) : [];
      expect(answer.text !== "" || calls.length > 0).toBe(true);
      expect(calls.every(({ name }) => names.includes(name) && tools.some((one) => one.name === name))).toBe(true);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
