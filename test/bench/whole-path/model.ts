/**
 * The loopback model as the benchmark needs it: one tool call, then an answer, as fast as can be. A thread of 300 turns
 * is a request of 1.2 MB: it is not parsed here, for that would be measured with every bot. Only its end is looked at.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModelAnswer, streamChunks, wholeBody } from "../../wire/model-answer.ts";
import { answer, findMark, RESULT_BEGINS } from "./texts.ts";

export interface BenchModel {
  readonly url: string;
  /** So far. */
  readonly calls: number;
  /** Size of the last request. */
  readonly requestKb: number;
  /** Turns whose tool gave anything else than the text of 2 KB. */
  readonly wrongResults: readonly string[];
  /** How long calls take before their first byte, ms. */
  takes(delayMs: Delay): void;
  close(): Promise<void>;
}
/** By the turn that asks, and by what it is told to do: call the tool, then answer. */
export type Delay = (mark: string, step: "call" | "answer") => number;
/** The tool of the bot in question, and how it is called. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

export async function createBenchModel(tool: ToolCall): Promise<BenchModel> {
  const wrongResults: string[] = [];
  let calls = 0;
  let requestKb = 0;
  let delayOf: Delay = () => 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    calls += 1;
    requestKb = Buffer.byteLength(body) / 1024;
    const { mark, step } = readEnd(body);
    if (step === "answer" && mark !== "" && !body.includes(RESULT_BEGINS, lastRole(body))) wrongResults.push(mark);
    const delayMs = delayOf(mark, step);
    if (delayMs > 0) await sleep(delayMs);
    const said: ModelAnswer =
      step === "call" ? { toolCalls: [tool], usage: [1000, 20] } : { content: answer(mark), usage: [1500, 120] };
    send(response, said, calls, /"stream":\s*true/.test(body));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: String(error) } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // node: so for a server on a port

  return {
    url: `http://127.0.0.1:${port}/v1`,
    get calls() {
      return calls;
    },
    get requestKb() {
      return requestKb;
    },
    wrongResults,
    takes: (delayMs) => void (delayOf = delayMs),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Quotes inside a text are escaped, so that this finds nothing but the keys of messages. */
const lastRole = (body: string): number => body.lastIndexOf('"role":"');

/**
 * What a request asks for. After a tool's result, or where there are no tools (a summary of the history, say): words.
 * @throws Error for a request in which no turn is named.
 */
export function readEnd(body: string): { readonly mark: string; readonly step: "call" | "answer" } {
  const mark = findMark(body.slice(body.lastIndexOf('"role":"user"')));
  const isResult = body.startsWith('"role":"tool"', lastRole(body));
  const hasTools = body.includes('"tools":[');
  if (mark === undefined && hasTools) throw new Error("Expected a request whose last message of a person names a turn");
  return { mark: mark ?? "", step: isResult || !hasTools ? "answer" : "call" };
}

function send(response: ServerResponse, said: ModelAnswer, call: number, streamed: boolean): void {
  const id = `chatcmpl-${call}`;
  const request = { model: "bench-model", messages: [], tools: [], call };
  const answering = { id, request, created: Math.floor(Date.now() / 1000), includeUsage: true };
  response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
  // Each chunk is a write of its own, as a provider sends them.
  if (streamed) for (const { text } of streamChunks(said, answering)) response.write(text);
  response.end(streamed ? undefined : wholeBody(said, answering).text);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // node: an incoming message gives buffers unless an encoding is set.
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
