/**
 * A small strict Telegram on 127.0.0.1: point the client's `api_url` at `url`. It keeps what its chats show, refuses
 * what Telegram refuses, misbehaves on demand, and lets people write and press.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createFaults } from "./faults.ts";
import type { Fault, Faults } from "./faults.ts";
import { readParameters } from "./telegram-http.ts";
import { METHODS } from "./telegram-methods.ts";
import type { MethodContext } from "./telegram-methods.ts";
import { createUser } from "./telegram-people.ts";
import type { TelegramUser } from "./telegram-people.ts";
import { TELEGRAM_RATES, tooFast } from "./rates.ts";
import { Refusal } from "./telegram-rules.ts";
import { createUpdates } from "./telegram-updates.ts";
import type { Updates } from "./telegram-updates.ts";
import { addChat, addMessage, createWorld } from "./telegram-world.ts";
import type { WireChat, World } from "./telegram-world.ts";

export interface TelegramServerOptions {
  /** 0 (a free one) unless set. */
  readonly port?: number;
  readonly token?: string;
  readonly username?: string;
  /** Privacy mode, off unless set: then the bot is told of every message in its groups. */
  readonly privacy?: boolean;
  /** The clock by which calls are noted; the machine's unless set. */
  readonly now?: () => number;
}
interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Epoch ms of its arrival. */
  readonly at: number;
  /** What was answered; absent while it is under way, 0 when the socket was cut. */
  status?: number;
}
export interface TelegramServer {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly bot: { readonly id: number; readonly username: string };
  /** Every request, in order of arrival. */
  readonly calls: readonly Call[];
  /** What Telegram would accept or mend in silence, but no client should send. */
  readonly violations: readonly string[];
  /** Edits that came although Telegram's rates left no room. */
  tooFast(): readonly string[];
  /** The updates as they wait: `push…`, `redeliver`, `pending`. */
  readonly updates: Updates;
  /** The menu as it is set. */
  readonly commands: World["commands"];
  user(id: number, name: string, username?: string): TelegramUser;
  group(id: number, title: string): WireChat;
  supergroup(id: number, title: string): WireChat;
  /** The group becomes a supergroup with this id; returns that one. */
  migrate(group: WireChat, id: number): WireChat;
  forum(id: number, title: string): WireChat;
  /** Opens a topic; returns its id. Works in forums and in private chats. */
  topic(chat: WireChat, name: string): number;
  /** Throws for a chat that does not exist. */
  chat(id: number): WireChat;
  fail(fault: Fault): void;
  /** Sets a webhook (or none), as another program would. */
  setWebhook(url: string): void;
  /** From now on the token is refused, or accepted again. */
  setRevoked(revoked: boolean): void;
  close(): Promise<void>;
}

interface Parts {
  readonly token: string;
  readonly world: World;
  readonly updates: Updates;
  readonly faults: Faults;
  readonly calls: Call[];
  readonly violations: string[];
  readonly me: MethodContext["me"];
  readonly revoked: () => boolean;
  readonly now: () => number;
}

