import { describe, expect, it } from "vitest";
import { dayIn, readDay, tellDay, tellDays } from "../../../../agent/models/offline/dates.ts";
import { understand } from "../../../../agent/models/offline/understand.ts";
import { openThread } from "./offline-agent.ts";

const MONDAY = "2026-11-30";

describe("dates", () => {
  it.each([
    ["what is tomorrow's date?", "It is Tuesday, 1 December 2026 (in 1 day)."],
    ["What date is in 90 days?", "It is Sunday, 28 February 2027 (in 90 days)."],
    ["what is the date in 90 days", "It is Sunday, 28 February 2027 (in 90 days)."],
    ["what day was 2000-01-01", "It was Saturday, 1 January 2000 (9830 days ago)."],
    ["days until christmas", "From Monday, 30 November 2026 to Friday, 25 December 2026: 25 days."],
    [
      "how many days are left until new year's eve?",
      "From Monday, 30 November 2026 to Thursday, 31 December 2026: 31 days.",
    ],
    [
      "how many days between 2024-02-28 and 2024-03-01",
      "From Wednesday, 28 February 2024 to Friday, 1 March 2024: 2 days.",
    ],
    ["tell me what date it is in 90 days", "It is Sunday, 28 February 2027 (in 90 days)."],
    ["when is christmas?", "It is Friday, 25 December 2026 (in 25 days)."],
    ["how long until friday", "From Monday, 30 November 2026 to Friday, 4 December 2026: 4 days."],
    ["days since wednesday", "From Wednesday, 25 November 2026 to Monday, 30 November 2026: 5 days."],
    ["days until 30 november", "From Monday, 30 November 2026 to Monday, 30 November 2026: 0 days."],
    ["days until 29 february", "I do not know which day “29 february” is; write it like 2026-12-25."],
    ["how many days since 24 december", "From Wednesday, 24 December 2025 to Monday, 30 November 2026: 341 days."],
  ])("says which day was understood: %s", async (text, answer) => {
    expect((await openThread().say(text)).reply).toBe(answer);
  });

  it.each([
    "days until my birthday",
    "what day is best for you",
    "what day was 2026-02-30",
    "how many days between us and them",
    "what is tomorrow's weather",
    "what day is 5pm",
    "what day is May",
  ])("claims no date that it cannot read whole: %s", async (text) => {
    expect(await understand(text, false)).toMatchObject({ type: "unknown" });
  });

  it("leaves today's date and other places to the clock", async () => {
    expect(await understand("what's the date today?", false)).toEqual({ type: "date" });
    expect(await understand("what is the date in Tokyo", false)).toEqual({ type: "date", place: "Tokyo" });
  });

  it("hands a subagent spans whose days are reckoned already, and tells a day itself", async () => {
    const thread = openThread();
    const { reply } = await thread.say("days until friday, and days until christmas, and what is tomorrow's date");
    expect(thread.tasks.map(({ prompt }) => prompt)).toEqual([
      "How many days between 2026-11-30 and 2026-12-04?",
      "How many days between 2026-11-30 and 2026-12-25?",
    ]);
    expect(reply).toContain("**3.** It is Tuesday, 1 December 2026 (in 1 day).");
  });

  it("takes today from the person's time zone", () => {
    const late = new Date("2026-11-30T23:30:00Z");
    expect([dayIn("Europe/Berlin", late), dayIn("America/New_York", late)]).toEqual(["2026-12-01", "2026-11-30"]);
  });

  it("reads a weekday, a feast and a count of months", async () => {
    expect(await readDay("friday", MONDAY)).toBe("2026-12-04");
    expect(await readDay("New Year’s Eve", MONDAY)).toBe("2026-12-31");
    expect(await readDay("in 2 months", MONDAY)).toBe("2027-01-30");
    expect(await readDay("29 february", "2024-01-10", "last")).toBeUndefined();
    expect(await readDay("christmas", "2026-12-26")).toBe("2027-12-25");
  });

  it("counts over clock changes, and from the earlier day", () => {
    expect(tellDays("2026-03-28", "2026-03-30")).toContain(": 2 days.");
    expect(tellDays("2026-03-30", "2026-03-29")).toBe("From Sunday, 29 March 2026 to Monday, 30 March 2026: 1 day.");
    expect(tellDay(MONDAY, MONDAY)).toBe("It is Monday, 30 November 2026 (today).");
  });
});
