import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convert, readingsOf, relatives } from "../../../../agent/models/offline/units.ts";

const amountOf = (answer = "") => Number(/[=≈] (\S+)/.exec(answer)?.[1]);

describe("units", () => {
  it.each([
    [5, "miles", "km", "5 mi = 8.04672 km"],
    [1, "ft", "in", "1 ft = 12 in"],
    [100, "°C", "°F", "100 °C = 212 °F"],
    [-40, "°F", "°C", "-40 °F = -40 °C"],
    [0, "K", "°C", "0 K = -273.15 °C"],
    [1, "pounds", "kg", "1 lb = 0.45359237 kg"],
    [8, "imperial pints", "imperial gallons", "8 imperial pints = 1 imperial gallon"],
    [16, "US cups", "US gallons", "16 US cups = 1 US gallon"],
    [3, "teaspoons", "tablespoons", "3 teaspoons = 1 tablespoon"],
    [36, "km/h", "m/s", "36 km/h = 10 m/s"],
    [60, "mph", "km/h", "60 mph = 96.56064 km/h"],
    [2, "weeks", "days", "2 weeks = 14 days"],
    [1, "ha", "m²", "1 ha = 10000 m²"],
    [1, "acres", "sq ft", "1 acre = 43560 sq ft"],
    [24, "h", "days", "24 h = 1 day"],
    [1, "days", "h", "1 day = 24 h"],
    [100, "°F", "°C", "100 °F ≈ 37.78 °C"],
    [1, "mm", "mi", "1 mm ≈ 6.21371e-7 mi"],
    [2, "TB", "GB", "2 TB = 2000 GB"],
  ])("converts %d %s to %s", (amount, from, to, answer) => {
    expect(convert(amount, from, to)).toBe(answer);
  });

  it("converts nothing across kinds", () => {
    expect(convert(5, "km", "kg")).toBeUndefined();
    expect(convert(5, "km", "parsecs")).toBeUndefined();
  });

  it.each(["degrees", "gallons", "pints", "tons"])("knows that “%s” can be read in two ways", (word) => {
    expect(readingsOf(word)).toHaveLength(2);
  });

  it("comes back near the same amount from any unit of the same kind", () => {
    const from = fc.constantFrom("°C", "km", "lb", "l", "mph", "h", "ha", "GB");
    const property = fc.property(fc.integer({ min: 1, max: 1000 }), from, (amount, name) => {
      for (const other of relatives(name)) {
        const there = amountOf(convert(amount, name, other));
        const back = amountOf(convert(there, other, name));
        // Half a hundredth of the coarser unit, or six digits, is what rounding may lose each way.
        const unit = Math.abs(amountOf(convert(1, other, name)) - amountOf(convert(0, other, name)));
        expect(Math.abs(back - amount)).toBeLessThanOrEqual(0.011 + 0.011 * unit + 0.00001 * amount);
      }
    });
    fc.assert(property);
  });
});
