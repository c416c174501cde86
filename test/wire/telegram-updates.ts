/** The queue of updates, as `getUpdates` gives it out: long polling, offset, and one poller at a time. */
import { Refusal } from "./telegram-rules.ts";

type WireUpdate = { readonly update_id: number } & Readonly<Record<string, unknown>>;

interface UpdateQuery {
  readonly offset?: number;
  readonly limit: number;
  /** s */
  readonly timeout: number;
  readonly allowed_updates?: readonly string[];
}

export interface Updates {
  /** Queues `{ [kind]: body }`; returns its update_id. */
  push(kind: string, body: unknown): number;
  /** Queues anything as an update, also what Telegram would never send. Returns its update_id. */
  pushRaw(fields: Readonly<Record<string, unknown>>): number;
  /** Gives a past update once more, whatever the offset. */
  redeliver(updateId: number): void;
  /** Ids that no offset has confirmed. */
  pending(): readonly number[];
  /** `closed` aborts when the client has gone. */
  take(query: UpdateQuery, closed: AbortSignal): Promise<readonly WireUpdate[]>;
  close(): void;
}

/** Kinds that were not asked for are lost; what has no kind at all is a test's own mischief. */
function isAllowed(update: WireUpdate, allowed: readonly string[]): boolean {
  const kinds = Object.keys(update).filter((key) => key !== "update_id");
  return kinds.length === 0 || kinds.some((kind) => allowed.includes(kind));
}

/** Telegram: update ids start anywhere and count up. */
const FIRST_ID = 5001;

export function createUpdates(): Updates {
  const history: WireUpdate[] = [];
  let queue: { readonly update: WireUpdate; readonly forced: boolean }[] = [];
  let waiting: { wake(): void; conflict(): void } | undefined;

  function pushRaw(fields: Readonly<Record<string, unknown>>): number {
    const update = { ...fields, update_id: FIRST_ID + history.length };
    history.push(update);
    queue.push({ update, forced: false });
    waiting?.wake();
    return update.update_id;
  }

  function redeliver(updateId: number): void {
    const update = history.find((one) => one.update_id === updateId);
    if (!update) throw new Error(`Expected an update that was sent before, got ${updateId}.`);
    queue.push({ update, forced: true });
    waiting?.wake();
  }

  /** An update is confirmed by asking for a later one. A forced one is given exactly once. */
  function ready(offset: number | undefined, limit: number): WireUpdate[] {
    if (offset !== undefined) queue = queue.filter(({ update, forced }) => forced || update.update_id >= offset);
    const given = queue.slice(0, limit);
    queue = queue.filter((one) => !(one.forced && given.includes(one)));
    return given.map(({ update }) => update);
  }

  async function take(query: UpdateQuery, closed: AbortSignal) {
    waiting?.conflict();
    const { allowed_updates: allowed } = query;
    if (allowed) queue = queue.filter(({ update }) => isAllowed(update, allowed));
    const now = ready(query.offset, query.limit);
    if (now.length > 0 || query.timeout === 0) return now;
    await arrival(query.timeout, closed);
    return closed.aborted ? [] : ready(query.offset, query.limit);
  }

  function arrival(seconds: number, closed: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        clearTimeout(timer);
        if (waiting === self) waiting = undefined;
        settle();
      };
      const conflict = new Refusal(
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
      );
      const self = { wake: end(resolve), conflict: end(() => reject(conflict)) };
      const timer = setTimeout(self.wake, seconds * 1000);
      closed.addEventListener("abort", self.wake, { once: true });
      waiting = self;
    });
  }

  return {
    push: (kind, body) => pushRaw({ [kind]: body }),
    pushRaw,
    redeliver,
    pending: () => queue.map(({ update }) => update.update_id),
    take,
    close: () => waiting?.wake(),
  };
}
