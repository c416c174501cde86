/**
 * One connection of Socket Mode, from its opening to its end: transport only. Bolt's receiver is made without its own
 * reconnecting, which dies of an unhandled rejection when the token is revoked, and pauses at every refresh.
 */
import { SocketModeReceiver } from "@slack/bolt";
import type { App, ReceiverEvent } from "@slack/bolt";
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import { toAdapterError } from "./errors.ts";
import type { Answer } from "./intake.ts";
import { libraryLogger } from "./library-logger.ts";

export interface SocketOptions {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly log: Logger;
  /** Resolves when the event is stored; what it resolves with is the acknowledgement. */
  readonly handle: (body: unknown) => Promise<Answer>;
  /** Called after each acknowledgement. */
  readonly follow: (afterwards: () => Promise<unknown>) => void;
}
export interface Socket {
  /** Resolves when no more events come here: Slack asked for a new connection, or the line is dead. */
  readonly ended: Promise<void>;
  close(): void;
}

/** The library pings three times in this span; a line that answered none of them is dead. A busy process is not. */
const PONG_MS = 15_000;
const OPEN_MS = 10_000;
const HELLO_MS = 15_000;

/** Resolves with Slack's hello. Throws `AdapterError`. */
export async function openSocket(options: SocketOptions): Promise<Socket> {
  const receiver = createReceiver(options);
  const { client } = receiver;
  const ended = new Promise<void>((resolve) => {
    client.on("disconnected", () => resolve());
    // The library closes at once when it is told to go: a new connection need not wait for the old one's farewell.
    client.on("ws_message", (data: unknown) => {
      if (isFarewell(data)) resolve();
    });
  });
  const close = () => void receiver.stop().catch((error: unknown) => options.log.debug({ err: error }, "no farewell"));
  try {
    await withHello(receiver.start());
  } catch (error) {
    close();
    throw toAdapterError(error, "apps.connections.open", "app");
  }
  return { ended, close };
}

function createReceiver({ appToken, apiUrl, log, handle, follow }: SocketOptions): SocketModeReceiver {
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
  async function processEvent({ body, ack }: ReceiverEvent): Promise<void> {
    const { payload, afterwards } = await handle(body);
    await ack(payload);
    if (afterwards) follow(afterwards);
  }
  // Boundary: of bolt's App the receiver calls nothing else, and App would acknowledge before anything is stored.
  receiver.init({ processEvent } as unknown as App);
  return receiver;
}

async function withHello(start: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `Expected Slack's hello within ${HELLO_MS} ms, got none.`;
    timer = setTimeout(() => reject(new AdapterError("unavailable", message)), HELLO_MS);
  });
  const begun = start.catch((error: unknown) => {
    // The library rejects with nothing when the line is closed before the hello.
    throw error ?? new AdapterError("unavailable", "Slack closed the connection before its hello.");
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
