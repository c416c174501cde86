/** A sign of life while a run works: renewed before it fades, gone when the run ends or waits. */
import type { Adapter, Clock, MaybePromise, ThreadKey } from "./contract.ts";

/** Returns what ends it. `thread` is asked each time: the first post of a thread may give it another key. */
export function keepPresence(adapter: Adapter, thread: () => MaybePromise<ThreadKey>, clock: Clock): () => void {
  let cancel: () => void = () => {};
  let ended = false;
  const show = async (on: boolean) => adapter.presence(await thread(), on);
  const renew = () => {
    show(true).catch(() => {}); // a sign of life is nothing to fail for
    cancel = clock.after(adapter.limits.presenceMs * 0.9, renew);
  };
  renew();
  return () => {
    if (ended) return;
    ended = true;
    cancel();
    show(false).catch(() => {});
  };
}
