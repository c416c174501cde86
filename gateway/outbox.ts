/**
 * The outbox: makes every thread's platform show what the thread shall show.
 *
 * One lane for each thread, one call at a time in it. A lane takes what was stored first (replies, questions, notices, in
 * order, then files), and only when there is none of that the newest state of a growing progress message. Words leave at
 * once; cards keep the platform's pace and give way. A "wait" from the platform holds what it is about, survives a
 * restart, and holds no other chat.
 */
import type { Logger } from "pino";
import type { ThreadId } from "../subagents/contract.ts";
import {
  type Adapter,
  AdapterError,
  type Clock,
  type Method,
  type Part,
  type PlaceKey,
  type View,
} from "./contract.ts";
import { deliverSlot, isFinal, isForbidden, type SlotJob } from "./deliver-slot.ts";
import type { Metrics } from "./metrics.ts";
import { type Backoff, nextBackoff, nextSend, type NextSend, type Track } from "./next-send.ts";
import { createPace, Held } from "./pace.ts";
import { keepPresence, type Presence } from "./presence.ts";
import type { GatewayStore, OpenSlot, Slot, Thread } from "./store-contract.ts";
import { whatIsLost } from "./what-is-lost.ts";
import { answerFile, IN_FILE, replyOf, writeAnswer } from "./whole-answer.ts";

export interface Outbox {
  /** The newest state of a slot that goes on changing; kept in memory, since the run that makes it is resumed. */
  show(thread: ThreadId, slot: Slot, view: View): void;
  /** From now on the stored state of this slot is the wanted one. */
  release(thread: ThreadId, slot: Slot): void;
  /** Something was stored for this thread. */
  wake(thread: ThreadId): void;
  /** A sign of life in this thread, until it is ended. */
  present(thread: Thread): Sign;
  /** Takes nothing and forgets what was only in memory: nothing can be stored at the moment. */
  pause(): void;
  /** Goes on; the caller wakes. */
  resume(): void;
  /** Takes nothing new; resolves when the calls under way have returned. */
  stop(): Promise<void>;
}
export type Sign = Omit<Presence, "again">;
export interface OutboxDeps {
  readonly store: GatewayStore;
  readonly adapter: (platform: string) => Adapter | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Each thread has a folder of its id in it. */
  readonly threadsFolder: string;
}

interface Lane {
  readonly live: Map<Slot, { view: View; shown: boolean }>;
  readonly backoff: Record<Track, Backoff>;
  working: Promise<void> | undefined;
  /** More came while it worked. */
  again: boolean;
  cancelTimer: (() => void) | undefined;
}

const RESTED: Backoff = { failures: 0, since: 0, retryAt: 0 };
const rested = (): Record<Track, Backoff> => ({ words: RESTED, closing: RESTED, file: RESTED, card: RESTED });
class Closed extends Error {}
const isLimit = (error: unknown): error is AdapterError =>
  error instanceof AdapterError && error.code === "rate_limited";
const NO_SIGN: Sign = { grow: () => {}, hasDraft: () => false, complete: () => {}, end: () => {} };

