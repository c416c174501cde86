/** A sign of life while a run works: renewed before it fades, gone when the run ends or waits. */
import type { Adapter, Clock, MaybePromise, ThreadKey } from "./contract.ts";

export interface Presence {
  /** A post of ours has wiped it away: it is shown again. */
  again(): void;
  end(): void;
}
export interface PresenceDeps {
  readonly adapter: Pick<Adapter, "presence" | "limits">;
  /** Asked each time: the first post of a thread may give it another key. */
  readonly thread: () => MaybePromise<ThreadKey>;
  /** When a call may leave, epoch ms; not later than now: it leaves. */
  readonly turn: () => Promise<number>;
  /** A call failed. Resolves with when to come again, epoch ms; rejects where the platform said nothing about that. */
  readonly failed: (error: unknown) => Promise<number>;
  readonly clock: Clock;
}

/** One call after the other: an end that overtakes its beginning would leave a sign of life behind. */
export function keepPresence({ adapter, thread, turn, failed, clock }: PresenceDeps): Presence {
  const renewAfterMs = adapter.limits.presenceMs * 0.9;
  let cancel: () => void = () => {};
  let ended = false;
  let underWay: Promise<void> | undefined;
  let wanted = false;

  /** Shows it if there is room. Resolves with when to come again, ms. */
  async function show(on: boolean): Promise<number> {
    const now = clock.now();
    const at = await turn();
    if (at > now) return at - now;
    const again = await adapter.presence(await thread(), on).then(() => now + renewAfterMs, failed);
    return Math.max(0, again - clock.now());
  }

  function renew(): void {
    cancel();
    wanted = underWay !== undefined;
    if (ended || underWay) return;
    underWay = show(true)
      .catch(() => renewAfterMs) // nothing to fail for
      .then((ms) => {
        underWay = undefined;
        if (!ended) cancel = clock.after(wanted ? 0 : ms, renew);
      });
  }

  renew();
  return {
    again: renew,
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
