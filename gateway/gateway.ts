/**
 * The gateway: accept → run → render → send. Adapters call `deliver`; everything after it follows from the store.
 */
import type { Logger } from "pino";
import type { LeadAgent } from "../agent/contract.ts";
import type { Adapter, Clock, Deliver, Inbound } from "./contract.ts";
import { createDecide } from "./decide.ts";
import { type Disk, ENDLESS } from "./disk.ts";
import { createExpiry } from "./expiry.ts";
import { type Metrics, UNCOUNTED } from "./metrics.ts";
import { createOutbox } from "./outbox.ts";
import type { Policy } from "./policy.ts";
import { createRefusalLimit } from "./refusal-limit.ts";
import type { InputDeps } from "./run-input.ts";
import { createRunner } from "./runner.ts";
import type { Accepted, Decide, Decision, GatewayStore, Stopped } from "./store-contract.ts";
import { createThreadQueue } from "./thread-queue.ts";

export interface GatewayDeps {
  readonly store: GatewayStore;
  readonly agent: LeadAgent;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly log: Logger;
  readonly input: Omit<InputDeps, "store">;
  /** Absent: questions do not expire. */
  readonly questionTtlMs?: number;
  /** Absent: nobody counts. */
  readonly metrics?: Metrics;
  /** Absent: nobody watches it. */
  readonly disk?: Disk;
  /** Somebody asked to be forgotten, and that is stored. */
  readonly onForget?: () => void;
}
export interface Gateway {
  readonly deliver: Deliver;
  /** Goes on with every run and every message that an earlier process left. */
  recover(): Promise<void>;
  /** Sees that these runs end, which the store has stopped. */
  halt(runs: readonly Stopped[]): void;
  /** Takes nothing new, lets the calls under way return, leaves runs resumable. */
  stop(): Promise<void>;
}

/** An event that our rules cannot bear is dropped, without its content in the log: its platform would repeat it for ever. */
function orDropped(decide: Decide, log: Logger): Decide {
  return (event, facts) => {
    try {
      return decide(event, facts);
    } catch (error) {
      log.error({ err: error, platform: event.platform, type: event.type }, "an event could not be decided; dropped");
      return { rule: "it could not be decided", effects: [] };
    }
  };
}

/** Told each time: the platform's own answer to it is seen by that person alone. */
function isAnsweredAlone(event: Inbound): boolean {
  switch (event.type) {
    case "press":
    case "form":
      return true;
    case "command":
      return event.topLevel === true;
    case "message":
      return event.unseen === true;
    case "edited":
    case "deleted":
    case "place":
      return false;
  }
}

/** A turn of the thread shall follow from it. */
const asks = ({ effects }: Decision): boolean => effects.some(({ type }) => type === "queue" || type === "answer");

/** Nothing runs and nothing is sent until `recover` or `deliver` is called. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { store, clock, log, metrics = UNCOUNTED, disk = ENDLESS } = deps;
  const adapter = (platform: string) => deps.adapters.get(platform);
  const outbox = createOutbox({ store, adapter, clock, log, metrics, threadsFolder: deps.input.threadsFolder });
  const runner = createRunner({ ...deps, outbox, adapter, metrics });
  const queue = createThreadQueue(store, runner, clock, log, metrics);
  const decide = orDropped(createDecide(deps.policy), log);
  const refusals = createRefusalLimit(clock);

  const expiry =
    deps.questionTtlMs === undefined ? undefined : createExpiry({ store, ttlMs: deps.questionTtlMs, clock, log, halt });

  function halt(runs: readonly Stopped[]): void {
    for (const { run, thread } of runs) {
      queue.abort(run);
      queue.kick(thread);
      outbox.wake(thread);
    }
  }

  async function accept(event: Inbound, how: Decide): Promise<Accepted> {
    try {
      await expiry?.look();
      return await store.accept(event, how);
    } catch (error) {
      throw disk.explain(error);
    }
  }

  async function safe(): Promise<void> {
    try {
      await store.safe();
    } catch (error) {
      throw disk.explain(error);
    }
  }

  /** What follows is begun at once; the platform is told when the event is safe. */
  async function deliver(event: Inbound) {
    const refusal = disk.refusal(event);
    if (refusal) throw refusal;
    let asked = false;
    let forgets = false;
    const { accepted, rule, reply, refused, wake, stop } = await accept(event, (...about) => {
      const decision = decide(...about);
      asked = asks(decision);
      forgets = decision.effects.some(({ type }) => type === "forget");
      return decision;
    });
    // Of the event alone: what follows from it may fail without it.
    const stored = safe();
    stored.catch(() => {}); // told below
    metrics.event(event, accepted);
    log.debug({ platform: event.platform, type: event.type, rule, accepted }, "event");
    stop.forEach((run) => queue.abort(run));
    for (const thread of wake) {
      if (asked) metrics.asked(thread, event.platform);
      outbox.wake(thread);
      queue.kick(thread);
    }
    if (forgets) deps.onForget?.();
    await stored;
    const silent = refused && !isAnsweredAlone(event) && !refusals.allow(event);
    return reply && !silent ? { accepted, reply } : { accepted };
  }

  async function recover(): Promise<void> {
    await expiry?.look();
    for (const thread of await store.unsettledThreads()) outbox.wake(thread);
    for (const id of await store.busyThreads()) {
      const thread = await store.thread(id);
      // What belongs to a platform that is switched off waits until it is on again.
      if (thread && adapter(thread.platform)) queue.kick(id);
    }
  }

  // What was undone seemed to have happened: all that is in memory is let go of, and begins again as after a crash.
  disk.serve({
    pause() {
      queue.pause();
      outbox.pause();
    },
    async resume() {
      outbox.resume();
      await queue.resume();
      await recover();
    },
  });

  return {
    deliver,
    recover,
    halt,
    async stop() {
      expiry?.stop();
      await queue.stop();
      await outbox.stop();
    },
  };
}
