/** The parameters of a Bot API request, which may come as JSON or as a form with files. */
import type { IncomingMessage } from "node:http";
import { badRequest } from "./telegram-rules.ts";

export async function readParameters(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  // node: an incoming message gives buffers unless an encoding is set.
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) return readForm(body, type);
  if (body.length === 0) return {};
  const parsed: unknown = JSON.parse(body.toString());
  if (typeof parsed !== "object" || parsed === null) throw badRequest("can't parse JSON object");
  return { ...parsed };
}

/** In a form only files are not text: numbers, booleans and objects are JSON. */
async function readForm(body: Buffer, type: string): Promise<Record<string, unknown>> {
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const fields = [...form.entries()].map(([name, value]) => [
    name,
    typeof value === "string" ? plainValue(value) : value,
  ]);
  return Object.fromEntries(fields);
}

function plainValue(value: string): unknown {
  if (!/^(-?\d+|true|false|[[{].*)$/s.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