/** See the head of this file. Nothing it does throws: what fails is tried again, given up, or logged. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, adapter: adapterOf, clock, log, metrics, threadsFolder } = deps;
  const lanes = new Map<ThreadId, Lane>();
  const pace = createPace(store, clock);
  const present = new Map<ThreadId, Presence>();
  /** Where the bot was found blocked, kicked or without rights. */
  const closedPlaces = new Set<PlaceKey>();
  let closed = false;
  let paused = false;
  const isOff = () => closed || paused;

  function laneOf(thread: ThreadId): Lane {
    const known = lanes.get(thread);
    if (known) return known;
    const lane: Lane = {
      live: new Map(),
      backoff: rested(),
      working: undefined,
      again: false,
      cancelTimer: undefined,
    };
    lanes.set(thread, lane);
    return lane;
  }

  function wake(id: ThreadId): void {
    if (isOff()) return;
    const lane = laneOf(id);
    lane.again = true;
    lane.working ??= work(id, lane)
      .catch((error: unknown) => {
        if (paused) return;
        log.error({ err: error }, "the outbox could not read or write its store; trying again");
        pace.leave(id);
        lane.backoff.words = nextBackoff(lane.backoff.words, clock.now());
        wakeAt(id, lane, lane.backoff.words.retryAt);
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
    lane.again = false;
    lane.cancelTimer?.();
    lane.cancelTimer = undefined;
    while (!isOff()) {
      lane.again = false;
      // Read each time: a post may have given the thread another key.
      const thread = await store.thread(id);
      const adapter = thread && adapterOf(thread.platform);
      if (!adapter) return pace.leave(id); // a platform that is switched off: it stays unsettled
      const next = await choose(thread, adapter, lane);
      if (!next) return;
      if (next.type === "later") return wakeAt(id, lane, next.at);
      try {
        await (next.type === "stored" ? sendStored(thread, adapter, next.slot) : sendLive(thread, adapter, lane, next));
        lane.backoff[next.track] = RESTED;
      } catch (error) {
        failed(error, thread, adapter, lane, next.track);
      } finally {
        pace.leave(id); // a card that had not changed has not used its turn
      }
    }
  }

  async function choose(thread: Thread, adapter: Adapter, lane: Lane): Promise<NextSend | undefined> {
    const now = clock.now();
    const [live] = [...lane.live].filter(([, { shown }]) => !shown);
    const state = {
      now,
      stored: await store.unsettled(thread.id),
      live: live && { slot: live[0], view: live[1].view },
      backoff: lane.backoff,
    };
    const next = nextSend({ ...state, turnAt: now });
    const method = next && (await pacedCall(next));
    if (!method) {
      pace.leave(thread.id);
      return next;
    }
    const turnAt = pace.ask(thread, adapter, method);
    return turnAt > now ? nextSend({ ...state, turnAt }) : next;
  }

  /** The call that is to wait for its turn. */
  async function pacedCall(next: NextSend): Promise<"post" | "edit" | undefined> {
    if (next.type === "later" || !next.paced) return undefined;
    const receipts = await store.receipts(next.type === "stored" ? next.slot.slot : next.slot);
    if (receipts.some(({ state }) => state === "sent")) return "edit";
    const none = next.type === "stored" && next.slot.ifPosted && receipts.every(({ state }) => state !== "intended");
    return none ? undefined : "post";
  }

  async function sendStored(thread: Thread, adapter: Adapter, open: OpenSlot): Promise<void> {
    const receipts = await store.receipts(open.slot);
    const posted = receipts.some(({ state }) => state === "sent" || state === "intended");
    if (posted || !open.ifPosted) {
      const parts = open.parts ?? (open.final ? await decideParts(thread, adapter, open) : draw(adapter, open.view));
      const { slot: name, view, final } = open;
      await deliver({ thread, slot: name, view, parts, final }, adapter).catch(async (error: unknown) => {
        const lost = replyOf(open.slot) ? undefined : whatIsLost(error, open);
        if (lost) await store.show(thread.id, [lost]);
        throw error;
      });
      await makeUpFor(open.slot);
    }
    await store.settle(open.slot, open.version);
    metrics.shown(open.slot);
  }

  async function decideParts(thread: Thread, adapter: Adapter, open: OpenSlot): Promise<readonly Part[]> {
    const all = draw(adapter, open.view);
    const { answerParts, uploadBytes } = adapter.limits;
    const write =
      all.length > answerParts && !(await isGivenUp(answerFile(open.slot)))
        ? await writeAnswer(open, thread.id, threadsFolder)
        : undefined;
    const fits = write?.view.type === "file" && write.view.sizeBytes <= uploadBytes;
    const parts = fits ? [...all.slice(0, 1), ...draw(adapter, IN_FILE)] : all;
    await store.decideParts(open.slot, parts, fits ? { thread: thread.id, write } : undefined);
    return parts;
  }

  /** A file that was refused leaves its answer to its parts. Told by the receipt, so that a crash between changes nothing. */
  async function makeUpFor(file: Slot): Promise<void> {
    const reply = replyOf(file);
    if (reply && (await isGivenUp(file))) await store.decideAgain(reply);
  }

  const isGivenUp = async (name: Slot) => (await store.receipts(name)).some(({ state }) => state === "given_up");

  async function sendLive(
    thread: Thread,
    adapter: Adapter,
    lane: Lane,
    { slot: name, view }: Extract<NextSend, { type: "live" }>,
  ) {
    await deliver({ thread, slot: name, view, parts: draw(adapter, view), final: false }, adapter);
    const live = lane.live.get(name);
    if (live?.view === view) live.shown = true;
  }

  /** A view that an adapter cannot draw must not hold all that comes after it: a sentence stands for it. */
  function draw(adapter: Adapter, view: View): readonly Part[] {
    try {
      return adapter.render(view);
    } catch (error) {
      log.error({ err: error, platform: adapter.platform, view: view.type }, "a view could not be drawn");
      return adapter.render({ type: "notice", markdown: "Something could not be shown here.", tone: "warning" });
    }
  }

  async function deliver(job: SlotJob, adapter: Adapter): Promise<void> {
    let method: Method | undefined;
    const beforeCall = async (next: Method) => {
      if (isOff()) throw new Closed();
      method = next;
      await pace.calling(job.thread, adapter, next);
      metrics.calling(job.thread.id);
    };
    try {
      await deliverSlot(job, adapter, store, beforeCall);
    } catch (error) {
      if (!isLimit(error) || method === undefined || paused) throw error;
      log.debug({ platform: adapter.platform, method, retryAfterMs: error.retryAfterMs }, "the platform asks to wait");
      throw new Held(await pace.hold(job.thread, adapter, method, error));
    }
    if (method === "post") present.get(job.thread.id)?.again();
    if (method !== undefined) closedPlaces.delete(job.thread.place.key);
  }

  /** Said once, until something is taken there again: one blocked chat may have many messages to come. */
  function shutOut(place: PlaceKey, platform: string, error: unknown): void {
    if (!closedPlaces.has(place)) log.error({ err: error, platform, place }, "the bot may not write in a place");
    closedPlaces.add(place);
  }

  function failed(error: unknown, { place }: Thread, { platform }: Adapter, lane: Lane, track: Track): void {
    if (paused || error instanceof Closed) return;
    const now = clock.now();
    const { failures } = lane.backoff[track];
    if (error instanceof Held) return void (lane.backoff[track] = { failures, since: now, retryAt: error.until });
    if (isForbidden(error)) return shutOut(place.key, platform, error);
    if (isFinal(error)) return log.error({ err: error, platform }, "the platform refused a message");
    const backoff = nextBackoff(lane.backoff[track], now);
    lane.backoff[track] = backoff;
    log.warn({ err: error, platform, failures: backoff.failures }, "could not send; trying again");
  }

  return {
    wake,
    show(id, slot, view) {
      if (paused) return;
      const lane = laneOf(id);
      lane.live.set(slot, { view, shown: false });
      // A timer that is set finds the newest state; nothing newer could leave before it. So a token costs no read.
      if (!lane.cancelTimer) wake(id);
    },
    present(thread) {
      const adapter = adapterOf(thread.platform);
      if (!adapter) return NO_SIGN;
      const presence = keepPresence({
        adapter,
        clock,
        thread: async () => (await store.thread(thread.id))?.key ?? thread.key,
        drafts: adapter.limits.draftMs > 0 && thread.place.type === "direct",
        turn: (method) => pace.spare(thread, adapter, method),
        failed: async (error, method) => {
          if (!isLimit(error)) throw error;
          return pace.hold(thread, adapter, method, error);
        },
      });
      present.set(thread.id, presence);
      const end = () => {
        if (present.get(thread.id) === presence) present.delete(thread.id);
        presence.end();
      };
      return { ...presence, end };
    },
    release(id, slot) {
      laneOf(id).live.delete(slot);
      wake(id);
    },
    pause() {
      paused = true;
      for (const lane of lanes.values()) {
        lane.live.clear();
        lane.cancelTimer?.();
        lane.cancelTimer = undefined;
      }
    },
    resume() {
      paused = false;
      for (const [id, lane] of lanes) {
        Object.assign(lane.backoff, rested());
        wake(id);
      }
    },
    async stop() {
      closed = true;
      for (const lane of lanes.values()) lane.cancelTimer?.();
      for (const lane of lanes.values()) await lane.working;
    },
  };
}
