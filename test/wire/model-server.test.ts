import { AIMessage, HumanMessage, ToolMessage, type AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { failures, lastUserText, systemText, toolResults } from "./model-script.ts";
import { createModelServer, type ModelServer } from "./model-server.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await createModelServer();
});
afterEach(() => server.close());

/** The real client, with no retries of its own, so that every misbehaviour is seen. */
const client = (fields: { apiKey?: string; timeout?: number } = {}) =>
  new ChatOpenAI({
    model: "test-model",
    apiKey: fields.apiKey ?? server.apiKey,
    maxRetries: 0,
    configuration: { baseURL: server.url },
    ...(fields.timeout === undefined ? {} : { timeout: fields.timeout }),
  });
const add = tool(({ a, b }) => String(a + b), {
  name: "add",
  description: "Adds two numbers",
  schema: z.object({ a: z.number(), b: z.number() }),
});

async function streamed(
  input: BaseMessage[] | string,
  model = client(),
): Promise<{ whole: AIMessageChunk; texts: string[] }> {
  let whole: AIMessageChunk | undefined;
  const texts: string[] = [];
  for await (const chunk of await model.stream(input)) {
    whole = whole === undefined ? chunk : whole.concat(chunk);
    if (chunk.text !== "") texts.push(chunk.text);
  }
  if (whole === undefined) throw new Error("expected chunks, got none");
  return { whole, texts };
}
const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("through the real client", () => {
  test("an answer streams in pieces and its usage is the scripted one", async () => {
    server.script(() => ({ content: "one two three", usage: [12, 5], model: "test-model-2026-01-01" }));
    const { whole, texts } = await streamed("count");
    expect(texts).toEqual(["one", " two", " three"]);
    expect(whole.usage_metadata).toMatchObject({ input_tokens: 12, output_tokens: 5, total_tokens: 17 });
    expect(whole.response_metadata["model_name"]).toBe("test-model-2026-01-01");
    expect(server.calls).toMatchObject([
      { call: 1, model: "test-model-2026-01-01", usage: { input: 12, output: 5 }, finished: true },
    ]);
  });

  test("an answer that is not streamed says the same", async () => {
    server.script(() => ({ content: "hello", usage: [3, 4] }));
    const answer = await client().invoke("hi");
    expect(answer.text).toBe("hello");
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 3, output_tokens: 4 });
    expect(server.totals()).toEqual({ "test-model": { input: 3, output: 4 } });
  });

  test.each([true, false])(
    "tool calls arrive whole and their results lead the script on (streamed: %s)",
    async (stream) => {
      server.script((request) => {
        const results = toolResults(request);
        if (results.length > 0)
          return { content: `the sums are ${results.map((result) => result.text).join(" and ")}` };
        return {
          toolCalls: [
            { name: "add", args: { a: 1, b: 2 } },
            { name: "add", args: { a: 30, b: 40, note: "long enough for several pieces" }, id: "call_own" },
          ],
        };
      });
      const model = client().bindTools([add]);
      const question = new HumanMessage("add");
      const ask = async (messages: BaseMessage[]): Promise<AIMessage> => {
        if (!stream) return model.invoke(messages);
        let whole: AIMessageChunk | undefined;
        for await (const chunk of await model.stream(messages))
          whole = whole === undefined ? chunk : whole.concat(chunk);
        return new AIMessage({ content: whole?.text ?? "", tool_calls: whole?.tool_calls ?? [] });
      };
      const first = await ask([question]);
      expect(first.tool_calls).toMatchObject([
        { name: "add", args: { a: 1, b: 2 } },
        { name: "add", args: { a: 30, b: 40 }, id: "call_own" },
      ]);
      const results = (first.tool_calls ?? []).map(
        (call, index) => new ToolMessage({ content: String(index), tool_call_id: call.id ?? "", name: call.name }),
      );
      expect((await ask([question, first, ...results])).text).toBe("the sums are 0 and 1");
      expect(server.calls.map((call) => call.tools[0]?.function.name)).toEqual(["add", "add"]);
    },
  );

  test("a script sees who asks and what was asked last", async () => {
    server.script((request) => ({ content: `${systemText(request)}|${lastUserText(request)}|${request.call}` }));
    const answer = await client().invoke([
      ["system", "be kind"],
      ["user", "first"],
      ["assistant", "yes"],
      ["user", "second"],
    ]);
    expect(answer.text).toBe("be kind|second|1");
  });

  test("a server that reports no usage leaves it out", async () => {
    server.script(() => ({ content: "hi", usage: null }));
    expect((await streamed("hi")).whole.usage_metadata).toBeUndefined();
    expect(server.calls[0]?.usage).toBeNull();
    expect(server.totals()).toEqual({});
  });

  test("AGT-06: usage in every chunk is cumulative on the wire, and the log keeps the last one", async () => {
    server.script(() => ({ content: "a b c", usage: "every_chunk" }));
    const body = { model: "test-model", messages: [{ role: "user", content: "x" }], stream: true };
    const text = await (await post(body)).text();
    const counts = [...text.matchAll(/"completion_tokens":(\d+)/g)].map((match) => Number(match[1]));
    expect(counts).toEqual([1, 2, 3, 4, 5]);
    expect(server.totals()).toEqual({ "test-model": { input: 100, output: 5 } });
  });

  test("a server comes back at its old port, as a provider does after a failure", async () => {
    const { port } = server;
    await server.close();
    server = await createModelServer({ port });
    server.script(() => ({ content: "back again" }));
    expect((await client().invoke("hi")).text).toBe("back again");
  });

  test("the list of models names them", async () => {
    const response = await fetch(`${server.url}/models`, { headers: { authorization: `Bearer ${server.apiKey}` } });
    expect(await response.json()).toMatchObject({ object: "list", data: [{ id: "test-model", object: "model" }] });
  });
});

