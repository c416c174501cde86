import { expect, test } from "vitest";
import { waitAfter } from "../../../adapters/shared/retry-wait.ts";
import { AdapterError } from "../../../gateway/contract.ts";

test("how long to wait: what the platform asks for, else 1 s to 30 s; a refused token is never tried again", () => {
  const away = new AdapterError("unavailable", "away");
  expect([1, 2, 3, 6, 50].map((failures) => waitAfter(away, failures))).toEqual([1000, 2000, 4000, 30_000, 30_000]);
  expect(waitAfter(new AdapterError("rate_limited", "", { retryAfterMs: 3_600_000 }), 9)).toBe(3_600_000);
  expect(waitAfter(new AdapterError("auth", "no"), 1)).toBe("never");
});
