/** What a lane of the outbox does next, as a pure function of what it knows. */
import type { View } from "./contract.ts";
import type { OpenSlot, Slot } from "./store-contract.ts";

/** Waiting after failures; replies and the like have one, progress has another and never holds them. */
export interface Backoff {
  failures: number;
  /** Epoch ms. Before `since` the clock was set back, and nothing is waited for. */
  since: number;
  retryAt: number;
}
export interface LaneState {
  readonly now: number;
  /** The platform said "wait": epoch ms. */
  readonly heldUntil: number;
  /** By the platform's pace the next edit of a growing card is due then. */
  readonly paceAt: number;
  readonly stored: readonly OpenSlot[];
  /** A growing card whose newest state has not been shown. */
  readonly live: { readonly slot: Slot; readonly view: View } | undefined;
  readonly backoff: Readonly<Record<Urgency, Backoff>>;
}
export type Urgency = "stored" | "progress";
export type NextSend =
  | { readonly type: "stored"; readonly slot: OpenSlot; readonly urgency: Urgency }
  | { readonly type: "live"; readonly slot: Slot; readonly view: View; readonly urgency: "progress" }
  | { readonly type: "later"; readonly at: number };

/** Between tries after a failure of the network or the platform: 1 s, 2 s, 4 s … at most a minute, without end. */
const LONGEST_DELAY_MS = 60_000;

export function nextBackoff({ failures }: Backoff, now: number): Backoff {
  return { failures: failures + 1, since: now, retryAt: now + Math.min(LONGEST_DELAY_MS, 1000 * 2 ** failures) };
}

/**
 * Stored slots first, in their order, without pace; one that failed steps back and lets the others pass. A growing card
 * comes last and keeps the platform's pace. Undefined: all is shown.
 */
export function nextSend(state: LaneState): NextSend | undefined {
  const { now, heldUntil, stored, live } = state;
  const dueAt = (urgency: Urgency) => (now < state.backoff[urgency].since ? now : state.backoff[urgency].retryAt);
  const ready = stored.find((slot) => dueAt(urgencyOf(slot.view)) <= now);
  if (ready) {
    if (heldUntil > now) return { type: "later", at: heldUntil };
    return { type: "stored", slot: ready, urgency: urgencyOf(ready.view) };
  }
  if (stored.length > 0) {
    const retryAt = Math.min(...stored.map((slot) => dueAt(urgencyOf(slot.view))));
    return { type: "later", at: Math.max(heldUntil, retryAt) };
  }
  if (!live) return undefined;
  const at = Math.max(heldUntil, state.paceAt, dueAt("progress"));
  return at > now ? { type: "later", at } : { type: "live", ...live, urgency: "progress" };
}

function urgencyOf(view: View): Urgency {
  return view.type === "progress" ? "progress" : "stored";
}
