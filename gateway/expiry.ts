/** Questions that nobody answers: after `question_ttl` they are closed, and their turn ends with a word about it. */
import type { Logger } from "pino";
import type { Clock } from "./contract.ts";
import { plainText } from "./plain-text.ts";
import { questionView } from "./questions.ts";
import type { Expired, GatewayStore, Question, Stopped } from "./store-contract.ts";

export interface Expiry {
  /** Closes what is due now; before an event is decided, so that none comes too late and counts. Throws what the store throws. */
  look(): Promise<void>;
  stop(): void;
}
export interface ExpiryDeps {
  readonly store: Pick<GatewayStore, "expire">;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Sees that these runs end, which the store has stopped. */
  readonly halt: (runs: readonly Stopped[]) => void;
}

/** Where nothing happens by which it would be noticed. */
const LONGEST_LOOK_MS = 30_000;

/** A question counts from when it was first shown: what a platform that was away has not shown does not expire. */
export function createExpiry({ store, ttlMs, clock, log, halt }: ExpiryDeps): Expiry {
  let cancel = () => {};

  async function look(): Promise<void> {
    const stopped = await store.expire(clock.now() - ttlMs, (questions) => asSeen(questions, ttlMs));
    if (stopped.length > 0) halt(stopped);
  }
  function lookAgain(): void {
    cancel = clock.after(Math.min(ttlMs, LONGEST_LOOK_MS), () => {
      look().catch((error: unknown) => log.warn({ err: error }, "could not look for questions that have expired"));
      lookAgain();
    });
  }
  lookAgain();
  return { look, stop: () => cancel() };
}

function asSeen(questions: readonly Question[], ttlMs: number): Expired {
  const closed = { type: "given_up", reason: "nobody answered in time" } as const;
  const names = [...new Set(questions.map(({ asked }) => plainText(asked.name)))].join(", ");
  const markdown = `I waited ${spanOf(ttlMs)} for an answer from ${names} and have stopped. Just ask again to go on.`;
  return {
    closed: questions.map(({ id, request, tokens, asked }) => ({
      question: id,
      view: questionView(request, tokens, asked.name, closed),
    })),
    notice: { type: "notice", markdown, tone: "info" },
  };
}

const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
] as const;

/** In the largest unit of which it is a whole number; else in seconds. */
function spanOf(ms: number): string {
  const [unitMs, name] = UNITS.find(([size]) => ms % size === 0) ?? [1000, "second"];
  const count = Math.round(ms / unitMs);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
