/**
 * An OpenAI-compatible model server on 127.0.0.1 that plays scripts: strict about what it is asked, able to misbehave,
 * and exact about what it reported, so that a test can compare totals.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  streamChunks,
  wholeBody,
  type Answering,
  type ModelAnswer,
  type ModelRequest,
  type ReportedUsage,
  type WireChunk,
} from "./model-answer.ts";
import { readRequest, wireError, type WireError, type WireRequest } from "./model-request.ts";

type ModelScript = (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>;

/** One accepted call. Entries change while the call goes on. */
interface ModelServerCall {
  readonly id: string;
  readonly call: number;
  /** The name that was reported. */
  model: string;
  /** What was sent to the client; null: nothing so far. */
  usage: ReportedUsage | null;
  readonly messages: ModelRequest["messages"];
  readonly tools: ModelRequest["tools"];
  readonly at: number;
  /** The whole answer has been sent; an error or a drop never is. */
  finished: boolean;
}

/** One request of any kind, with the status of its answer; 0: the socket was closed. */
interface ModelServerRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly error?: unknown;
}

export interface ModelServer {
  /** With `/v1`: the `base_url` of a model. */
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly calls: readonly ModelServerCall[];
  readonly requests: readonly ModelServerRequest[];
  /** Sum of what was reported, by reported name of the model. */
  totals(): Readonly<Record<string, ReportedUsage>>;
  /** Plays this from now on. */
  script(script: ModelScript): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** `port` 0 takes a free one. A request with another key gets 401, one for a model not in `models` 404. */
export async function createModelServer(
  options: { port?: number; apiKey?: string; models?: readonly string[] } = {},
): Promise<ModelServer> {
  const apiKey = options.apiKey ?? "sk-test-model-server";
  const models = options.models ?? ["test-model"];
  const calls: ModelServerCall[] = [];
  const requests: ModelServerRequest[] = [];
  let play: ModelScript = () => ({ error: wireError(500, "No script is set: call server.script(…) first.") });

  async function complete(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = readRequest(await bodyOf(incoming));
    if (read.type === "refused") return refuse(response, read.error);
    const { request } = read;
    if (options.models !== undefined && !models.includes(request.model)) {
      return refuse(
        response,
        wireError(404, `The model \`${request.model}\` does not exist.`, null, "model_not_found"),
      );
    }
    const asked = {
      model: request.model,
      messages: request.messages,
      tools: request.tools ?? [],
      call: calls.length + 1,
    };
    const id = `chatcmpl-${asked.call}-${Math.random().toString(36).slice(2, 10)}`;
    const call: ModelServerCall = { ...asked, id, usage: null, at: Date.now(), finished: false };
    calls.push(call);
    const answer = await play(asked);
    call.model = answer.model ?? request.model;
    await answerCall(response, answer, call, request, asked);
  }

  async function route(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? "").replace(/\?.*$/, "");
    if (incoming.headers.authorization !== `Bearer ${apiKey}`) {
      return refuse(response, wireError(401, "Incorrect API key provided.", null, "invalid_api_key"));
    }
    if (incoming.method === "GET" && path === "/v1/models") {
      const data = models.map((id) => ({ id, object: "model", created: 0, owned_by: "test" }));
      return sendJson(response, 200, { object: "list", data });
    }
    if (incoming.method === "POST" && path === "/v1/chat/completions") return complete(incoming, response);
    return refuse(response, wireError(404, `Invalid URL (${incoming.method} ${path})`));
  }

  const server = createServer((incoming, response) => {
    response.on("close", () => {
      const status = response.headersSent && response.writableEnded ? response.statusCode : 0;
      const error = refused.get(response);
      requests.push({ method: incoming.method ?? "", path: incoming.url ?? "", status, ...(error ? { error } : {}) });
    });
    // A script that throws is a mistake of the test: it is seen as a 500 with its message.
    route(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, wireError(500, `Script failed: ${String(error)}`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    apiKey,
    calls,
    requests,
    totals: () => totalsOf(calls),
    script: (script) => {
      play = script;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Plays one answer to its end, or to where the script or the client breaks it off. */
async function answerCall(
  response: ServerResponse,
  answer: ModelAnswer,
  call: ModelServerCall,
  request: WireRequest,
  asked: ModelRequest,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (!(await waited(answer.delayMs, gone.signal))) return;
  if (answer.drop === "before") return void response.destroy();
  if (answer.error !== undefined) return refuse(response, answer.error);
  const includeUsage = request.stream_options?.include_usage === true;
  const answering: Answering = { id: call.id, request: asked, created: Math.floor(call.at / 1000), includeUsage };
  const streamed = request.stream === true;
  const chunks = streamed ? streamChunks(answer, answering) : halves(wholeBody(answer, answering));
  const stopAt = answer.drop === "middle" ? Math.ceil(chunks.length / 2) : chunks.length;

  response.writeHead(200, {
    "content-type": streamed ? "text/event-stream" : "application/json",
    "x-request-id": call.id,
  });
  for (const [index, chunk] of chunks.slice(0, stopAt).entries()) {
    if (index > 0 && !(await waited(streamed ? answer.chunkDelayMs : 0, gone.signal))) return;
    if (!(await written(response, chunk.text))) return;
    if (chunk.usage !== undefined) call.usage = chunk.usage;
  }
  if (stopAt < chunks.length) return void response.destroy();
  call.finished = true;
  response.end();
}

/** A body that is not streamed can break in the middle too; its usage is known with its second half. */
const halves = ({ text, usage }: WireChunk): readonly WireChunk[] => {
  const middle = Math.ceil(text.length / 2);
  const rest = { text: text.slice(middle) };
  return [{ text: text.slice(0, middle) }, usage === undefined ? rest : { ...rest, usage }];
};

/** False: the client went away. */
async function waited(ms: number | undefined, gone: AbortSignal): Promise<boolean> {
  if (ms !== undefined && ms > 0) await sleep(ms, undefined, { signal: gone }).catch(() => undefined);
  return !gone.aborted;
}

/** Resolves when the chunk is handed to the socket; false: the client went away. */
const written = (response: ServerResponse, text: string): Promise<boolean> =>
  new Promise((resolve) => {
    if (response.destroyed) resolve(false);
    else response.write(text, (error) => resolve(!error));
  });

const refused = new WeakMap<ServerResponse, unknown>();
function refuse(response: ServerResponse, error: NonNullable<ModelAnswer["error"]> | WireError): void {
  refused.set(response, error.body);
  sendJson(response, error.status, error.body, "headers" in error ? error.headers : undefined);
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function totalsOf(calls: readonly ModelServerCall[]): Readonly<Record<string, ReportedUsage>> {
  const totals: Record<string, ReportedUsage> = {};
  for (const { model, usage } of calls) {
    if (usage === null) continue;
    const before = totals[model] ?? { input: 0, output: 0 };
    totals[model] = { input: before.input + usage.input, output: before.output + usage.output };
  }
  return totals;
}
