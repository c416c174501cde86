import { describe, expect, it } from "vitest";
import { mergeReports, normaliseUsage } from "../../subagents/usage.ts";

const usage = (input_tokens: unknown, output_tokens: unknown, total_tokens: unknown, more: object = {}) => ({
  input_tokens,
  output_tokens,
  total_tokens,
  ...more,
});

describe("reported usage", () => {
  it("is three counts, with cache and reasoning when there are any", () => {
    const details = { input_token_details: { cache_read: 3 }, output_token_details: { reasoning: 2, audio: 0 } };
    expect(normaliseUsage(usage(10, 5, 15, details))).toEqual({
      input: 10,
      output: 5,
      total: 15,
      cacheRead: 3,
      reasoning: 2,
    });
    expect(normaliseUsage(usage(10, 5, 15, { input_token_details: { cache_read: 0 } }))).toEqual({
      input: 10,
      output: 5,
      total: 15,
    });
  });

  it("with a total of 0 has the sum as its total", () => {
    expect(normaliseUsage(usage(10, 5, 0))?.total).toBe(15);
  });

  it.each([
    usage(0, 0, 0),
    usage(true, 1, 1),
    usage("1", 1, 2),
    usage(1.5, 1, 2),
    usage(Number.NaN, 1, 1),
    usage(-1, 2, 1),
    usage(1e300, 1, 1e300),
    usage(2 ** 53, 0, 2 ** 53),
    usage(2 ** 53 - 1, 2 ** 53 - 1, 0),
    [10, 5, 15],
    { input_tokens: 1 },
    null,
    undefined,
    7,
  ])("that is no such thing is absent, never an invented 0: %j", (reported) => {
    expect(normaliseUsage(reported)).toBeUndefined();
  });

  it("AGT-06: repeated on several chunks is not a sum; told in halves it is merged", () => {
    const first = { input: 100, output: 1, total: 101 };
    expect(mergeReports(undefined, first)).toEqual(first);
    expect(mergeReports(first, { input: 100, output: 5, total: 105 })).toEqual({ input: 100, output: 5, total: 105 });
    expect(mergeReports(first, { input: 0, output: 5, total: 5 })).toEqual({ input: 100, output: 5, total: 105 });
  });
});
