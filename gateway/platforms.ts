/** The enabled platforms as one: started side by side, so that one that fails takes down nothing else. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { type Adapter, AdapterError, type Deliver, type Health, type HttpMount, type Identity } from "./contract.ts";
import type { Readiness } from "./http.ts";

export interface Platforms {
  readonly adapters: ReadonlyMap<string, Adapter>;
  /**
   * Calls `started` for each platform as soon as it has. Resolves when every one has started or has said why not; a
   * platform whose network is away goes on by itself.
   */
  start(deliver: Deliver, http: HttpMount, started: (platform: string, identity: Identity) => void): Promise<void>;
  readiness(): Readiness;
  /** Resolves as soon as events flow on every one of them. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export function createPlatforms(adapters: ReadonlyMap<string, Adapter>, log: Logger): Platforms {
  const failures = new Map<string, string>();

  async function startOne(
    name: string,
    start: Promise<Identity>,
    started: (identity: Identity) => void,
  ): Promise<void> {
    try {
      started(await start);
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
    async start(deliver, http, started) {
      const one = ([name, adapter]: [string, Adapter]) =>
        startOne(name, adapter.start(deliver, http), (identity) => started(name, identity));
      await Promise.all([...adapters].map(one));
    },
    readiness,
    async ready() {
      while (!Object.values(readiness()).every((health) => health.connected)) await sleep(100);
    },
    async stop() {
      await Promise.allSettled([...adapters.values()].map((adapter) => adapter.stop()));
    },
  };
}
