/** Discord's REST, through discord.js: every call has a time limit, none is repeated, every failure is an `AdapterError`. */
import { REST } from "discord.js";
import type { RawFile, RequestMethod } from "discord.js";
import type { Logger } from "pino";
import { z } from "zod";
import { AdapterError } from "../../gateway/contract.ts";
import { redact, toAdapterError } from "./errors.ts";

interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly route: `/${string}`;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly files?: RawFile[];
  /** False: an interaction's own token, in the route, is all that is needed. */
  readonly auth?: boolean;
  readonly timeoutMs?: number;
}
export interface Api {
  readonly token: string;
  readonly apiUrl: string;
  /** What Discord answered, read with the schema. Throws `AdapterError`, redacted. */
  call<T>(call: Call, schema: z.ZodType<T>): Promise<T>;
  /** By how many ms Discord's clock is ahead of ours, at least; undefined until Discord has answered. */
  aheadMs(): number | undefined;
  /** The same without a time limit of its own for each call, as the gateway's client needs it. */
  readonly rest: REST;
  close(): void;
}

/** Long enough for a slow answer, short enough that a lost one is noticed. */
const REQUEST_MS = 30_000;
/** The library's own limit; above every one of ours. */
const LONGEST_MS = 300_000;

export const nothing = z.unknown();

export function createApi(config: {
  readonly token: string;
  readonly apiUrl: string;
  readonly log?: Logger;
  readonly requestMs?: number;
  /** Epoch ms by our clock. */
  readonly now?: () => number;
}): Api {
  const { token, apiUrl, log, requestMs = REQUEST_MS, now = Date.now } = config;
  let aheadMs: number | undefined;
  const client = createRest(apiUrl, LONGEST_MS);
  const gateway = createRest(apiUrl, requestMs).setToken(token);
  client.on("restDebug", (message) => log?.debug({ message: redact(message, token) }, "discord.js"));

  client.on("response", (_, { headers }) => {
    // HTTP: to the second, cut, and some ms old by now, so that Discord's clock is never behind it.
    const at = Date.parse(headers.get("date") ?? "");
    if (!Number.isNaN(at)) aheadMs = at - now();
  });

  async function call<T>({ timeoutMs = requestMs, query, ...request }: Call, schema: z.ZodType<T>): Promise<T> {
    try {
      // A refused token is forgotten by the library; what comes later would then fail for another reason.
      client.setToken(token);
      const answer = await client.request({
        fullRoute: request.route,
        method: request.method as RequestMethod, // boundary: the library's enum is these very words
        body: request.body,
        ...(request.files && { files: request.files }),
        ...(query && { query: new URLSearchParams(query) }),
        auth: request.auth ?? true,
        signal: AbortSignal.timeout(timeoutMs),
      });
      return readAnswer(answer, schema, request.method);
    } catch (error) {
      throw toAdapterError(error, token);
    }
  }

  return {
    token,
    apiUrl,
    call,
    aheadMs: () => aheadMs,
    rest: gateway,
    close() {
      for (const each of [client, gateway]) {
        each.clearHashSweeper();
        each.clearHandlerSweeper();
      }
    },
  };
}

/** No waiting and no repeating inside the library: both are the outbox's, which keeps the order. */
const createRest = (api: string, timeout: number): REST =>
  new REST({ api, version: "10", retries: 0, timeout, rejectOnRateLimit: () => true });

/** A page of a proxy, say, in place of an answer. */
function readAnswer<T>(answer: unknown, schema: z.ZodType<T>, method: string): T {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const code = method === "POST" ? "unknown_outcome" : "unavailable";
  throw new AdapterError(code, `Expected an answer of Discord's form: ${z.prettifyError(read.error)}`);
}
