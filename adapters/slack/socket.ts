/**
 * One connection of Socket Mode, from its opening to its end: transport only. Bolt's receiver is made without its own
 * reconnecting, which dies of an unhandled rejection when the token is revoked, and pauses at every refresh.
 *
 *   opening ──hello──▶ open ──farewell──▶ leaving ──`close`──▶ closed
 *
 * Slack says farewell before it takes a line back. Until `close` is done, what came on it may still be acknowledged.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { SocketModeReceiver } from "@slack/bolt";
import type { App, ReceiverEvent } from "@slack/bolt";
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import { createUnderWay } from "../shared/under-way.ts";
import type { UnderWay } from "../shared/under-way.ts";
import { toAdapterError } from "./errors.ts";
import type { Answer } from "./intake.ts";
import { libraryLogger } from "./library-logger.ts";

export interface SocketOptions {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly log: Logger;
  /** Resolves when the event is stored; what it resolves with is the acknowledgement. */
  readonly handle: (body: unknown) => Promise<Answer>;
  /** Called after each acknowledgement, also after one that did not get through. */
  readonly follow: (afterwards: () => Promise<unknown>) => void;
}
export interface Socket {
  /** Resolves when no more events come here: Slack asked for a new connection, or the line is dead. */
  readonly ended: Promise<void>;
  /** Lets what is in hand be acknowledged first, for a while; resolves when it is closed. */
  close(): Promise<void>;
}

/** The library pings three times in this span; a line that answered none of them is dead. A busy process is not. */
const PONG_MS = 15_000;
const OPEN_MS = 10_000;
const HELLO_MS = 15_000;
/** Slack closes a line about ten seconds after its farewell; an acknowledgement later than 3 s is of little use. */
const LEAVING_MS = 5000;

/** Resolves with Slack's hello. Throws `AdapterError`. */
export async function openSocket(options: SocketOptions): Promise<Socket> {
  const inHand = createUnderWay();
  const receiver = createReceiver(options, inHand);
  const ended = endOf(receiver.client);
  async function close(): Promise<void> {
    await Promise.race([inHand.settled(), sleep(LEAVING_MS, undefined, { ref: false })]);
    await receiver.stop().catch((error: unknown) => options.log.debug({ err: error }, "no farewell"));
  }
  try {
    await withHello(Promise.race([receiver.start(), ended.then(() => Promise.reject(endedEarly()))]));
  } catch (error) {
    void close();
    throw toAdapterError(error, "apps.connections.open", "app");
  }
  return { ended, close };
}

const endedEarly = () => new AdapterError("unavailable", "Slack closed the connection before its hello.");

/**
 * The library closes the line as soon as it hears Slack's farewell, and what is in hand then could not be acknowledged
 * any more. So it does not hear it.
 */
function endOf(client: SocketModeReceiver["client"]): Promise<void> {
  const listeners = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  return new Promise<void>((resolve) => {
    client.on("disconnected", () => resolve());
    client.on("ws_message", (data: unknown, isBinary: unknown) => {
      if (isFarewell(data)) resolve();
      else for (const listener of listeners) listener.call(client, data, isBinary);
    });
  });
}

function createReceiver(options: SocketOptions, inHand: UnderWay): SocketModeReceiver {
  const { appToken, apiUrl, log } = options;
  const receiver = new SocketModeReceiver({
    appToken,
    logger: libraryLogger(log),
    autoReconnectEnabled: false,
    clientPingTimeout: PONG_MS,
    installerOptions: {
      clientOptions: {
        slackApiUrl: apiUrl,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        timeout: OPEN_MS,
      },
    },
    processEventErrorHandler: ({ error }) => {
      log.warn({ err: error }, "an event was not acknowledged; Slack gives it again");
      return Promise.resolve(false);
    },
  });
  const processEvent = (event: ReceiverEvent) => inHand.track(acknowledge(event, options));
  // Boundary: of bolt's App the receiver calls nothing else, and App would acknowledge before anything is stored.
  receiver.init({ processEvent } as unknown as App);
  return receiver;
}

/** Rejects where there was nothing to acknowledge, or no way to: what is to follow then follows all the same. */
async function acknowledge({ body, ack }: ReceiverEvent, { handle, follow }: SocketOptions): Promise<void> {
  const { payload, afterwards, instead } = await handle(body);
  try {
    await ack(payload);
  } catch (error) {
    if (instead) follow(instead);
    throw error;
  } finally {
    if (afterwards) follow(afterwards);
  }
}

async function withHello(start: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `Expected Slack's hello within ${HELLO_MS} ms, got none.`;
    timer = setTimeout(() => reject(new AdapterError("unavailable", message)), HELLO_MS);
  });
  const begun = start.catch((error: unknown) => {
    // The library rejects with nothing when the line is closed before the hello.
    throw error ?? endedEarly();
  });
  begun.catch(() => {});
  try {
    await Promise.race([begun, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** `{"type":"disconnect","reason":"refresh_requested"}`; the word alone may be anybody's. */
function isFarewell(data: unknown): boolean {
  if (typeof data !== "string" || !data.includes('"disconnect"')) return false;
  const message: unknown = JSON.parse(data);
  return typeof message === "object" && message !== null && "type" in message && message.type === "disconnect";
}
