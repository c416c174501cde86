/** What must be finished before something may end. */
export interface UnderWay {
  /** The same promise; its failure is its caller's. */
  track<T>(work: Promise<T>): Promise<T>;
  /** What is under way now has ended, well or not. */
  settled(): Promise<void>;
}

export function createUnderWay(): UnderWay {
  const all = new Set<Promise<unknown>>();
  return {
    track(work) {
      all.add(work);
      const forget = () => void all.delete(work);
      work.then(forget, forget);
      return work;
    },
    async settled() {
      await Promise.allSettled(all);
    },
  };
}
