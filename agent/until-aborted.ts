/** Waiting that ends when a signal aborts, also when what is waited for is silent and does not listen. */

/** Yields what the source yields, and nothing more after the abort. Throws what the source throws before it. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  const { aborted, forget } = whenAborted(signal);
  try {
    for (;;) {
      const next = iterator.next();
      const result = await Promise.race([next, aborted]);
      if (result === "aborted") {
        next.catch(() => undefined); // the source fails for the abort itself; nobody waits for it any more
        return;
      }
      if (result.done) return;
      yield result.value;
    }
  } finally {
    forget();
  }
}

/** Resolves with the promise, or as `aborted`. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  const { aborted, forget } = whenAborted(signal);
  promise.catch(() => undefined);
  return Promise.race([promise, aborted]).finally(forget);
}

function whenAborted(signal: AbortSignal) {
  let listener = () => undefined as void;
  const aborted = new Promise<"aborted">((resolve) => {
    listener = () => resolve("aborted");
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", listener, { once: true });
  });
  return { aborted, forget: () => signal.removeEventListener("abort", listener) };
}
