/**
 * A sign of life while a run works: renewed before it fades, gone when the run ends or waits. Where the platform has
 * drafts, the reply itself is the sign once it has been growing for a while.
 */
import { type Adapter, AdapterError, type Clock, type Draft, type MaybePromise, type ThreadKey } from "./contract.ts";

export interface Presence {
  /** A post of ours has wiped it away: it is shown again. */
  again(): void;
  /** What the run has said so far. */
  grow(markdown: string): void;
  /** A draft shows what grows, now or soon; nothing else has to. */
  hasDraft(): boolean;
  /** Something final leaves: no draft is begun any more. */
  complete(): void;
  end(): void;
}
export interface PresenceDeps {
  readonly adapter: Pick<Adapter, "presence" | "limits">;
  /** Asked each time: the first post of a thread may give it another key. */
  readonly thread: () => MaybePromise<ThreadKey>;
  /** The place of the thread has drafts. */
  readonly drafts: boolean;
  /** When to ask again, epoch ms; 0: the call leaves now. */
  readonly turn: (method: "presence" | "draft") => Promise<number>;
  /** A call failed. Resolves with when to come again, epoch ms; rejects where the platform said nothing about that. */
  readonly failed: (error: unknown, method: "presence" | "draft") => Promise<number>;
  readonly clock: Clock;
}

/** A reply that is complete before needs no draft. */
const DRAFT_AFTER_MS = 1000;
/** A sign is renewed so much before it fades. */
const RENEWED_AT = 0.9;

interface Growing extends Draft {
  readonly since: number;
}

/** One call after the other: an end that overtakes its beginning would leave a sign of life behind. */
export function keepPresence({ adapter, thread, drafts, turn, failed, clock }: PresenceDeps): Presence {
  const { presenceMs, draftMs } = adapter.limits;
  let cancel: () => void = () => {};
  /** When the timer that is set goes off. */
  let timerAt = Infinity;
  /** Nothing may be shown before. */
  let earliest = 0;
  let ended = false;
  let underWay: Promise<void> | undefined;
  let wanted = false;
  let canDraft = drafts;
  let growing: Growing | undefined;
  let shown: Growing | undefined;

  const dueDraft = () => (canDraft && growing && clock.now() >= growing.since + DRAFT_AFTER_MS ? growing : undefined);
  const newDraftAt = () =>
    canDraft && growing && growing.markdown !== shown?.markdown
      ? Math.max(growing.since + DRAFT_AFTER_MS, earliest)
      : Infinity;

  /** Shows it if there is room. Resolves with when to come again, epoch ms. */
  async function show(on: boolean): Promise<number> {
    const now = clock.now();
    const draft = on ? dueDraft() : undefined;
    const method = draft ? "draft" : "presence";
    const at = await turn(method);
    const key = await thread();
    if (at > 0) return (earliest = at);
    const again = now + RENEWED_AT * (draft ? draftMs : presenceMs);
    if (draft && !canDraft) return again;
    shown = draft;
    const call = adapter.presence(key, on, draft && { id: draft.id, markdown: draft.markdown });
    return call.then(
      () => Math.max(clock.now(), again),
      async (error: unknown) => (earliest = await failed(error, method)),
    );
  }

  /** Nothing to fail for: what a refused draft would have shown is shown otherwise. */
  function afterFailure(error: unknown): number {
    const code = error instanceof AdapterError ? error.code : undefined;
    if (code !== "unavailable" && code !== "unknown_outcome") canDraft = false;
    return clock.now() + RENEWED_AT * presenceMs;
  }

  function renew(): void {
    cancel();
    timerAt = Infinity;
    wanted = underWay !== undefined;
    if (ended || underWay) return;
    underWay = show(true)
      .catch(afterFailure)
      .then((at) => {
        underWay = undefined;
        if (!ended) renewAt(wanted ? clock.now() : Math.min(at, newDraftAt()));
      });
  }

  function renewAt(at: number): void {
    if (at >= timerAt) return;
    cancel();
    timerAt = at;
    cancel = clock.after(Math.max(0, at - clock.now()), renew);
  }

  renew();
  return {
    again: renew,
    grow(markdown) {
      if (ended || !canDraft) return;
      const now = clock.now();
      growing = { id: growing?.id ?? draftId(now), since: growing?.since ?? now, markdown };
      if (!underWay) renewAt(newDraftAt());
    },
    hasDraft: () => canDraft,
    complete() {
      canDraft = false;
    },
    end() {
      if (ended) return;
      ended = true;
      cancel();
      void Promise.resolve(underWay)
        .then(() => show(false))
        .catch(() => {});
    },
  };
}

/** Another one for each reply, so that no reply is taken for a change of the one before. */
const draftId = (now: number): number => 1 + (now % 0x7fff_fffe);
