import { describe, expect, it, onTestFinished, vi } from "vitest";
import { cell, interleaved, LostRound, median } from "./measure.ts";

describe("a median", () => {
  it("is the middle sample, or lies between the two in the middle, whatever their order", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 1, 2, 3])).toBe(2.5);
  });

  it("is not made up where nothing was measured", () => {
    expect(() => median([])).toThrow(/at least one sample/);
  });
});

describe("a cell", () => {
  it("keeps every sample in the order in which it was taken", () => {
    expect(cell([3, 1, 2])).toEqual({ median: 2, samples: [3, 1, 2] });
  });

  it("refuses what is no figure", () => {
    expect(() => cell([1, Number.NaN])).toThrow(/finite number, and is NaN/);
  });
});

describe("interleaved rounds", () => {
  it("give every variant one turn a round, never two at once, and each its turn at being first", async () => {
    const order: string[] = [];
    let running = 0;
    const variant = (name: string) => async () => {
      running += 1;
      expect(running).toBe(1);
      order.push(name);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      return order.length;
    };
    const cells = await interleaved(3, { a: variant("a"), b: variant("b"), c: variant("c") });
    expect(order.join("")).toBe("abcbcacab");
    expect(cells["a"]?.samples).toEqual([1, 6, 8]);
  });

  it("leave out a round that was lost, say why once, and go on with the rest", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => said.mockRestore());
    const why = new LostRound("The bot b ended");
    let rounds = 0;
    const cells = await interleaved(3, {
      a: () => 1,
      b: () => ((rounds += 1) === 1 ? 2 : Promise.reject(why)),
      c: () => Promise.reject(why),
    });
    expect(cells).toEqual({ a: cell([1, 1, 1]), b: cell([2]) });
    expect(said.mock.calls).toEqual([["The bot b ended"]]);
    await expect(interleaved(1, { d: () => Promise.reject(new Error("a fault of ours")) })).rejects.toThrow("of ours");
  });
});
