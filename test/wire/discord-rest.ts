/** REST: route, token, fault, limit, work, answer, in this order. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Buckets } from "./discord-buckets.ts";
import { readBody, sendAnswer, sendRateLimit, sendRefusal } from "./discord-http.ts";
import { Refusal, refusal } from "./discord-refusals.ts";
import { findRoute, needsNoToken } from "./discord-routes.ts";
import type { Found } from "./discord-routes.ts";
import type { Site } from "./discord-site.ts";
import type { World } from "./discord-world.ts";
import type { Fault, Faults } from "./faults.ts";

/** `method` is a route as in `POST /channels/:id/messages`, `place` the first id in its path. */
export interface DiscordFault extends Fault {
  /** Discord's own error code. */
  readonly code?: number;
  /** With `retryAfter`: the limit is the whole bot's. */
  readonly global?: boolean;
}
export interface Call {
  /** As in `POST /channels/:id/messages`. */
  readonly route: string;
  readonly path: string;
  readonly place: string;
  readonly body: unknown;
  /** Epoch ms of its arrival, by this machine's clock. */
  readonly at: number;
  /** What was answered; absent while it is under way, 0 when the socket was cut. */
  status?: number;
}
export interface Rest {
  readonly site: Site;
  readonly accepts: (token: unknown) => boolean;
  readonly faults: Faults;
  readonly buckets: Buckets;
  readonly calls: Call[];
}

/** One REST request from arrival to answer. */
export async function serve(parts: Rest, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const url = new URL(request.url ?? "/", "http://local");
    if (url.pathname.startsWith("/attachments/")) return sendFile(parts.site.world, url, response);
    const [, path] = /^\/api\/v10(\/.+)$/.exec(url.pathname) ?? [];
    if (path === undefined) throw refusal("no_route");
    const found = findRoute(request.method ?? "", decodeURIComponent(path));
    const [scheme, token] = (request.headers.authorization ?? "").split(" ");
    if (!needsNoToken(found.name) && (scheme !== "Bot" || !parts.accepts(token))) throw refusal("unauthorized");
    const { json, uploads } = await readBody(request);
    const place = found.params[0] ?? "";
    const call: Call = { route: found.name, path, place, body: json, at: Date.now() };
    parts.calls.push(call);
    await perform(parts, found, call, { params: found.params, query: url.searchParams, body: json, uploads }, response);
  } catch (error) {
    sendRefusal(response, refusalOf(error));
  }
}

async function perform(
  { site, faults, buckets }: Rest,
  found: Found,
  call: Call,
  request: Parameters<Found["handler"]>[0],
  response: ServerResponse,
): Promise<void> {
  const fault = faults.take(call.route, call.place);
  if (fault?.delayMs) await sleep(fault.delayMs);
  if (fault?.drop === "before") return cut(call, response);
  const { headers, limited } = buckets.take(call.route, call.place);
  const limit = fault?.retryAfter === undefined ? limited : limitBy(fault, fault.retryAfter);
  if (limit) {
    call.status = 429;
    return sendRateLimit(response, limit);
  }
  const noting = { ...site, violate: (what: string) => site.violate(`${call.route}: ${what}`) };
  const result =
    refusalBy(fault) ??
    (await Promise.resolve()
      .then(() => found.handler(request, noting))
      .catch(refusalOf));
  if (fault?.drop === "after") return cut(call, response);
  call.status = result.status;
  if (result instanceof Refusal) sendRefusal(response, result, headers);
  else sendAnswer(response, { ...result, headers });
}

const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(500, 0, `Internal Server Error: ${String(error)}`);

const limitBy = (fault: Fault, retryAfter: number) => ({
  retryAfter,
  global: "global" in fault && fault.global === true,
});

function refusalBy(fault: Fault | undefined): Refusal | undefined {
  if (fault?.status === undefined) return undefined;
  const code = "code" in fault && typeof fault.code === "number" ? fault.code : 0;
  return new Refusal(fault.status, code, fault.error ?? `Error ${fault.status}`);
}

function cut(call: Call, response: ServerResponse): void {
  call.status = 0;
  response.destroy();
}

/** Links are signed for a day. */
function sendFile(world: World, url: URL, response: ServerResponse): void {
  const file = world.files.get(url.pathname.split("/")[3] ?? "");
  const expires = Number.parseInt(url.searchParams.get("ex") ?? "0", 16) * 1000;
  if (!file || expires < world.now()) {
    response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.");
    return;
  }
  response.writeHead(200, { "content-type": file.mime }).end(file.bytes);
}
