/**
 * The outbox: makes every thread's platform show what the thread shall show.
 *
 * One lane for each thread, one call at a time in it. A lane takes what was stored first (replies, questions, notices,
 * files, in order), and only when there is none of that the newest state of a growing progress message. Stored slots
 * leave at once; progress keeps the platform's pace and gives way. A "wait" from the platform holds its place, survives
 * a restart, and holds no other place.
 */
import type { Logger } from "pino";
import type { Adapter, Clock, View } from "./contract.ts";
import { AdapterError } from "./contract.ts";
import { deliverSlot, isRefusal } from "./deliver-slot.ts";
import type { ThreadId } from "../subagents/contract.ts";
import type { GatewayStore, OpenSlot, Slot, Thread } from "./store-contract.ts";

export interface Outbox {
  /** The newest state of a slot that goes on changing; kept in memory, since the run that makes it is resumed. */
  show(thread: ThreadId, slot: Slot, view: View): void;
  /** From now on the stored state of this slot is the wanted one. */
  release(thread: ThreadId, slot: Slot): void;
  /** Something was stored for this thread. */
  wake(thread: ThreadId): void;
  /** Takes nothing new; resolves when the calls under way have returned. */
  stop(): Promise<void>;
}
export interface OutboxDeps {
  readonly store: GatewayStore;
  readonly adapter: (platform: string) => Adapter | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Lane {
  readonly live: Map<Slot, { view: View; shown: boolean }>;
  working: Promise<void> | undefined;
  /** More came while it worked. */
  again: boolean;
  cancelTimer: (() => void) | undefined;
  failures: number;
  retryAt: number;
}
/** What a lane does next. */
type Next =
  | { readonly type: "stored"; readonly slot: OpenSlot }
  | { readonly type: "live"; readonly slot: Slot; readonly view: View }
  | { readonly type: "later"; readonly at: number };

/** Between tries after a failure of the network or the platform: 1 s, 2 s, 4 s … at most a minute, without end. */
const retryDelayMs = (failures: number) => Math.min(60_000, 1000 * 2 ** (failures - 1));

class Closed extends Error {}
class Held extends Error {}

export function createOutbox({ store, adapter: adapterOf, clock, log }: OutboxDeps): Outbox {
  const lanes = new Map<ThreadId, Lane>();
  /** When a place was last called, by place key: what pace is about. */
  const lastCall = new Map<string, number>();
  let closed = false;

  function laneOf(thread: ThreadId): Lane {
    const known = lanes.get(thread);
    if (known) return known;
    const lane: Lane = {
      live: new Map(),
      working: undefined,
      again: false,
      cancelTimer: undefined,
      failures: 0,
      retryAt: 0,
    };
    lanes.set(thread, lane);
    return lane;
  }

  function wake(id: ThreadId): void {
    if (closed) return;
    const lane = laneOf(id);
    lane.again = true;
    lane.working ??= work(id, lane)
      .catch((error: unknown) => {
        log.error({ err: error }, "the outbox could not read or write its store; trying again");
        wakeAt(id, lane, clock.now() + retryDelayMs(++lane.failures));
      })
      .finally(() => {
        lane.working = undefined;
        if (lane.again) wake(id);
        else if (lane.live.size === 0 && !lane.cancelTimer) lanes.delete(id);
      });
  }

  function wakeAt(id: ThreadId, lane: Lane, at: number): void {
    lane.cancelTimer?.();
    lane.cancelTimer = clock.after(Math.max(0, at - clock.now()), () => {
      lane.cancelTimer = undefined;
      wake(id);
    });
  }

  async function work(id: ThreadId, lane: Lane): Promise<void> {
    lane.cancelTimer?.();
    lane.cancelTimer = undefined;
    const thread = await store.thread(id);
    const adapter = thread && adapterOf(thread.platform);
    while (!closed) {
      lane.again = false;
      const next = thread && adapter && (await choose(thread, adapter, lane));
      if (!next) return;
      if (next.type === "later") return wakeAt(id, lane, next.at);
      try {
        await (next.type === "stored" ? sendStored(thread, adapter, next.slot) : sendLive(thread, adapter, lane, next));
        lane.failures = 0;
      } catch (error) {
        await failed(error, thread, lane);
      }
    }
  }

  async function choose(thread: Thread, adapter: Adapter, lane: Lane): Promise<Next | undefined> {
    const now = clock.now();
    const notBefore = Math.max(lane.retryAt, await store.heldUntil(thread.place.key));
    const paceAt = (lastCall.get(thread.place.key) ?? 0) + adapter.limits.editEveryMs[thread.place.type];
    const slots = await store.unsettled(thread.id);
    const stored = slots.find(({ view }) => view.type !== "progress" || now >= paceAt);
    if (stored) return notBefore > now ? { type: "later", at: notBefore } : { type: "stored", slot: stored };
    const [live] = [...lane.live].filter(([, one]) => !one.shown);
    if (!live && slots.length === 0) return undefined;
    const at = Math.max(notBefore, paceAt);
    if (at > now || !live) return { type: "later", at };
    return { type: "live", slot: live[0], view: live[1].view };
  }

  async function sendStored(thread: Thread, adapter: Adapter, open: OpenSlot): Promise<void> {
    const receipts = await store.receipts(open.slot);
    const posted = receipts.some(({ state }) => state === "sent" || state === "intended");
    if (posted || !open.ifPosted) {
      const parts = open.parts ?? adapter.render(open.view);
      if (open.final && !open.parts) await store.decideParts(open.slot, parts);
      await deliver(thread, adapter, open.slot, open.view, parts);
    }
    await store.settle(open.slot, open.version);
  }

  async function sendLive(
    thread: Thread,
    adapter: Adapter,
    lane: Lane,
    { slot, view }: Extract<Next, { type: "live" }>,
  ) {
    await deliver(thread, adapter, slot, view, adapter.render(view));
    const live = lane.live.get(slot);
    if (live?.view === view) live.shown = true;
  }

  function deliver(thread: Thread, adapter: Adapter, slot: Slot, view: View, parts: ReturnType<Adapter["render"]>) {
    return deliverSlot({ thread, slot, view, parts }, adapter, store, async () => {
      if (closed) throw new Closed();
      if ((await store.heldUntil(thread.place.key)) > clock.now()) throw new Held();
      lastCall.set(thread.place.key, clock.now());
    });
  }

  async function failed(error: unknown, thread: Thread, lane: Lane): Promise<void> {
    if (error instanceof Closed || error instanceof Held) return;
    const { platform } = thread;
    if (isRefusal(error)) return log.error({ err: error, platform }, "the platform refused a message");
    if (error instanceof AdapterError && error.code === "rate_limited") {
      const until = clock.now() + (error.retryAfterMs ?? 1000);
      log.debug({ platform, retryAfterMs: error.retryAfterMs }, "the platform asks to wait");
      return store.hold(thread.place.key, until);
    }
    lane.failures += 1;
    lane.retryAt = clock.now() + retryDelayMs(lane.failures);
    log.warn({ err: error, platform, failures: lane.failures }, "could not send; trying again");
  }

  return {
    wake,
    show(id, slot, view) {
      const lane = laneOf(id);
      const known = lane.live.get(slot);
      if (known && JSON.stringify(known.view) === JSON.stringify(view)) return;
      lane.live.set(slot, { view, shown: false });
      wake(id);
    },
    release(id, slot) {
      laneOf(id).live.delete(slot);
      wake(id);
    },
    async stop() {
      closed = true;
      for (const lane of lanes.values()) lane.cancelTimer?.();
      for (const lane of lanes.values()) await lane.working;
    },
  };
}
