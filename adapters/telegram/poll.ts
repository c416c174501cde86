/**
 * Long polling.
 *
 *   connecting ──prepared──▶ polling ──▶ polling …     each round: ask, deliver one after another, advance the offset
 *        ▲                      │
 *        └──────waiting ◀───────┤  429, 409, network, 5xx, or an update that could not be stored
 *                               ├──▶ refused            the token is wrong: an operator must act
 *                               └──▶ stopped            `stop` was called
 *
 * Telegram takes an update as confirmed once a later offset is asked for. The offset advances only after `handle` has
 * resolved, so what could not be stored is given again, by Telegram, also after a restart.
 */
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import type { Clock, Health } from "../../gateway/contract.ts";
import { pause } from "../shared/pause.ts";
import { waitAfter } from "../shared/retry-wait.ts";
import type { Api } from "./api.ts";
import { toAdapterError } from "./errors.ts";
import { ALLOWED_UPDATES } from "./update.ts";
import type { Numbered } from "./update.ts";

/** Telegram holds an empty answer back so long, s; the request itself may take a little longer. */
const POLL_SECONDS = 30;
const POLL_GRACE_MS = 15_000;
/** Telegram: at most 100 updates a call. */
const BATCH = 100;
const LOG_EVERY_MS = 10_000;
/** Without a round for this long nothing can be said to flow. */
const STALE_MS = 2 * POLL_SECONDS * 1000 + POLL_GRACE_MS;

export interface PollDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Logger;
  /** What must have succeeded once before the first round. */
  readonly prepare: () => Promise<void>;
  /** Resolves when the update is stored or was not for us. */
  readonly handle: (update: Numbered) => Promise<void>;
}
export interface Poll {
  health(): Health;
  /** Resolves when the update in hand is stored. */
  stop(): Promise<void>;
}

export function startPoll({ api, clock, log, prepare, handle }: PollDeps): Poll {
  const ending = new AbortController();
  const sparsely = sparse(clock);
  let offset: number | undefined;
  let failures = 0;
  let prepared = false;
  /** A failure was logged, and nothing since. */
  let complained = false;
  let lastRoundAt: number | undefined;
  let lastEventAt: number | undefined;
  let lastError: string | undefined;

  async function round(): Promise<void> {
    if (!prepared) await prepare();
    prepared = true;
    const timeout = lastRoundAt === undefined || failures > 0 ? 0 : POLL_SECONDS;
    const updates = await api.call(
      "getUpdates",
      { ...(offset !== undefined && { offset }), timeout, limit: BATCH, allowed_updates: ALLOWED_UPDATES },
      { timeoutMs: timeout * 1000 + POLL_GRACE_MS, signal: ending.signal },
    );
    for (const numbered of inOrder(updates)) {
      if (ending.signal.aborted) return;
      await store(numbered);
      offset = Math.max(offset ?? 0, numbered.id + 1);
      lastEventAt = clock.now();
    }
    flowing();
  }

  function flowing(): void {
    if (lastRoundAt === undefined || complained) log.info("Telegram is connected");
    complained = false;
    lastRoundAt = clock.now();
    failures = 0;
    lastError = undefined;
  }

  async function store(numbered: Numbered): Promise<void> {
    await handle(numbered).catch((cause: unknown) => {
      throw new AdapterError("unavailable", "An update could not be stored; Telegram will give it again.", { cause });
    });
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await round();
      } catch (error) {
        if (ending.signal.aborted) return;
        const failure = toAdapterError(error, api.token);
        failures += 1;
        lastError = failure.message;
        const waitMs = waitAfter(failure, failures);
        if (waitMs === "never") return log.error({ err: failure }, "no updates from Telegram");
        sparsely(() => {
          log.warn({ err: failure, waitMs }, "no updates from Telegram");
          complained = true;
        });
        await pause(clock, waitMs, ending.signal);
      }
    }
  }

  const running = run();
  return {
    health: () => ({
      connected:
        failures === 0 && lastRoundAt !== undefined && clock.now() - lastRoundAt < STALE_MS && !ending.signal.aborted,
      ...(lastEventAt !== undefined && { lastEventAt }),
      ...(lastError !== undefined && { lastError }),
    }),
    stop: () => {
      ending.abort();
      return running;
    },
  };
}

/** By `update_id`, which Telegram counts up. What has no id cannot be confirmed and is not an update. */
function inOrder(updates: readonly unknown[]): Numbered[] {
  const numbered = updates.map((update) => ({ id: updateId(update), update }));
  if (updates.length > 0 && numbered.every(({ id }) => id === undefined)) {
    throw new AdapterError("unavailable", "Expected updates with an update_id, got none that has one.");
  }
  return numbered
    .flatMap(({ id, update }) => (id === undefined ? [] : [{ id, update }]))
    .toSorted((a, b) => a.id - b.id);
}

function updateId(update: unknown): number | undefined {
  if (typeof update !== "object" || update === null || !("update_id" in update)) return undefined;
  return typeof update.update_id === "number" ? update.update_id : undefined;
}

/** Runs what it is given, at most once in `LOG_EVERY_MS`. */
function sparse(clock: Clock): (log: () => void) => void {
  let last = -Infinity;
  return (log) => {
    if (clock.now() - last < LOG_EVERY_MS) return;
    last = clock.now();
    log();
  };
}
