/**
 * Keeps one connection open.
 *
 *   connecting ──hello──▶ connected ──ended──▶ connecting     at once: Slack refreshes every connection now and then
 *        ▲                    │
 *        │ after a while      └── ended within seconds, twice in a row ──┐
 *      waiting ◀── network, 429, 5xx ── connecting                       │
 *        ▲───────────────────────────────────────────────────────────────┘
 *   connecting ──▶ refused    a token is wrong or was revoked: an operator must act
 *   any        ──▶ stopped    `stop` was called
 */
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import type { Clock, Health } from "../../gateway/contract.ts";
import { pause } from "../shared/pause.ts";
import { waitAfter } from "../shared/retry-wait.ts";
import { createUnderWay } from "../shared/under-way.ts";
import type { Socket } from "./socket.ts";

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** What must succeed before each opening. Throws `AdapterError`. */
  readonly prepare: () => Promise<void>;
  /** Throws `AdapterError`. */
  readonly open: () => Promise<Socket>;
}
export interface Connection {
  /** Resolves with the outcome of the first attempt: nothing, or what it failed with. */
  readonly first: Promise<AdapterError | undefined>;
  health(): Pick<Health, "connected" | "lastError">;
  stop(): Promise<void>;
}

/** Slack may ask at any moment for a new connection, but not again and again. */
const STEADY_MS = 5000;

export function keepConnected({ clock, log, prepare, open }: ConnectionDeps): Connection {
  const ending = new AbortController();
  const stopped = new Promise<void>((resolve) => ending.signal.addEventListener("abort", () => resolve()));
  /** Old lines, on which something may still be acknowledged while the next one opens. */
  const closing = createUnderWay();
  let connected = false;
  let failures = 0;
  /** Connections in a row that ended within seconds. */
  let briefly = 0;
  let lastError: string | undefined;

  /** One connection from beginning to end; the error that ended or prevented it. */
  async function connect(opened: () => void): Promise<AdapterError | undefined> {
    try {
      const opening = prepare().then(open);
      const socket = await Promise.race([opening, stopped]);
      if (!socket) return forget(opening);
      const began = clock.now();
      connected = true;
      lastError = undefined;
      log.info("Slack is connected");
      opened();
      await Promise.race([socket.ended, stopped]);
      connected = false;
      void closing.track(socket.close());
      briefly = clock.now() - began < STEADY_MS ? briefly + 1 : 0;
      if (briefly < 2) return undefined;
      return new AdapterError("unavailable", "Slack closed the connection as soon as it was open.");
    } catch (error) {
      if (error instanceof AdapterError) return error;
      return new AdapterError("unavailable", "The connection to Slack failed.", { cause: error });
    }
  }

  /** Says whether to go on. */
  async function recover(failure: AdapterError): Promise<boolean> {
    failures += 1;
    lastError = failure.message;
    const waitMs = waitAfter(failure, failures);
    if (waitMs === "never") {
      log.error({ err: failure }, "no events from Slack");
      return false;
    }
    log.warn({ err: failure, waitMs }, "no events from Slack; it is tried again");
    await pause(clock, waitMs, ending.signal);
    return true;
  }

  async function run(tell: (outcome: AdapterError | undefined) => void): Promise<void> {
    let goOn = true;
    while (goOn && !ending.signal.aborted) {
      const failure = await connect(() => tell(undefined));
      if (ending.signal.aborted) return tell(failure);
      tell(failure);
      if (failure) goOn = await recover(failure);
      else failures = 0;
    }
  }

  let running: Promise<void> = Promise.resolve();
  const first = new Promise<AdapterError | undefined>((resolve) => {
    running = run(resolve);
  });
  return {
    first,
    health: () => ({ connected, ...(lastError !== undefined && { lastError }) }),
    async stop() {
      ending.abort();
      await running;
      await closing.settled();
    },
  };
}

/** Nobody waits for it any more; should it still open, it is closed again. */
function forget(opening: Promise<Socket>): undefined {
  opening.then(
    (socket) => void socket.close(),
    () => {},
  );
}
