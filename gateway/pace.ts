/**
 * Whether a call may leave: the platform's rates, kept by a governor for each platform, and the "wait" that a platform
 * has asked for, kept in the store over restarts and without a longest one.
 */
import type { Adapter, AdapterError, Clock, Method } from "./contract.ts";
import { type Call, createGovernor, type Governor } from "./governor.ts";
import type { GatewayStore, Thread } from "./store-contract.ts";

/** The platform has said "wait", and it is not over yet. */
export class Held extends Error {
  readonly until: number;
  constructor(until: number) {
    super("the platform asks to wait");
    this.until = until;
  }
}
export interface Pace {
  /** As `Governor.ask`; a thread has one call at a time. */
  ask(thread: Thread, adapter: Adapter, method: Method): number;
  leave(thread: Thread["id"]): void;
  /** Before each call. @throws Held */
  calling(thread: Thread, adapter: Adapter, method: Method): Promise<void>;
  /** The platform said "wait". Resolves with how long that is, epoch ms. */
  hold(thread: Thread, adapter: Adapter, method: Method, limit: AdapterError): Promise<number>;
  /** For a call that is nothing lost when it does not leave: when to ask again, epoch ms. 0: it leaves, and is counted. */
  spare(thread: Thread, adapter: Adapter, method: Method): Promise<number>;
}

export function createPace(store: Pick<GatewayStore, "hold" | "heldUntil">, clock: Clock): Pace {
  const governors = new Map<string, Governor>();

  function governorOf({ platform, limits }: Adapter): Governor {
    const governor = governors.get(platform) ?? createGovernor(limits.rates);
    governors.set(platform, governor);
    return governor;
  }

  const heldUntil = (thread: Thread, adapter: Adapter, method: Method) =>
    store.heldUntil(
      accountOf(thread),
      holdKey(thread, adapter, method),
      ...(isSign(method) ? [signKey(thread, adapter)] : []),
    );

  return {
    ask: (thread, adapter, method) => governorOf(adapter).ask(thread.id, callOf(thread, method), clock.now()),
    leave(id) {
      for (const governor of governors.values()) governor.leave(id);
    },
    async calling(thread, adapter, method) {
      const until = await heldUntil(thread, adapter, method);
      if (until > clock.now()) throw new Held(until);
      governorOf(adapter).made(callOf(thread, method), clock.now(), thread.id);
    },
    async hold(thread, adapter, method, { retryAfterMs = 1000, everywhere }) {
      const until = clock.now() + retryAfterMs;
      const own = isSign(method) ? signKey(thread, adapter) : holdKey(thread, adapter, method);
      await store.hold(everywhere ? accountOf(thread) : own, until);
      // Nothing gives way to a sign of life.
      if (!isSign(method)) governorOf(adapter).held(callOf(thread, method), until);
      return until;
    },
    async spare(thread, adapter, method) {
      const until = await heldUntil(thread, adapter, method);
      const now = clock.now();
      if (until > now) return until;
      const at = governorOf(adapter).spare(callOf(thread, method), now);
      if (at > now) return at;
      governorOf(adapter).made(callOf(thread, method), now);
      return 0;
    },
  };
}

const callOf = ({ key, place }: Thread, method: Method): Call => ({ method, thread: key, place });

const accountOf = ({ platform, account }: Thread): string => `${platform}:${account}`;

/** What a "wait" that answers this method is about; where all methods wait together, just the place or the thread. */
function holdKey(thread: Thread, adapter: Adapter, method: Method): string {
  const { scope, methods } = waitOf(thread, adapter, method);
  return adapter.limits.waits.length === 1 ? scope : `${scope}#${methods.join("+")}`;
}

const isSign = (method: Method): boolean => method === "presence" || method === "draft";

/** A sign of life waits with the rest, and what it meets holds only itself: no answer waits for it. */
const signKey = (thread: Thread, adapter: Adapter): string => `${waitOf(thread, adapter, "presence").scope}#presence`;

function waitOf(thread: Thread, { platform, limits }: Adapter, method: Method) {
  const wait = limits.waits.find(({ methods }) => methods.includes(method));
  if (!wait) throw new Error(`Expected ${platform} to say what a "wait" for ${method} is about`);
  const scopes = { account: accountOf(thread), place: thread.place.key, thread: thread.key };
  return { scope: scopes[wait.scope], methods: wait.methods };
}
