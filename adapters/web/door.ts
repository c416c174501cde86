/** Who may come in: the one-time link of this start, then a cookie that outlives restarts. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface Door {
  /** Random for each start; opens once. */
  readonly key: string;
  readonly cookieName: string;
  readonly cookieValue: string;
  /** True once, for the right key. */
  use(key: string | undefined): boolean;
  /** Whether this cookie is ours. */
  knows(cookie: string | undefined): boolean;
}

/** `secret`: the adapter's own, kept over restarts. `origin`: cookies are shared between ports, so the port is named. */
export function createDoor(secret: string, origin: string): Door {
  const key = randomBytes(24).toString("hex");
  const cookieValue = createHmac("sha256", secret).update("cookie of the local page, 1").digest("hex");
  let used = false;
  return {
    key,
    cookieName: `threadline_${new URL(origin).port || "80"}`,
    cookieValue,
    use(given) {
      if (used || !same(given, key)) return false;
      used = true;
      return true;
    },
    knows: (cookie) => same(cookie, cookieValue),
  };
}

/** Compares without telling by its duration how much was right. */
function same(given: string | undefined, wanted: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
