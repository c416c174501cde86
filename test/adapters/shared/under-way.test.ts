import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createUnderWay } from "../../../adapters/shared/under-way.ts";

test("what is under way is waited for, whether it ends well or not, and its outcome is its caller's", async () => {
  const underWay = createUnderWay();
  let finish = (): void => {};
  const slow = underWay.track(new Promise<string>((resolve) => (finish = () => resolve("done"))));
  await expect(underWay.track(Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  let settled = false;
  const all = underWay.settled().then(() => (settled = true));
  await sleep(5);
  expect(settled).toBe(false);
  finish();
  await all;
  expect(await slow).toBe("done");
});
