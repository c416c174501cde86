import { describe, expect, it } from "vitest";
import { timeIn, zonesOf } from "../../../../agent/models/offline/clock.ts";

describe("time zones by place", () => {
  it.each([
    ["Tokyo", "Asia/Tokyo"],
    ["new york", "America/New_York"],
    ["San Francisco", "America/Los_Angeles"],
    ["Japan", "Japan"],
    ["Mumbai", "Asia/Kolkata"],
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["UTC", "UTC"],
    ["Europe/Berlin", "Europe/Berlin"],
  ])("knows %s", (place, zone) => {
    expect(zonesOf(place)).toEqual([zone]);
  });

  it("knows that a region has several, and that most words are no place", () => {
    expect(zonesOf("Australia").length).toBeGreaterThan(5);
    expect(zonesOf("Narnia")).toEqual([]);
    expect(zonesOf("")).toEqual([]);
    expect(zonesOf("constructor")).toEqual([]);
  });

  it("tells the time there, over the date line too", () => {
    const now = new Date("2026-11-30T12:05:00Z");
    expect(timeIn("Pacific/Auckland", now)).toBe("It is 01:05 on Tuesday, 1 December 2026 (Pacific/Auckland).");
  });
});