describe("misbehaviour", () => {
  test("a wrong key is refused with 401 and reaches no script", async () => {
    await expect(client({ apiKey: "sk-wrong" }).invoke("hi")).rejects.toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
    expect(server.calls).toHaveLength(0);
    await expect.poll(() => server.requests).toMatchObject([{ status: 401 }]);
  });

  test.each([
    ["a rate limit", failures.rateLimit, { status: 429, code: "rate_limit_exceeded" }],
    ["a used-up quota", failures.quota, { status: 429, code: "insufficient_quota" }],
    ["a failure of the server", failures.server, { status: 500 }],
    ["too long a context", failures.contextLength, { name: "ContextOverflowError" }],
  ])("%s reaches the client as the provider's error", async (_, failure, wanted) => {
    server.script(() => failure);
    await expect(client().invoke("hi")).rejects.toMatchObject(wanted);
    await expect(streamed("hi")).rejects.toMatchObject(wanted);
    expect(server.calls.map(({ finished, usage }) => ({ finished, usage }))).toEqual([
      { finished: false, usage: null },
      { finished: false, usage: null },
    ]);
  });

  test("a server that hangs is given up by the client's own time-out, and the call is not finished", async () => {
    server.script(() => ({ content: "late", delayMs: 60_000 }));
    await expect(client({ timeout: 500 }).invoke("hi")).rejects.toThrow(/timed out/i);
    expect(server.calls).toMatchObject([{ finished: false, usage: null }]);
  });

  test("a connection that is closed before the answer is a connection error", async () => {
    server.script(() => ({ content: "never", drop: "before" }));
    await expect(client().invoke("hi")).rejects.toThrow(/connection error/i);
  });

  test("a stream that breaks in the middle gave its first half and no usage", async () => {
    server.script(() => ({ content: "one two three four", drop: "middle" }));
    const texts: string[] = [];
    const read = async () => {
      for await (const chunk of await client().stream("hi")) texts.push(chunk.text);
    };
    await expect(read()).rejects.toThrow();
    expect(texts.join("")).toBe("one two three");
    expect(server.calls).toMatchObject([{ finished: false, usage: null }]);
  });

  test("a client that goes away ends the call as not finished", async () => {
    server.script(() => ({ content: "one two three four five six", chunkDelayMs: 1000 }));
    const stop = new AbortController();
    const read = async () => {
      for await (const chunk of await client().stream("hi", { signal: stop.signal }))
        if (chunk.text !== "") stop.abort();
    };
    await read().catch(() => undefined);
    await expect.poll(() => server.requests.length).toBe(1);
    expect(server.requests).toMatchObject([{ status: 0 }]);
    expect(server.calls).toMatchObject([{ finished: false }]);
  });

  test("a script that throws is seen as a failure that says so", async () => {
    server.script(() => {
      throw new Error("no such step");
    });
    await expect(client().invoke("hi")).rejects.toThrow(/Script failed.*no such step/);
  });
});