export async function createTelegramServer(options: TelegramServerOptions = {}): Promise<TelegramServer> {
  const { port = 0, token = "7000000001:AATestTokenTestTokenTestTokenTest00", username = "threadlinetstbot" } = options;
  const privacy = options.privacy ?? false;
  const id = Number(token.split(":", 1)[0]);
  const bot = { id, first_name: "Threadline", username, is_bot: true };
  const world = createWorld(bot);
  let revoked = false;
  const parts: Parts = {
    token,
    world,
    updates: createUpdates(),
    faults: createFaults(),
    calls: [],
    violations: [],
    me: { ...bot, can_read_all_group_messages: !privacy },
    revoked: () => revoked,
    now: options.now ?? Date.now,
  };
  const server = createServer((request, response) => void serve(parts, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address ? address.port : port;

  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    token,
    bot: { id, username },
    calls: parts.calls,
    violations: parts.violations,
    tooFast: () => tooFast(parts.calls, TELEGRAM_RATES),
    updates: parts.updates,
    get commands() {
      return world.commands;
    },
    user: (userId, name, handle) => {
      const account = { id: userId, first_name: name, username: handle ?? name.toLowerCase(), is_bot: false };
      return createUser(world, parts.updates, account, privacy);
    },
    group: (chat, title) => addChat(world, { id: chat, type: "group", title }),
    supergroup: (chat, title) => addChat(world, { id: chat, type: "supergroup", title }),
    migrate(group, chat) {
      group.migratedTo = chat;
      return addChat(world, { id: chat, type: "supergroup", title: group.title });
    },
    forum: (chat, title) => addChat(world, { id: chat, type: "supergroup", title, isForum: true }),
    topic: (chat, name) => {
      const { message_id } = addMessage({ chat, from: bot, text: name });
      chat.topics.set(message_id, { name, closed: false });
      return message_id;
    },
    chat: (chat) => {
      const found = world.chats.get(chat);
      if (!found) throw new Error(`Expected the id of a chat, got ${chat}.`);
      return found;
    },
    fail: (fault) => parts.faults.add(fault),
    setWebhook: (url) => void (world.webhook = url),
    setRevoked: (next) => void (revoked = next),
    close: () => {
      parts.updates.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function serve(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://local").pathname);
  const [, file, token = "", rest = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(path) ?? [];
  const refused = refuseToken(parts, token);
  if (refused) return answer(response, refused);
  if (file) return sendBytes(parts.world, rest, response);
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  const params = await readParameters(request).catch((error: unknown) => refusalOf(error));
  if (params instanceof Refusal) return answer(response, params);
  const call: Call = { method: rest, params, at: parts.now() };
  parts.calls.push(call);
  await perform(parts, call, response, closed.signal);
}

async function perform(parts: Parts, call: Call, response: ServerResponse, closed: AbortSignal): Promise<void> {
  const fault = parts.faults.take(call.method, call.params["chat_id"]);
  if (fault?.delayMs) await sleep(fault.delayMs);
  if (fault?.drop === "before") return cut(call, response);
  const refusal = fault && refusalBy(fault);
  const result = refusal ?? (await runMethod(parts, call, closed).catch(refusalOf));
  if (fault?.drop === "after") return cut(call, response);
  call.status = result instanceof Refusal ? result.status : 200;
  answer(response, result);
}

/** A wrong token is 401; what cannot be a token is no address at all. */
function refuseToken({ token, revoked }: Parts, given: string): Refusal | undefined {
  if (!/^\d+:[\w-]+$/.test(given)) return new Refusal(404, "Not Found");
  return given !== token || revoked() ? new Refusal(401, "Unauthorized") : undefined;
}

async function runMethod(parts: Parts, { method, params }: Call, closed: AbortSignal): Promise<unknown> {
  const known = METHODS[method];
  if (!known) throw new Refusal(404, "Not Found: method not found");
  const violate = (what: string) => void parts.violations.push(`${method}: ${what}`);
  // telegraf adds `method` to the body of a form.
  for (const name of Object.keys(params)) {
    if (!(name in known.params.shape) && name !== "method") violate(`unknown parameter "${name}"`);
  }
  return known.run(params, { world: parts.world, updates: parts.updates, me: parts.me, violate, closed });
}

const refusalOf = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal(500, `Internal Server Error: ${String(error)}`);

function refusalBy({ status, retryAfter, error }: Fault): Refusal | undefined {
  if (retryAfter !== undefined) {
    return new Refusal(429, `Too Many Requests: retry after ${retryAfter}`, { retry_after: retryAfter });
  }
  return status === undefined ? undefined : new Refusal(status, error ?? `Error ${status}`);
}

function cut(call: Call, response: ServerResponse): void {
  call.status = 0;
  response.destroy();
}

function answer(response: ServerResponse, result: unknown): void {
  if (result instanceof Refusal && result.status >= 500) {
    response.writeHead(result.status, { "content-type": "text/html" }).end(`<html>${result.message}</html>`);
    return;
  }
  const refused = result instanceof Refusal;
  const hints = refused && Object.keys(result.parameters).length > 0 ? { parameters: result.parameters } : {};
  const body = refused
    ? { ok: false, error_code: result.status, description: result.message, ...hints }
    : { ok: true, result };
  response.writeHead(refused ? result.status : 200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendBytes(world: World, path: string, response: ServerResponse): void {
  const file = world.files.get(path.replace(/^files\//, ""));
  if (!file) return answer(response, new Refusal(404, "Not Found"));
  response.writeHead(200, { "content-type": "application/octet-stream" }).end(file.bytes);
}
