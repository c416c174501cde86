/** How many subagents are at work in this process; the others wait in the order in which they came. */
export interface Slots {
  /** No one else may begin now. */
  readonly full: boolean;
  readonly taken: number;
  readonly waiting: number;
  /** Resolves when it is this one's turn, to what must be called when it is over. Rejects with the signal's reason. */
  enter(signal: AbortSignal | undefined): Promise<() => void>;
}

export function createSlots(most: number): Slots {
  let taken = 0;
  const waiting = new Set<() => void>();

  const take = (): (() => void) => {
    taken += 1;
    return () => {
      taken -= 1;
      const [first] = waiting;
      first?.();
    };
  };
  const wait = (signal: AbortSignal | undefined) =>
    new Promise<() => void>((resolve, reject) => {
      const done = () => {
        waiting.delete(begin);
        signal?.removeEventListener("abort", abort);
      };
      const begin = () => (done(), resolve(take()));
      const abort = () => (done(), reject(signal?.reason));
      waiting.add(begin);
      signal?.addEventListener("abort", abort);
    });

  return {
    get full() {
      return taken >= most;
    },
    get taken() {
      return taken;
    },
    get waiting() {
      return waiting.size;
    },
    async enter(signal) {
      signal?.throwIfAborted();
      return taken < most ? take() : wait(signal);
    },
  };
}
