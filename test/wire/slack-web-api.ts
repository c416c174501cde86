/** One call of the Web API: token, faults, arguments, method, answer. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault, Faults } from "./faults.ts";
import { CHAT_METHODS } from "./slack-chat-methods.ts";
import type { Events } from "./slack-events.ts";
import { answerJson, answerPage, answerRefusal, readArguments } from "./slack-http.ts";
import type { Answer, Method } from "./slack-method.ts";
import { MORE_METHODS } from "./slack-more-methods.ts";
import { READ_METHODS } from "./slack-read-methods.ts";
import { Refusal } from "./slack-rules.ts";
import type { SocketMode } from "./slack-socket.ts";
import type { World } from "./slack-world.ts";

const METHODS: Readonly<Record<string, Method>> = { ...CHAT_METHODS, ...READ_METHODS, ...MORE_METHODS };

export interface Call {
  readonly method: string;
  /** Arguments as they came: text. Without the token. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Epoch ms of its arrival. */
  readonly at: number;
  /** `ok` or Slack's error; absent while it is under way, `cut` when the answer never came. */
  result?: string;
}
interface Token {
  readonly type: "bot" | "app";
  refusedWith: string | undefined;
}
export interface WebApi {
  readonly world: World;
  readonly events: Events;
  readonly socket: SocketMode;
  readonly faults: Faults;
  readonly violate: (what: string) => void;
  readonly calls: Call[];
  readonly tokens: ReadonlyMap<string, Token>;
  readonly scopes: readonly string[] | undefined;
  readonly now: () => number;
}
interface Asked {
  readonly body: Buffer;
  readonly type: string;
  readonly authorization: string | undefined;
}

export async function serveApi(api: WebApi, name: string, asked: Asked, response: ServerResponse): Promise<void> {
  const read = await readArguments(asked.body, asked.type).catch(refusalOf);
  if (read instanceof Refusal) return answerRefusal(response, read);
  const { token: inBody, ...params } = read;
  const given = asked.authorization?.replace(/^Bearer /, "") ?? inBody;
  const call: Call = { method: name, params, at: api.now() };
  api.calls.push(call);
  const fault = api.faults.take(name, params["channel"] ?? params["channel_id"]);
  if (fault?.delayMs) await sleep(fault.delayMs);
  if (fault?.drop === "before") return cut(call, response);
  if (fault && answerFault(fault, call, response)) return;
  const result = perform(api, name, params, typeof given === "string" ? given : "");
  if (fault?.drop === "after") return cut(call, response);
  call.result = result instanceof Refusal ? result.code : "ok";
  if (result instanceof Refusal) return answerRefusal(response, result);
  answerJson(response, { ok: true, ...result }, 200, { "x-oauth-scopes": scopesOf(api).join(",") });
}

/** What events and commands need; methods name their own. */
const EVENT_SCOPES = [
  "app_mentions:read",
  "channels:read",
  "commands",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "mpim:history",
  "reactions:read",
];
/** All that there are here, unless the test gave fewer. */
const scopesOf = ({ scopes }: WebApi): readonly string[] =>
  scopes ?? [...new Set([...EVENT_SCOPES, ...Object.values(METHODS).flatMap(({ scope }) => scope ?? [])])];

function cut(call: Call, response: ServerResponse): void {
  call.result = "cut";
  response.destroy();
}

function answerFault({ status, error, retryAfter }: Fault, call: Call, response: ServerResponse): boolean {
  if (retryAfter !== undefined) {
    call.result = "ratelimited";
    answerJson(response, { ok: false, error: "ratelimited" }, 429, { "retry-after": String(retryAfter) });
  } else if (status !== undefined && status >= 400) {
    call.result = `HTTP ${status}`;
    answerPage(response, status, error ?? "Server Error");
  } else if (error !== undefined) {
    call.result = error;
    answerRefusal(response, new Refusal(error));
  }
  return call.result !== undefined;
}

function perform(
  api: WebApi,
  name: string,
  params: Readonly<Record<string, unknown>>,
  token: string,
): Answer | Refusal {
  try {
    const known = METHODS[name];
    if (!known) throw new Refusal("unknown_method", [name]);
    const type = allowed(api, known, token);
    const violate = (what: string) => api.violate(`${name}: ${what}`);
    for (const argument of Object.keys(params)) {
      // bolt gives every call the team's id.
      if (!(argument in known.params.shape) && argument !== "team_id") violate(`unknown argument "${argument}"`);
    }
    return known.run(params, { world: api.world, events: api.events, socket: api.socket, violate, token: type });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== error) api.violate(`${name}: the loopback server itself failed: ${String(error)}`);
    return refusal;
  }
}
const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal("internal_error", [String(error)]);

function allowed(api: WebApi, method: Method, token: string): Token["type"] {
  if (token === "") throw new Refusal("not_authed");
  const known = api.tokens.get(token);
  if (!known) throw new Refusal("invalid_auth");
  if (known.refusedWith !== undefined) throw new Refusal(known.refusedWith);
  if (method.token !== "any" && method.token !== known.type) throw new Refusal("not_allowed_token_type");
  if (method.scope !== undefined && !scopesOf(api).includes(method.scope))
    throw new Refusal("missing_scope", [method.scope]);
  return known.type;
}
