/** What a source yields, and between it the newest of what is said beside it. */
export type Beside<Item, Aside> =
  | { readonly type: "item"; readonly item: Item }
  | { readonly type: "aside"; readonly aside: Aside };

/** Holds the newest of what was said, until somebody takes it. */
export class Newest<Aside> {
  #held: { readonly aside: Aside } | undefined;
  #wake = () => {};
  #said = this.#waiting();

  say(aside: Aside): void {
    this.#held = { aside };
    this.#wake();
  }

  /** Resolves when there is something to take. */
  get said(): Promise<void> {
    return this.#said;
  }

  take(): { readonly aside: Aside } | undefined {
    const held = this.#held;
    if (!held) return undefined;
    this.#held = undefined;
    this.#said = this.#waiting();
    return held;
  }

  #waiting(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}

/** What is said after the last item is not yielded. Throws what the source throws. */
export async function* withNewest<Item, Aside>(
  source: AsyncIterable<Item>,
  newest: Newest<Aside>,
): AsyncGenerator<Beside<Item, Aside>> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const result = await Promise.race([next, newest.said]);
      const taken = newest.take();
      if (taken) yield { type: "aside", aside: taken.aside };
      if (!result) continue;
      if (result.done) return;
      next = iterator.next();
      yield { type: "item", item: result.value };
    }
  } finally {
    // Not waited for: an item that is on its way may never come.
    iterator.return?.().catch(() => {});
  }
}
