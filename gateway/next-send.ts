/** What a lane of the outbox does next, as a pure function of what it knows. */
import type { View } from "./contract.ts";
import type { OpenSlot, Slot } from "./store-contract.ts";

/** Waiting after a failure or because the platform asked for it; each track has its own, and holds no other. */
export interface Backoff {
  failures: number;
  /** Epoch ms. Before `since` the clock was set back, and nothing is waited for. */
  since: number;
  retryAt: number;
}
export interface LaneState {
  readonly now: number;
  /** By the platform's pace a card is due then. */
  readonly turnAt: number;
  readonly stored: readonly OpenSlot[];
  /** A growing card whose newest state has not been shown. */
  readonly live: { readonly slot: Slot; readonly view: View } | undefined;
  readonly backoff: Readonly<Record<Track, Backoff>>;
}
/**
 * What stays in its order. Words that are posted: answers, questions, notices. The edits that close questions: platforms
 * that limit by method let them wait alone. Files, which take long and are never what is waited for first. Cards.
 */
export type Track = "words" | "closing" | "file" | "card";
export type NextSend =
  | { readonly type: "stored"; readonly slot: OpenSlot; readonly track: Track; readonly paced: boolean }
  | {
      readonly type: "live";
      readonly slot: Slot;
      readonly view: View;
      readonly track: "card";
      readonly paced: true;
    }
  | { readonly type: "later"; readonly at: number };

/** Between tries after a failure of the network or the platform: 1 s, 2 s, 4 s … at most a minute, without end. */
const LONGEST_DELAY_MS = 60_000;

export function nextBackoff({ failures }: Backoff, now: number): Backoff {
  return { failures: failures + 1, since: now, retryAt: now + Math.min(LONGEST_DELAY_MS, 1000 * 2 ** failures) };
}

/**
 * Words first, in their order and without pace; what failed steps back and lets other tracks pass. Then files, then cards,
 * which keep the platform's pace, but for the card of a run before: it is ended before the next run says anything. A
 * growing card comes when nothing stored is left. Undefined: all is shown.
 */
export function nextSend(state: LaneState): NextSend | undefined {
  const { now, stored, live } = state;
  const lastWord = stored.findLastIndex(({ view }) => trackOf(view) === "words");
  const open = stored.map((slot, index) => {
    const track = trackOf(slot.view);
    const paced = track === "card" && index > lastWord;
    return { slot, track, paced, rank: paced ? 2 : track === "file" ? 1 : 0, dueAt: dueAt(state, track, paced) };
  });
  const [first] = open.filter((each) => each.dueAt <= now).toSorted((a, b) => a.rank - b.rank);
  if (first) return { type: "stored", slot: first.slot, track: first.track, paced: first.paced };
  if (open.length > 0) return { type: "later", at: Math.min(...open.map((each) => each.dueAt)) };
  if (!live) return undefined;
  const at = dueAt(state, "card", true);
  return at > now ? { type: "later", at } : { type: "live", ...live, track: "card", paced: true };
}

function dueAt({ now, backoff, turnAt }: LaneState, track: Track, paced: boolean): number {
  const { since, retryAt } = backoff[track];
  return Math.max(now < since ? now : retryAt, paced ? turnAt : now);
}

function trackOf(view: View): Track {
  switch (view.type) {
    case "progress":
      return "card";
    case "file":
      return "file";
    case "question":
      return view.closed ? "closing" : "words";
    case "request":
    case "reply":
    case "notice":
      return "words";
  }
}
