import { expect, test } from "vitest";
import { keepTrying } from "../../../adapters/shared/keep-trying.ts";
import { createClock } from "../../helpers.ts";

test("what fails is tried again with growing waits until it succeeds, and not after a stop", async () => {
  const clock = createClock();
  const waits: number[] = [];
  let left = 3;
  const attempt = () => (left-- > 0 ? Promise.reject(new Error("away")) : Promise.resolve());
  keepTrying(clock, attempt, (_error, retryMs) => waits.push(retryMs));
  await clock.advance(60_000);
  expect(waits).toEqual([5000, 10_000, 20_000]);
  expect(left).toBe(-1);

  const stopped: number[] = [];
  const trying = keepTrying(
    clock,
    () => Promise.reject(new Error("away")),
    (_error, retryMs) => stopped.push(retryMs),
  );
  await clock.advance(1000);
  trying.stop();
  await clock.advance(60_000);
  expect(stopped).toEqual([5000]);
});
