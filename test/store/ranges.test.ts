/** Lists of numbers as ranges. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cover, gaps, type Ranges, toRanges, union } from "../../store/ranges.ts";

const numbers = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 80 });
const all = (ranges: Ranges) =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
const ascending = (list: readonly number[]) => [...new Set(list)].toSorted((a, b) => a - b);

describe("ranges", () => {
  it("stand for a list in its order", () => {
    fc.assert(
      fc.property(numbers, (list) => {
        expect(all(toRanges(list))).toEqual(list);
      }),
    );
    expect(toRanges([4, 5, 6, 7])).toEqual([[4, 7]]);
  });

  it("are united to each number once, ascending, and what lies between is the rest", () => {
    fc.assert(
      fc.property(numbers, (list) => {
        const united = union(toRanges(list));
        expect(all(united)).toEqual(ascending(list));
        expect(ascending([...all(united), ...all(gaps(united, [0, 200]))])).toEqual(all([[0, 200]]));
        expect(all(gaps(united, [0, 200])).filter((number) => list.includes(number))).toEqual([]);
      }),
    );
  });

  it("cover every number with at most eight of them", () => {
    fc.assert(
      fc.property(numbers, (list) => {
        const covering = cover(toRanges(list));
        expect(covering.length).toBeLessThanOrEqual(8);
        expect(all(covering)).toEqual(expect.arrayContaining(list));
        expect(union(covering)).toEqual(covering);
      }),
    );
  });
});
