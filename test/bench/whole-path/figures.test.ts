import { expect, onTestFinished, test, vi } from "vitest";
import { cell, LostRound } from "../measure.ts";
import { extreme, interleavedFigures, percentile } from "./figures.ts";

test("each figure gets the samples of its own variant, in the order of the rounds", async () => {
  const counting = (start: number) => {
    let count = start;
    return async () => ({ up: (count += 1), down: -count });
  };
  const figures = await interleavedFigures(3, { a: counting(0), b: counting(10) });
  expect(figures("up")["a"]).toEqual({ median: 2, samples: [1, 2, 3] });
  expect(figures("down")["b"]).toEqual({ median: -12, samples: [-11, -12, -13] });
});

test("a variant that lost all its rounds has no figure", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const lost = () => Promise.reject<{ up: number }>(new LostRound("it ended"));
  const figures = await interleavedFigures(2, { a: async () => ({ up: 1 }), b: lost });
  expect(figures("up")).toEqual({ a: cell([1, 1]) });
});

test("a percentile is the sample that so many do not exceed", () => {
  const samples = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(percentile(samples, 99)).toBe(198);
  expect(percentile(samples, 50)).toBe(100);
  expect(percentile([7], 99)).toBe(7);
  expect(() => percentile([], 99)).toThrow("at least one sample");
});

test("what happened once in all rounds is seen in the extreme, where the median hides it", () => {
  const rounds = [{ a: cell([1, 1, 1]), b: cell([1]) }, { a: cell([1, 2, 1]) }];
  expect(extreme(rounds, Math.max)).toEqual({ a: cell([2]), b: cell([1]) });
  expect(extreme(rounds, Math.min)["a"]).toEqual(cell([1]));
});
