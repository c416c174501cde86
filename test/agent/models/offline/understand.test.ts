import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { phrase, type Job } from "../../../../agent/models/offline/jobs.ts";
import { understand } from "../../../../agent/models/offline/understand.ts";

const CANNOT = [
  "Write a poem about the sea",
  "What is the capital of France?",
  "Translate this sentence into Spanish",
  "Book a table for four tonight",
  "Who won the match yesterday?",
  "Explain quantum entanglement to a child",
  "Set a timer for ten minutes",
  "Remind me to call my mother tomorrow",
  "What will the weather be like in Oslo?",
  "Play some jazz",
  "Tell me a joke",
  "How do I bake sourdough bread?",
  "Is it healthy to skip breakfast?",
  "Fix the bug in my Python script",
  "Refactor this function",
  "Draft an email to my landlord",
  "What time does the museum open?",
  "How long does it take to fly to Lisbon?",
  "Which laptop should I buy?",
  "Rewrite this paragraph in a friendly tone",
  "Order two pizzas",
  "What is the meaning of life?",
  "Search the web for cheap flights",
  "How much is a train ticket to Vienna?",
  "Who is the president of Chile?",
  "Call me a taxi",
  "Turn off the kitchen lights",
  "Find me a good restaurant nearby",
  "Describe the smell of rain",
  "Make a list of the best films of 2019",
  "Convert 100 dollars to euros",
  "Plan a weekend in Rome and Naples",
  "What can I do today about my taxes?",
  "How are babies made?",
  "asdf qwer zxcv",
  "Convert 5 kelvin to miles",
  "Can you see me?",
];

const CAN: readonly (readonly [string, Job["type"]])[] = [
  ["Could you please tell me what 12 * 12 is?", "calculate"],
  ["could you calculate 12 * 12 for me", "calculate"],
  ["please convert 5 miles to km", "convert"],
  ["how many feet are in a mile?", "convert"],
  ["what is 37.5 celsius in fahrenheit", "convert"],
  ["do you have the time?", "time"],
  ["can you tell me what time it is in Tokyo right now", "time"],
  ["what is today's date", "date"],
  ["which day of the week is it", "date"],
  ["hey, look for “late fees” in contract.md", "search"],
  ["what does the report say about refunds?", "search"],
  ["summarize the document", "describe"],
  ["compare a.md and b.md", "compare"],
  ["How many words are in: to be or not to be", "count"],
  ["how many ounces in a pound", "convert"],
  ["subtract 5 from 20", "calculate"],
  ["can I get the time over there in London", "time"],
  ["how can you assist me", "talk"],
  ["save that as a markdown file", "write"],
  ["create a csv file: name, age; Ana, 31", "write"],
  ["good morning everyone", "talk"],
  ["what are you able to help me with?", "talk"],
  ["am i talking to a real person?", "talk"],
  ["thank you so much, that was great", "talk"],
];

describe("understanding", () => {
  it.each(CANNOT)("claims no ability it lacks: %s", async (text) => {
    expect(await understand(text, false)).toMatchObject({ type: "unknown" });
  });

  it.each(CAN)("takes “%s” for %s", async (text, type) => {
    expect(await understand(text, false)).toMatchObject({ type });
  });

  it("looks a question that no rule knows up in the thread's files, but no order", async () => {
    expect(await understand("Who is the landlord?", true)).toMatchObject({
      type: "search",
      query: "Who is the landlord",
    });
    expect(await understand("Draft an email to my landlord", true)).toMatchObject({ type: "unknown" });
  });

  it("says that it has neither exchange rates nor the web", async () => {
    expect(await understand("Convert 100 dollars to euros", false)).toMatchObject({
      why: expect.stringContaining("exchange rates"),
    });
    expect(await understand("Search for flights on the internet", false)).toMatchObject({
      why: expect.stringContaining("web"),
    });
  });

  it("reads back the words in which it hands a job to a subagent", async () => {
    const word = fc.stringMatching(/^[a-z]{2,9}$/);
    const path = word.map((name) => `/uploads/${name}.md`);
    const paths = fc.array(path, { minLength: 1, maxLength: 3 });
    const job = fc.oneof(
      fc.record({
        type: fc.constant("calculate" as const),
        expression: fc.tuple(fc.nat(999), fc.nat(999)).map(([a, b]) => `${a} * ${b}`),
      }),
      fc.record({
        type: fc.constant("convert" as const),
        amount: fc.nat(9999),
        from: fc.constantFrom("°C", "K"),
        to: fc.constant("°F"),
      }),
      fc.record({
        type: fc.constant("convert" as const),
        amount: fc.nat(9999),
        from: fc.constantFrom("US gallons", "ml"),
        to: fc.constant("imperial pints"),
      }),
      fc.record({
        type: fc.constantFrom("time" as const, "date" as const),
        place: fc.constantFrom("America/New_York", "Europe/Berlin", "UTC"),
      }),
      fc.record({
        type: fc.constant("search" as const),
        query: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" ")),
        scope: fc.record({ type: fc.constant("paths" as const), paths }),
      }),
      fc.record({
        type: fc.constant("describe" as const),
        scope: fc.record({ type: fc.constant("paths" as const), paths: path.map((one) => [one]) }),
      }),
      fc.record({ type: fc.constant("count" as const), text: word }),
      fc.record({ type: fc.constant("day" as const), day: fc.constantFrom("2026-12-01", "1999-02-28") }),
      fc.record({
        type: fc.constant("days" as const),
        from: fc.constantFrom("2024-02-28", "2000-01-01"),
        to: fc.constantFrom("2024-03-01", "2030-12-31"),
      }),
    );
    const property = fc.asyncProperty(job, async (one) => {
      expect(await understand(phrase(one), false)).toEqual(one);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it.each([
    "in ".repeat(6000),
    "search for " + "a.b/".repeat(4000),
    "hi ".repeat(6000),
    "1+".repeat(9000),
    "list: " + "a, and ".repeat(2500),
    "days between a" + " and a".repeat(130),
    "convert 1 " + "m in ".repeat(190),
  ])("stays quick on hostile text", async (text) => {
    const start = performance.now();
    await understand(text, true);
    expect(performance.now() - start).toBeLessThan(1500);
  });
});
