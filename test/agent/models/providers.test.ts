import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AIMessage } from "@langchain/core/messages";
import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../agent/models/providers.ts";
import { ModelWatch, runMetadata } from "../../../agent/model-watch.ts";
import type { ModelSettings } from "../../../agent/contract.ts";
import { type ModelCall, personId, runId, threadId } from "../../../subagents/contract.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A provider that answers every request with this body; returns its address and what was asked. */
async function provider(type: string, body: string, status = 200, after?: (connection: Socket) => void) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      requests.push(text);
      response.writeHead(status, { "content-type": type });
      if (after) response.write(body, () => setTimeout(() => after(request.socket), 500));
      else response.end(body);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const sse = (events: readonly object[], named = false) =>
  events
    .map((one) => `${named && "type" in one ? `event: ${String(one.type)}\n` : ""}data: ${JSON.stringify(one)}\n\n`)
    .join("");

const CONTEXT = {
  runId: runId("r"),
  threadId: threadId("t"),
  principal: { id: personId("p"), name: "Ana" },
  platform: "web",
  audience: "direct" as const,
  folder: "/nowhere",
  timezone: "UTC",
};

/** One answer as the graph asks for it, watched; `read` is what people would have seen grow. */
async function call(settings: Omit<ModelSettings, "name" | "model">, signal?: AbortSignal) {
  const calls: ModelCall[] = [];
  const watch = new ModelWatch({ write: (one) => void calls.push(one), now: () => 1 });
  const client = await createClient({ ...settings, name: "named", model: "some-model" }, watch.callbacks());
  const read: string[] = [];
  const end = watch.read(CONTEXT.runId, (markdown) => void read.push(markdown));
  const options = { metadata: runMetadata(CONTEXT, "named"), ...(signal && { signal }) };
  const message = await client.invoke("hi", options).catch((error: unknown) => error);
  await watch.callsOver({ run: CONTEXT.runId }, 1000);
  end();
  return { text: message instanceof AIMessage ? message.text : String(message), calls, read };
}

describe("a client", () => {
  it("streams until its model has proved to be quick, and again when it was slow once", async () => {
    let now = 0;
    const [handler] = new ModelWatch({ write: () => {}, now: () => now }).callbacks();
    if (!handler) throw new Error("expected a callback");
    const metadata = runMetadata(CONTEXT, "named");
    const takes = async (ms: number) => {
      await handler.handleChatModelStart?.({ lc: 1, type: "not_implemented", id: [] }, [], "c", "", {}, [], metadata);
      now += ms;
      await handler.handleLLMEnd?.({ generations: [] }, "c");
      return "lc_prefer_streaming" in handler && handler.lc_prefer_streaming;
    };
    expect(handler).toHaveProperty("lc_prefer_streaming", true);
    expect(await takes(300)).toBe(false);
    expect(await takes(2000)).toBe(true);
    for (let calls = 0; calls < 7; calls += 1) expect(await takes(300)).toBe(true);
    expect(await takes(300)).toBe(false);
  });
});

describe("providers at the wire", () => {
  const chunk = (content: string, usage: object | null, finish: string | null = null) => ({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "some-model-2026",
    choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: finish }],
    usage,
  });
  const cumulative = (output: number) => ({
    prompt_tokens: 100,
    completion_tokens: output,
    total_tokens: 100 + output,
  });

  it("AGT-06: OpenAI-compatible usage on every chunk is the last one's, not the sum", async () => {
    const words = ["one ", "two ", "three ", "four ", "five"];
    const events = words.map((word, index) => chunk(word, cumulative(index + 1), index === 4 ? "stop" : null));
    const { url } = await provider("text/event-stream", `${sse(events)}data: [DONE]\n\n`);
    const { text, calls, read } = await call({ provider: "openai", baseUrl: `${url}/v1` });
    expect(text).toBe("one two three four five");
    expect(read.at(-1)).toBe(text);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ usage: { input: 100, output: 5, total: 105 }, reportedModel: "some-model-2026" });
  });

  it("OpenAI-compatible servers that report no usage give none", async () => {
    const { url, requests } = await provider(
      "text/event-stream",
      `${sse([chunk("hi", null, "stop")])}data: [DONE]\n\n`,
    );
    const { calls } = await call({ provider: "openai", baseUrl: `${url}/v1` });
    expect(calls).toHaveLength(1);
    expect(calls[0]).not.toHaveProperty("usage");
    expect(JSON.parse(requests[0] ?? "")).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it("AGT-06: Anthropic's input at the start and cumulative output at the end are merged", async () => {
    const message = { id: "m1", type: "message", role: "assistant", model: "some-model-2026", content: [] };
    const events = [
      { type: "message_start", message: { ...message, usage: { input_tokens: 100, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ];
    const { url } = await provider("text/event-stream", sse(events, true));
    const { text, calls } = await call({ provider: "anthropic", apiKey: "k", baseUrl: url });
    expect(text).toBe("hello");
    expect(calls.map((one) => one.usage)).toEqual([{ input: 100, output: 5, total: 105 }]);
    expect(calls[0]?.reportedModel).toBe("some-model-2026");
  });

  it.each(["the connection breaks", "the call is aborted"])("what Anthropic told before %s counts", async (what) => {
    const stop = new AbortController();
    const message = { id: "m1", type: "message", role: "assistant", model: "some-model-2026", content: [] };
    const events = [
      { type: "message_start", message: { ...message, usage: { input_tokens: 100, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "half an" } },
    ];
    const { url } = await provider("text/event-stream", sse(events, true), 200, (connection) =>
      what === "the call is aborted" ? stop.abort(new Error("stop")) : connection.destroy(),
    );
    const { calls } = await call({ provider: "anthropic", apiKey: "k", baseUrl: url }, stop.signal);
    expect(calls).toMatchObject([{ usage: { input: 100, output: 1, total: 101 }, reportedModel: "some-model-2026" }]);
  });

  it("Ollama's native answer gives its text and its counts", async () => {
    const lines = [
      {
        model: "some-model",
        created_at: "2026-11-30T00:00:00Z",
        message: { role: "assistant", content: "hel" },
        done: false,
      },
      {
        model: "some-model",
        created_at: "2026-11-30T00:00:00Z",
        message: { role: "assistant", content: "lo" },
        done: false,
      },
      {
        model: "some-model",
        created_at: "2026-11-30T00:00:00Z",
        message: { role: "assistant", content: "" },
        done: true,
        prompt_eval_count: 100,
        eval_count: 5,
      },
    ];
    const { url } = await provider("application/x-ndjson", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { text, calls } = await call({ provider: "ollama", baseUrl: url });
    expect(text).toBe("hello");
    expect(calls.map((one) => one.usage)).toEqual([{ input: 100, output: 5, total: 105 }]);
  });

  it("a refusal is tried once by the client: repeating is ours", async () => {
    const { url, requests } = await provider("application/json", JSON.stringify({ error: { message: "busy" } }), 503);
    expect((await call({ provider: "openai", baseUrl: `${url}/v1` })).text).toContain("503");
    expect(requests).toHaveLength(1);
  });
});
