/**
 * The two clocks of a task. The execution time-out asks the subagent to stop; the watchdog, some time later, gives up
 * on one that did not listen. The parent's abort starts neither: it stops the work at once.
 */
export interface Clocks {
  /** Aborts at the execution time-out and when the parent aborts: for the work. */
  readonly signal: AbortSignal;
  /** Resolves when nobody should wait for the work any longer. */
  readonly givenUp: Promise<GivenUp>;
  /** Why the work was asked to stop, if it was. */
  reason(): "timed_out" | "cancelled" | undefined;
  /** Ends the timers and forgets the parent's signal. */
  stop(): void;
}

/** `timed_out`: it had not heard of its time-out yet when the parent aborted. */
type GivenUp = "polling_timed_out" | "timed_out" | "cancelled";

export interface ClockSettings {
  readonly timeoutMs: number;
  /** From the execution time-out on. */
  readonly watchdogMs: number;
  /** How long the last usage of a stopped subagent is waited for. */
  readonly cancelGraceMs: number;
}

/** `usedMs`: of the time-out, by earlier processes. */
export function startClocks(settings: ClockSettings, usedMs: number, parent: AbortSignal | undefined): Clocks {
  const work = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let reason: "timed_out" | "cancelled" | undefined;
  let giveUp: (stop: GivenUp) => void = () => undefined;
  const givenUp = new Promise<GivenUp>((resolve) => (giveUp = resolve));

  const expire = () => {
    if (reason) return;
    reason = "timed_out";
    timers.push(setTimeout(() => giveUp("polling_timed_out"), settings.watchdogMs));
    work.abort(new Error(`The subagent did not finish within ${settings.timeoutMs} ms`));
  };
  const cancel = () => {
    // What ended it first wins, and it was waited for already.
    if (reason === "timed_out") return giveUp("timed_out");
    reason = "cancelled";
    timers.push(setTimeout(() => giveUp("cancelled"), settings.cancelGraceMs));
    work.abort(parent?.reason);
  };
  timers.push(setTimeout(expire, Math.max(0, settings.timeoutMs - usedMs)));
  if (parent?.aborted) cancel();
  parent?.addEventListener("abort", cancel, { once: true });

  return {
    signal: work.signal,
    givenUp,
    reason: () => reason,
    stop() {
      timers.forEach(clearTimeout);
      parent?.removeEventListener("abort", cancel);
    },
  };
}
