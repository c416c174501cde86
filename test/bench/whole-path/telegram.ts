/**
 * The loopback Telegram as the benchmark needs it: the methods, people and updates of `test/wire`, with exact times
 * and without its record of violations. What the clients of peers send and Telegram takes is taken here too: a chat id
 * as text, an empty list of kinds of updates, a `parse_mode`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readParameters } from "../../wire/telegram-http.ts";
import { type MethodContext, METHODS } from "../../wire/telegram-methods.ts";
import { createUser, type TelegramUser } from "../../wire/telegram-people.ts";
import { Refusal } from "../../wire/telegram-rules.ts";
import { createUpdates } from "../../wire/telegram-updates.ts";
import { createWorld } from "../../wire/telegram-world.ts";
import { findMark } from "./texts.ts";

/** A call of the bot that people in a chat can see. */
export interface Outgoing {
  readonly method: string;
  readonly chat: number;
  /** ms, by `performance.now()` of this process, when the request arrived. */
  readonly at: number;
  /** The turn that its text names. */
  readonly mark?: string;
}

export interface BenchTelegram {
  readonly url: string;
  readonly token: string;
  /** In order of arrival. */
  readonly outgoing: readonly Outgoing[];
  /** Resolves with the time at which the next `getUpdates` arrives; one that has something to give is answered at once. */
  nextPoll(): Promise<number>;
  /** The person of this chat writes; returns the time. */
  say(chat: number, text: string): number;
  /** Resolves with the first call of which this is true, among those to come. Never, when none comes. */
  next(wanted: (call: Outgoing) => boolean): Promise<Outgoing>;
  close(): Promise<void>;
}

const TOKEN = "7000000001:AATestTokenTestTokenTestTokenTest00";
const BOT = { id: 7000000001, first_name: "Bench", username: "benchbot", is_bot: true };

export async function createBenchTelegram(): Promise<BenchTelegram> {
  const world = createWorld(BOT);
  const updates = createUpdates();
  const people = new Map<number, TelegramUser>();
  const outgoing: Outgoing[] = [];
  const waiting = new Set<(call: Outgoing) => void>();
  let polled: ((at: number) => void)[] = [];
  const me = { ...BOT, can_read_all_group_messages: true };

  function note(call: Outgoing): void {
    outgoing.push(call);
    for (const told of waiting) told(call);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    const method = (request.url ?? "").split("/").at(-1)?.replace(/\?.*$/, "") ?? "";
    const params = asTelegramReads(await readParameters(request));
    if (typeof params["chat_id"] === "number") note(outgoingOf(method, params["chat_id"], at, params["text"]));
    if (method === "getUpdates") {
      polled.forEach((tell) => tell(at));
      polled = [];
    }
    const context: MethodContext = { world, updates, me, violate: () => {}, closed: closed.signal };
    const known = METHODS[method];
    if (!known) throw new Refusal(404, `Not Found: method ${method} not found`);
    const result: unknown = await known.run(params, context);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ok: true, result }));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      const status = error instanceof Refusal ? error.status : 500;
      const description = error instanceof Error ? error.message : String(error);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ ok: false, error_code: status, description }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // node: so for a server on a port

  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    outgoing,
    nextPoll: () => new Promise((resolve) => polled.push(resolve)),
    say(chat, text) {
      const known = people.get(chat);
      const account = { id: chat, first_name: `Person ${chat}`, is_bot: false };
      const person = known ?? createUser(world, updates, account, false);
      people.set(chat, person);
      const at = performance.now();
      person.say(person.dm, text);
      return at;
    },
    next: (wanted) =>
      new Promise((resolve) => {
        const told = (call: Outgoing) => {
          if (!wanted(call)) return;
          waiting.delete(told);
          resolve(call);
        };
        waiting.add(told);
      }),
    close: () => {
      updates.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function outgoingOf(method: string, chat: number, at: number, text: unknown): Outgoing {
  const mark = typeof text === "string" ? findMark(text) : undefined;
  return { method, chat, at, ...(mark !== undefined && { mark }) };
}

/** Bot API: `chat_id` is "Integer or String"; an empty `allowed_updates` means all kinds. */
function asTelegramReads(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { chat_id, allowed_updates, ...rest } = params;
  const chat = typeof chat_id === "string" && /^-?\d+$/.test(chat_id) ? Number(chat_id) : chat_id;
  const all = Array.isArray(allowed_updates) && allowed_updates.length === 0;
  return {
    ...rest,
    ...(chat !== undefined && { chat_id: chat }),
    ...(allowed_updates !== undefined && !all && { allowed_updates }),
  };
}
