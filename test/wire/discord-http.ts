/** A REST request as it comes, and an answer as it goes. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Json } from "./discord-account-json.ts";
import { invalid, Refusal } from "./discord-refusals.ts";

export interface Upload {
  /** The n of `files[n]`. */
  readonly key: string;
  readonly file: File;
}
export interface RequestBody {
  readonly json: unknown;
  readonly uploads: readonly Upload[];
}
/** An answer with a status that is no error and no plain 200. */
export type Answer = { readonly status: 200 | 201 | 204; readonly body?: unknown; readonly headers?: Headers };
type Headers = Readonly<Record<string, string>>;

/** JSON, or a form with `payload_json` and `files[n]`. */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  // node: an incoming message gives buffers unless an encoding is set.
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) return readForm(bytes, type);
  if (bytes.length === 0) return { json: undefined, uploads: [] };
  if (!type.startsWith("application/json"))
    throw invalid([], 'Expected "Content-Type" header to be JSON or multipart.');
  return { json: parse(bytes.toString()), uploads: [] };
}

async function readForm(bytes: Buffer, type: string): Promise<RequestBody> {
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const payload = form.get("payload_json");
  const uploads = [...form.entries()].flatMap(([name, file]) => {
    const key = /^files\[(\d+)\]$/.exec(name)?.[1];
    return key === undefined || typeof file === "string" ? [] : [{ key, file }];
  });
  return { json: typeof payload === "string" ? parse(payload) : {}, uploads };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 50109, "The request body contains invalid JSON.");
  }
}

/** 204 has no body and no content type: with one, discord.js would try to parse nothing. */
export function sendAnswer(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  if (status === 204 || body === undefined) return void response.writeHead(204, headers).end();
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function sendRefusal(response: ServerResponse, refused: Refusal, headers: Headers = {}): void {
  const { status, code, message, errors } = refused;
  if (status >= 500) {
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(`<html>${message}</html>`);
    return;
  }
  const body: Json = { message, code, ...(errors !== undefined && { errors }) };
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export interface RateLimit {
  /** s */
  readonly retryAfter: number;
  readonly global: boolean;
  readonly headers?: Headers;
}
/** https://discord.com/developers/docs/topics/rate-limits */
export function sendRateLimit(response: ServerResponse, { retryAfter, global, headers = {} }: RateLimit): void {
  const all = {
    "content-type": "application/json",
    "retry-after": String(Math.ceil(retryAfter)),
    "x-ratelimit-scope": global ? "global" : "user",
    ...(global && { "x-ratelimit-global": "true" }),
    ...headers,
    "x-ratelimit-reset-after": String(retryAfter),
    "x-ratelimit-remaining": "0",
  };
  const body = { message: "You are being rate limited.", retry_after: retryAfter, global };
  response.writeHead(429, all).end(JSON.stringify(body));
}
