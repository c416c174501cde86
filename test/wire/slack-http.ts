/** Requests and answers of the Web API: forms with JSON in them, or JSON; answers always JSON. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "./slack-rules.ts";

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // node: an incoming message gives buffers unless an encoding is set.
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Arguments as they came: text, from a form or JSON; a file stays a file. */
export async function readArguments(body: Buffer, type: string): Promise<Record<string, unknown>> {
  if (type.startsWith("application/json")) {
    const parsed = parseJson(body.toString());
    if (typeof parsed !== "object" || parsed === null) throw new Refusal("json_not_object");
    return { ...parsed };
  }
  if (type.startsWith("multipart/form-data")) return Object.fromEntries((await readForm(body, type)).entries());
  return Object.fromEntries(new URLSearchParams(body.toString()));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("invalid_json");
  }
}

const readForm = (body: Buffer, type: string) =>
  new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();

/** The bytes of an upload: the body itself, or the only file of a form. */
export async function readUpload(body: Buffer, type: string): Promise<Uint8Array> {
  if (!type.startsWith("multipart/form-data")) return new Uint8Array(body);
  const file = [...(await readForm(body, type)).values()].find((value) => typeof value !== "string");
  return file ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array();
}

export function answerJson(
  response: ServerResponse,
  body: Readonly<Record<string, unknown>>,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(body));
}

export function answerRefusal(response: ServerResponse, { code, messages }: Refusal): void {
  const metadata = messages.length > 0 ? { response_metadata: { messages } } : {};
  answerJson(response, { ok: false, error: code, ...metadata });
}

export function answerPage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(`<!DOCTYPE html><html>${text}</html>`);
}
