/**
 * Receipts that are not on disk yet. A platform has confirmed a message, and then the disk took no more: forgotten, the
 * message would be sent a second time. So what was confirmed is kept until it is stored, and written again before the
 * slot is looked at the next time.
 */
import type { Database } from "better-sqlite3";
import { onUndone, stored } from "./commit.ts";
import type { OutboxStore } from "./outbox-store.ts";

type Verbs = Pick<OutboxStore, "record" | "receipts">;
interface Kept {
  readonly args: Parameters<Verbs["record"]>;
  /** Its write failed or was undone. */
  lost: boolean;
}

/** The same verbs; `record` throws as before, and what it was told is not forgotten. */
export function keepReceipts(db: Database, { record, receipts }: Verbs): Verbs {
  /** The newest of each part. */
  const kept = new Map<string, Kept>();
  onUndone(db, () => {
    for (const one of kept.values()) one.lost = true;
  });

  function write(...args: Kept["args"]): void {
    const [, slot, { index, state }] = args;
    const key = `${slot}/${index}`;
    // An intent is no knowledge: without it nothing was called.
    const one = state === "intended" ? undefined : { args, lost: true };
    if (one) kept.set(key, one);
    void record(...args);
    if (!one) return;
    one.lost = false;
    const forget = () => {
      if (!one.lost && kept.get(key) === one) kept.delete(key);
    };
    stored(db).then(forget, () => {
      one.lost = true;
    });
  }

  return {
    record: write,
    receipts(slot) {
      for (const { args, lost } of kept.values()) if (lost && args[1] === slot) write(...args);
      return receipts(slot);
    },
  };
}
