/** The enabled platforms as one: started side by side, so that one that fails takes down nothing else. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Adapter, AdapterError, type Deliver, type Health, type HttpMount, type Identity } from "./contract.ts";
import type { Readiness } from "./http.ts";

export interface Platforms {
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** Resolves when every platform has started or has said why not; goes on by itself where that makes sense. */
  start(deliver: Deliver, http: HttpMount): Promise<void>;
  /** Only what started. */
  identities(): ReadonlyMap<string, Identity>;
  readiness(): Readiness;
  /** Resolves as soon as events flow on every one of them. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export function createPlatforms(adapters: ReadonlyMap<string, Adapter>, log: Logger): Platforms {
  const identities = new Map<string, Identity>();
  const failures = new Map<string, string>();

  async function startOne(name: string, adapter: Adapter, deliver: Deliver, http: HttpMount): Promise<void> {
    try {
      identities.set(name, await adapter.start(deliver, http));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failures.set(name, reason);
      const hint = error instanceof AdapterError && error.code === "auth" ? "the other platforms go on" : undefined;
      log.error({ platform: name, reason, ...(hint && { hint }) }, "this platform is down");
    }
  }

  function readiness(): Readiness {
    const health = ([name, adapter]: [string, Adapter]): [string, Health] => {
      const lastError = failures.get(name);
      return [name, lastError === undefined ? adapter.health() : { connected: false, lastError }];
    };
    return Object.fromEntries([...adapters].map(health));
  }

  return {
    adapters,
    async start(deliver, http) {
      await Promise.all([...adapters].map(([name, adapter]) => startOne(name, adapter, deliver, http)));
    },
    identities: () => identities,
    readiness,
    async ready() {
      while (!Object.values(readiness()).every((health) => health.connected)) await sleep(100);
    },
    async stop() {
      await Promise.allSettled([...adapters.values()].map((adapter) => adapter.stop()));
    },
  };
}
