/**
 * The governor: when a call that can wait may leave by the platform's rates. It has no clock and waits for nothing.
 *
 * Who waits stands in one line by age and is let through where its rates have room; what need not wait (answers,
 * questions, notices) is only counted, and all in the line give way to it. It is held in memory: what is forgotten at a
 * restart is a minute's count at most, while a "wait" that the platform asked for is in the store.
 */
import type { Method, Place, Rate, ThreadKey } from "./contract.ts";

export interface Call {
  readonly method: Method;
  readonly thread: ThreadKey;
  readonly place: Pick<Place, "key" | "type">;
}
export interface Governor {
  /** When `who` may make this call. Not later than `now`: the turn is taken, until `made` or `leave`. Else ask again then. */
  ask(who: string, call: Call, now: number): number;
  /** Gives up its place in the line, or the turn that it did not use. */
  leave(who: string): void;
  /** A call leaves: `who` had a turn for it, or it needs none. */
  made(call: Call, now: number, who?: string): void;
  /** Nothing like it leaves before: what need not wait goes first then. */
  held(call: Call, until: number): void;
  /** When there is room that nobody in the line waits for. */
  spare(call: Call, now: number): number;
  /** Places and threads whose calls are remembered. */
  size(): number;
}

interface Bucket {
  readonly key: string;
  readonly rate: Rate;
}
interface Planned {
  readonly rate: Rate;
  /** Epoch ms of its calls, ascending. */
  readonly times: number[];
  /** It fills up and never empties: before this there is no room any more, and nothing is looked at again. */
  roomFrom: number;
}

/** Below so many remembered places nothing is looked through for idle ones. */
const SWEPT_FROM = 64;

export function createGovernor(rates: readonly Rate[]): Governor {
  /** Epoch ms of the calls in each bucket, ascending. */
  const made = new Map<string, number[]>();
  const waiting = new Map<string, readonly Bucket[]>();
  const turns = new Map<string, { readonly buckets: readonly Bucket[]; readonly at: number }>();
  let latest = 0;
  let sweepAt = SWEPT_FROM;

  const bucketsOf = ({ method, thread, place }: Call): readonly Bucket[] =>
    rates.flatMap((rate, index) => {
      if (!rate.methods.includes(method) || (rate.places ?? place.type) !== place.type) return [];
      const key = { account: "", place: place.key, thread }[rate.scope];
      return [{ key: `${index}/${key}`, rate }];
    });

  /** A clock that was set back would make the past a far future: then all is forgotten. */
  function follow(now: number): void {
    if (now < latest) for (const each of [made, turns]) each.clear();
    latest = now;
  }

  /** Lets each in the line go in its order, as early as its rates allow. Returns when that is for the last. */
  function turnOf(line: readonly (readonly Bucket[])[], now: number): number {
    const plan = new Map<string, Planned>();
    let at = now;
    for (const one of line) {
      const buckets = one.map((bucket) => planned(plan, bucket, now));
      at = earliest(buckets, now);
      for (const { times } of buckets) insert(times, at);
    }
    return at;
  }

  function planned(plan: Map<string, Planned>, { key, rate }: Bucket, now: number): Planned {
    const known = plan.get(key) ?? { rate, times: recent(key, rate, now), roomFrom: now };
    plan.set(key, known);
    return known;
  }

  const recent = (key: string, { perMs }: Rate, now: number) => (made.get(key) ?? []).filter((at) => at > now - perMs);

  function count(buckets: readonly Bucket[], at: number): void {
    for (const { key, rate } of buckets) {
      const times = recent(key, rate, latest);
      insert(times, at);
      made.set(key, times);
    }
    if (made.size >= sweepAt) sweep();
  }

  function sweep(): void {
    for (const [key, times] of made) {
      const perMs = rates[Number.parseInt(key, 10)]?.perMs ?? 0;
      if ((times.at(-1) ?? 0) <= latest - perMs) made.delete(key);
    }
    sweepAt = Math.max(SWEPT_FROM, 2 * made.size);
  }

  return {
    ask(who, call, now) {
      follow(now);
      if (turns.has(who)) return now;
      const buckets = bucketsOf(call);
      waiting.set(who, buckets); // who is in the line already keeps its place
      const place = [...waiting.keys()].indexOf(who);
      const at = turnOf([...waiting.values()].slice(0, place + 1), now);
      if (at > now) return at;
      waiting.delete(who);
      turns.set(who, { buckets, at });
      count(buckets, at);
      return at;
    },
    leave(who) {
      waiting.delete(who);
      const unused = turns.get(who);
      if (!unused) return;
      turns.delete(who);
      for (const { key } of unused.buckets) {
        const times = made.get(key) ?? [];
        const index = times.indexOf(unused.at);
        if (index >= 0) times.splice(index, 1);
      }
    },
    made(call, now, who) {
      follow(now);
      if (who === undefined || !turns.delete(who)) count(bucketsOf(call), now);
    },
    held: (call, until) => count(bucketsOf(call), until),
    spare(call, now) {
      follow(now);
      return turnOf([...waiting.values(), bucketsOf(call)], now);
    },
    size: () => made.size,
  };
}

function earliest(buckets: readonly Planned[], now: number): number {
  for (const bucket of buckets) bucket.roomFrom = settled((at) => roomFrom(bucket, at), bucket.roomFrom);
  const from = Math.max(now, ...buckets.map((bucket) => bucket.roomFrom));
  return settled((at) => Math.max(at, ...buckets.map((bucket) => roomFrom(bucket, at))), from);
}

/** Goes on until it stays where it is. */
function settled(next: (at: number) => number, from: number): number {
  let [at, after] = [from, next(from)];
  while (after !== at) [at, after] = [after, next(after)];
  return at;
}

/**
 * `at` where one call more breaks the rate neither with those before it nor with those after; else a later time before
 * which there is no room: the window that is too full does not end earlier.
 */
function roomFrom({ times, rate: { calls, perMs } }: Planned, at: number): number {
  const index = placeOf(times, at);
  for (let before = 0; before <= calls; before += 1) {
    const first = before === 0 ? at : times[index - before];
    const last = before === calls ? at : times[index + calls - before - 1];
    if (first === undefined || last === undefined || last - first >= perMs) continue;
    return (times[index - before] ?? first) + perMs;
  }
  return at;
}

function insert(times: number[], at: number): void {
  times.splice(placeOf(times, at), 0, at);
}

/** Behind all that are not later. */
function placeOf(times: readonly number[], at: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
