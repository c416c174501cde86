import { expect, test } from "vitest";
import { pause } from "../../../adapters/shared/pause.ts";
import { createClock } from "../../helpers.ts";

const ended = async (wait: Promise<void>): Promise<boolean> => {
  let isEnded = false;
  void wait.then(() => (isEnded = true));
  await new Promise(setImmediate);
  return isEnded;
};

test("ends after its time by the clock, or as soon as the signal is given", async () => {
  const clock = createClock();
  const ending = new AbortController();
  const [timed, cut] = [pause(clock, 1000), pause(clock, 60_000, ending.signal)];
  expect(await Promise.all([ended(timed), ended(cut)])).toEqual([false, false]);
  await clock.advance(1000);
  expect(await Promise.all([ended(timed), ended(cut)])).toEqual([true, false]);
  ending.abort();
  expect(await ended(cut)).toBe(true);
});

test("does not begin where the signal was given before", async () => {
  expect(await ended(pause(createClock(), 60_000, AbortSignal.abort()))).toBe(true);
});