describe("what the provider refuses is refused", () => {
  const user = { role: "user", content: "hi" };
  const call = (id: string, args = "{}") => ({ id, type: "function", function: { name: "add", arguments: args } });
  const answered = (id: string) => ({ role: "tool", tool_call_id: id, content: "3" });
  const fn = (parameters: unknown, name = "add") => ({ type: "function", function: { name, parameters } });
  const fine = { type: "object", properties: {} };
  const refusals: readonly (readonly [string, object, RegExp])[] = [
    ["no messages", { messages: [] }, /messages/],
    ["an unknown role", { messages: [{ role: "robot", content: "x" }] }, /messages/],
    [
      "an argument that does not exist",
      { messages: [user], sessions: 1 },
      /Unrecognized request argument supplied: sessions/,
    ],
    ["an assistant that says nothing", { messages: [user, { role: "assistant", content: null }] }, /got null/],
    ["a result of no call", { messages: [user, answered("c1")] }, /must be a response to a preceeding message/],
    [
      "a call without a result",
      { messages: [user, { role: "assistant", content: null, tool_calls: [call("c1"), call("c2")] }, answered("c1")] },
      /must be followed by tool messages.*: c2$/,
    ],
    [
      "a call whose result does not follow directly",
      { messages: [user, { role: "assistant", tool_calls: [call("c1")] }, user, answered("c1")] },
      /must be followed by tool messages.*: c1$/,
    ],
    [
      "a second result of one call",
      { messages: [user, { role: "assistant", tool_calls: [call("c1")] }, answered("c1"), answered("c1")] },
      /must be a response to a preceeding message/,
    ],
    [
      "two calls of one id",
      { messages: [user, { role: "assistant", tool_calls: [call("c1"), call("c1")] }, answered("c1")] },
      /Duplicate value for 'tool_call_id'/,
    ],
    [
      "arguments that are no JSON",
      { messages: [user, { role: "assistant", tool_calls: [call("c1", "{a")] }, answered("c1")] },
      /expected JSON/,
    ],
    [
      "a tool that is no object",
      { messages: [user], tools: [fn({ type: "string" })] },
      /Invalid schema for function 'add'/,
    ],
    [
      "an array without items",
      { messages: [user], tools: [fn({ type: "object", properties: { list: { type: "array" } } })] },
      /array schema missing items/,
    ],
    ["a tool name with a space", { messages: [user], tools: [fn(fine, "a b")] }, /tools/],
    ["two tools of one name", { messages: [user], tools: [fn(fine), fn(fine)] }, /unique/],
    [
      "a chosen tool that is not there",
      { messages: [user], tools: [fn(fine)], tool_choice: { type: "function", function: { name: "sub" } } },
      /Tool choice 'sub' not found/,
    ],
    ["a choice without tools", { messages: [user], tool_choice: "auto" }, /only allowed when 'tools'/],
    [
      "stream options without a stream",
      { messages: [user], stream_options: { include_usage: true } },
      /only allowed when 'stream'/,
    ],
  ];
  test.each(refusals)("%s", async (_, body, wanted) => {
    server.script(() => ({ content: "must not be reached" }));
    const response = await post({ model: "test-model", ...body });
    expect(response.status).toBe(400);
    const { error } = z.object({ error: z.object({ message: z.string() }) }).parse(await response.json());
    expect(error.message).toMatch(wanted);
    expect(server.calls).toHaveLength(0);
  });

  test("a body that is no JSON, a model and an address that do not exist", async () => {
    expect((await post("{")).status).toBe(400);
    const picky = await createModelServer({ models: ["only-this"], apiKey: server.apiKey });
    const body = { model: "other", messages: [user] };
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const other = await fetch(`${picky.url}/chat/completions`, { method: "POST", headers, body: JSON.stringify(body) });
    expect(other.status).toBe(404);
    expect((await fetch(`${picky.url}/responses`, { headers })).status).toBe(404);
    await picky.close();
  });
});
