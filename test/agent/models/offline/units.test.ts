import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convert, readingsOf, relatives } from "../../../../agent/models/offline/units.ts";

describe("units", () => {
  it.each([
    [5, "miles", "km", "5 mi = 8.04672 km"],
    [1, "ft", "in", "1 ft = 12 in"],
    [100, "°C", "°F", "100 °C = 212 °F"],
    [-40, "°F", "°C", "-40 °F = -40 °C"],
    [0, "K", "°C", "0 K = -273.15 °C"],
    [1, "pounds", "kg", "1 lb = 0.45359237 kg"],
    [8, "imperial pints", "imperial gallons", "8 imperial pints = 1 imperial gallons"],
    [16, "US cups", "US gallons", "16 US cups = 1 US gallons"],
    [3, "teaspoons", "tablespoons", "3 teaspoons = 1 tablespoons"],
    [36, "km/h", "m/s", "36 km/h = 10 m/s"],
    [60, "mph", "km/h", "60 mph = 96.56064 km/h"],
    [2, "weeks", "days", "2 weeks = 14 days"],
    [1, "ha", "m²", "1 ha = 10000 m²"],
    [1, "acres", "sq ft", "1 acres = 43560 sq ft"],
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

  it("comes back to the same amount from any unit of the same kind", () => {
    const from = fc.constantFrom("°C", "km", "lb", "l", "mph", "h", "ha", "GB");
    const property = fc.property(fc.integer({ min: 1, max: 1000 }), from, (amount, name) => {
      for (const other of relatives(name)) {
        const there = Number(/[=≈] (\S+)/.exec(convert(amount, name, other) ?? "")?.[1]);
        const back = Number(/[=≈] (\S+)/.exec(convert(there, other, name) ?? "")?.[1]);
        expect(back).toBeCloseTo(amount, 6);
      }
    });
    fc.assert(property);
  });
});
