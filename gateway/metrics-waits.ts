/**
 * How long people wait: from the event to the first call of their platform, and to the final reply.
 *
 * asked (an event that a turn shall answer was stored; what comes meanwhile joins) → claimed (a turn took it) → answered
 * (the platform shows the reply of its run). It ends without a figure when there was nothing to run, or the turn ended in
 * a question or was cancelled. What an earlier process was asked is not known here.
 */
import type { ThreadId } from "../subagents/contract.ts";
import type { Metrics } from "./metrics.ts";
import { type Claim, type Slot, slot } from "./store-contract.ts";

interface Wait {
  readonly platform: string;
  readonly since: number;
  /** The platform has been called for it. */
  seen: boolean;
}
export interface WaitEnds {
  firstCall(platform: string, seconds: number): void;
  reply(platform: string, seconds: number): void;
}
interface Waits extends Pick<Metrics, "asked" | "claimed" | "idle" | "calling" | "shown"> {
  /** No reply comes of this turn. */
  readonly unanswered: (claim: Claim) => void;
}

/** `now`: seconds that only go forward. */
export function createWaits(now: () => number, ends: WaitEnds): Waits {
  const asked = new Map<ThreadId, Wait>();
  const claimed = new Map<ThreadId, Wait>();
  const replies = new Map<Slot, Wait>();
  const replyOf = ({ run }: Claim): Slot => slot("reply", run);
  return {
    asked(thread, platform) {
      if (!asked.has(thread)) asked.set(thread, { platform, since: now(), seen: false });
    },
    claimed(claim) {
      const { id } = claim.thread;
      const wait = asked.get(id);
      asked.delete(id);
      claimed.delete(id);
      if (!wait) return;
      claimed.set(id, wait);
      replies.set(replyOf(claim), wait);
    },
    idle(thread) {
      asked.delete(thread);
      claimed.delete(thread);
    },
    calling(thread) {
      const wait = claimed.get(thread) ?? asked.get(thread);
      if (!wait || wait.seen) return;
      wait.seen = true;
      ends.firstCall(wait.platform, now() - wait.since);
    },
    shown(of) {
      const wait = replies.get(of);
      if (!wait) return;
      replies.delete(of);
      ends.reply(wait.platform, now() - wait.since);
    },
    unanswered: (claim) => void replies.delete(replyOf(claim)),
  };
}
