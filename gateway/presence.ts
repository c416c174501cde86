/** A sign of life while a run works: renewed before it fades, gone when the run ends or waits. */
import type { Adapter, Clock, ThreadKey } from "./contract.ts";

/** Returns what ends it. */
export function keepPresence(adapter: Adapter, thread: ThreadKey, clock: Clock): () => void {
  let cancel: () => void = () => {};
  let ended = false;
  const renew = () => {
    void adapter.presence(thread, true); // never throws, by contract
    cancel = clock.after(adapter.limits.presenceMs * 0.9, renew);
  };
  renew();
  return () => {
    if (ended) return;
    ended = true;
    cancel();
    void adapter.presence(thread, false);
  };
}
