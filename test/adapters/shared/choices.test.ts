import fc from "fast-check";
import { expect, test } from "vitest";
import { doNotFit, fitted } from "../../../adapters/shared/choices.ts";

const choices = (...labels: string[]) => labels.map((label, index) => ({ token: `t${index}`, label }));
const labels = (...given: Parameters<typeof fitted>) => fitted(...given).map(({ label }) => label);

test("labels that fit stay as they are; longer ones and those of several lines do not fit", () => {
  expect(doNotFit(choices("a", "b".repeat(10)), 10)).toBe(false);
  expect(doNotFit(choices("a", "b".repeat(11)), 10)).toBe(true);
  expect(doNotFit(choices("a\nb"), 10)).toBe(true);
  expect(labels(choices("North", "South"), 10, false)).toEqual(["North", "South"]);
});

test("cut labels bear their numbers, and a label of nothing is its number", () => {
  expect(labels(choices("Northern region", "Northern reach"), 12, true)).toEqual(["1. Northern…", "2. Northern…"]);
  expect(labels(choices("a", "", "  ", "\u200b", "\u00ad"), 10, false)).toEqual(["a", "2", "3", "4", "5"]);
});

test("no label is empty or longer than its room, and numbered ones are distinct", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 40 }), { maxLength: 30 }),
      fc.integer({ min: 8, max: 30 }),
      (all, room) => {
        const shown = labels(choices(...all), room, true);
        expect(shown.every((label) => label.trim() !== "" && label.length <= room)).toBe(true);
        expect(new Set(shown).size).toBe(all.length);
      },
    ),
  );
});
