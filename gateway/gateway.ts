/**
 * The gateway: accept → run → render → send. Adapters call `deliver`; everything after it follows from the store.
 */
import type { Logger } from "pino";
import type { LeadAgent } from "../agent/contract.ts";
import type { Adapter, Clock, Deliver, Inbound } from "./contract.ts";
import { createDecide, type Policy } from "./decide.ts";
import { createOutbox } from "./outbox.ts";
import { createRefusalLimit } from "./refusal-limit.ts";
import type { InputDeps } from "./run-input.ts";
import { createRunner } from "./runner.ts";
import type { GatewayStore } from "./store-contract.ts";
import { createThreadQueue } from "./thread-queue.ts";

export interface GatewayDeps {
  readonly store: GatewayStore;
  readonly agent: LeadAgent;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly log: Logger;
  readonly input: Omit<InputDeps, "store">;
}
export interface Gateway {
  readonly deliver: Deliver;
  /** Goes on with every run and every message that an earlier process left. */
  recover(): Promise<void>;
  /** Takes nothing new, lets the calls under way return, leaves runs resumable. */
  stop(): Promise<void>;
}

export function createGateway(deps: GatewayDeps): Gateway {
  const { store, clock, log } = deps;
  const adapter = (platform: string) => deps.adapters.get(platform);
  const outbox = createOutbox({ store, adapter, clock, log });
  const runner = createRunner({ ...deps, outbox, adapter });
  const queue = createThreadQueue(store, runner, clock, log);
  const decide = createDecide(deps.policy);
  const refusals = createRefusalLimit(clock);

  async function deliver(event: Inbound) {
    const { accepted, rule, reply, wake, stop } = await store.accept(event, decide);
    log.debug({ platform: event.platform, type: event.type, rule, accepted }, "event");
    stop.forEach((run) => queue.abort(run));
    for (const thread of wake) {
      outbox.wake(thread);
      queue.kick(thread);
    }
    if (!reply || (!accepted && event.type === "message" && !refusals.allow(event))) return { accepted };
    return { accepted, reply };
  }

  return {
    deliver,
    async recover() {
      for (const thread of await store.unsettledThreads()) outbox.wake(thread);
      for (const thread of await store.busyThreads()) queue.kick(thread);
    },
    async stop() {
      await queue.stop();
      await outbox.stop();
    },
  };
}
