/**
 * What the gateway tells whoever counts. Each call is a few additions in memory; what the store knows by itself (queue,
 * runs, tasks, tokens) is not told here but read from it when somebody looks.
 */
import type { ThreadId } from "../subagents/contract.ts";
import type { AdapterErrorCode, Inbound } from "./contract.ts";
import type { Claim, RunOutcome, Slot } from "./store-contract.ts";

export interface Metrics {
  /** An event came in. */
  event(event: Pick<Inbound, "platform" | "type">, accepted: boolean): void;
  /** From now on somebody in this thread waits for an answer. */
  asked(thread: ThreadId, platform: string): void;
  /** This turn answers who waits in its thread. */
  claimed(claim: Claim): void;
  /** There is nothing to run in this thread. */
  idle(thread: ThreadId): void;
  /** The platform is about to be called for this thread. */
  calling(thread: ThreadId): void;
  /** The platform shows what this slot shall show. */
  shown(slot: Slot): void;
  /** The turn ended in a question. */
  suspended(claim: Claim): void;
  /** `seconds` since the run began, with the time in which it waited for people. */
  ended(claim: Claim, outcome: RunOutcome, seconds: number): void;
  /** A call of a platform has returned or thrown. */
  called(platform: string, kind: CallKind, result: CallResult, seconds: number): void;
}
export type CallKind = "send" | "edit" | "upload" | "remove" | "find" | "history" | "download";
/** `error`: thrown, and no `AdapterError`. */
export type CallResult = "ok" | AdapterErrorCode | "error";

/** For a gateway at which nobody looks. */
export const UNCOUNTED: Metrics = {
  event() {},
  asked() {},
  claimed() {},
  idle() {},
  calling() {},
  shown() {},
  suspended() {},
  ended() {},
  called() {},
};
