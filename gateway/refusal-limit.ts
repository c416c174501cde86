/** Somebody who is refused is told so, but not at every message. In memory: at worst it is said once more. */
import type { Clock, Inbound } from "./contract.ts";

/** Seldom enough to be no use for flooding, often enough for somebody who asks again after the operator acted. */
const EVERY_MS = 10 * 60_000;
/** Strangers remembered; the oldest is forgotten first. */
const MOST = 1000;

export function createRefusalLimit(clock: Clock) {
  const toldAt = new Map<string, number>();
  return {
    allow({ platform, author, place }: Inbound): boolean {
      const key = `${platform} ${author.id} ${place.key}`;
      const now = clock.now();
      if (now - (toldAt.get(key) ?? -EVERY_MS) < EVERY_MS) return false;
      toldAt.delete(key);
      toldAt.set(key, now);
      const oldest = toldAt.keys().next().value;
      if (toldAt.size > MOST && oldest !== undefined) toldAt.delete(oldest);
      return true;
    },
  };
}
