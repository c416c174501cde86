/** What must be finished before the adapter may stop. */
interface UnderWay {
  /** The same promise; its failure is its caller's. */
  track<T>(work: Promise<T>): Promise<T>;
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
