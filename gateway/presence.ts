/** A sign of life while a run works: renewed before it fades, gone when the run ends or waits. */
import type { Adapter, Clock, MaybePromise, ThreadKey } from "./contract.ts";

/** Returns what ends it. `thread` is asked each time: the first post of a thread may give it another key. */
export function keepPresence(adapter: Adapter, thread: () => MaybePromise<ThreadKey>, clock: Clock): () => void {
  let cancel: () => void = () => {};
  let ended = false;
  let shown = Promise.resolve();
  /** One after the other: an end that overtakes its beginning would leave a sign of life behind. */
  const show = (on: boolean): void => {
    shown = shown.then(async () => adapter.presence(await thread(), on)).catch(() => {}); // nothing to fail for
  };
  const renew = () => {
    show(true);
    cancel = clock.after(adapter.limits.presenceMs * 0.9, renew);
  };
  renew();
  return () => {
    if (ended) return;
    ended = true;
    cancel();
    show(false);
  };
}
