/** Limits by route, as Discord keeps them: five messages in five seconds a channel. Off unless a test asks. */
import type { RateLimit } from "./discord-http.ts";

const LIMIT = 5;
const WINDOW_MS = 5000;

export interface Buckets {
  /** Counts this call. The headers for its answer, or what it is refused with. */
  take(
    route: string,
    place: string,
  ): { readonly headers: Readonly<Record<string, string>>; readonly limited?: RateLimit };
}

export function createBuckets(now: () => number, enabled: boolean): Buckets {
  const calls = new Map<string, number[]>();
  return {
    take(route, place) {
      if (!enabled || !/^(POST|PATCH|DELETE) /.test(route)) return { headers: {} };
      const key = `${route}:${place}`;
      const recent = (calls.get(key) ?? []).filter((at) => now() - at < WINDOW_MS);
      const full = recent.length >= LIMIT;
      if (!full) recent.push(now());
      calls.set(key, recent);
      const wait = ((recent[0] ?? now()) + WINDOW_MS - now()) / 1000;
      const headers = {
        "x-ratelimit-limit": String(LIMIT),
        "x-ratelimit-remaining": String(LIMIT - recent.length),
        "x-ratelimit-reset": String((now() + wait * 1000) / 1000),
        "x-ratelimit-reset-after": wait.toFixed(3),
        "x-ratelimit-bucket": Buffer.from(route).toString("hex").slice(-24),
      };
      return full ? { headers, limited: { retryAfter: wait, global: false, headers } } : { headers };
    },
  };
}
