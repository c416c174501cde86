import { describe, expect, it } from "vitest";
import { calculate, LONGEST_EXPRESSION, toExpression } from "../../../../agent/models/offline/arithmetic.ts";

const answerTo = (text: string) => calculate(toExpression(text));

describe("arithmetic", () => {
  it.each([
    ["what is 17 times 23?", "17 × 23 = 391"],
    ["17 x 23", "17 × 23 = 391"],
    ["calculate (2 + 3) * 4", "(2 + 3) × 4 = 20"],
    ["15% of 80", "15% × 80 = 12"],
    ["20 percent off 50", "50 − 20% = 40"],
    ["what's 1,234,567 + 1", "1234567 + 1 = 1234568"],
    ["square root of 144", "sqrt(144) = 12"],
    ["two plus two", "2 + 2 = 4"],
    ["5 squared", "5^2 = 25"],
    ["0.1 + 0.2", "0.1 + 0.2 = 0.3"],
    ["1/3", "1 ÷ 3 ≈ 0.333333"],
    ["10000000 / 3", "10000000 ÷ 3 ≈ 3333333"],
    ["2^100", "2^100 ≈ 1.26765e+30"],
  ])("says what it understood and the result: %s", async (text, answer) => {
    expect(await answerTo(text)).toBe(answer);
  });

  it.each(["1 / 0", "0 / 0", "1 / (1 / 0)", "5 / (2 - 2) + 1"])("divides nothing by zero: %s", async (text) => {
    expect(await answerTo(text)).toBe("Nothing can be divided by zero.");
  });

  it("says of other values that have no number what is wrong with them", async () => {
    expect(await answerTo("sqrt(0 - 1)")).toContain("has no result");
    expect(await answerTo("10^999")).toContain("is too large");
  });

  it.each([
    "42",
    "2026-12-25",
    "3/4/2026",
    "what is love",
    "version 2",
    "I am 30 years old",
    "pi is nice",
    "3 apples + 4",
  ])("takes no text for a calculation that is none: %s", async (text) => {
    expect(await answerTo(text)).toBeUndefined();
  });

  it.each([
    "import({a: 1}, {override: true})",
    'createUnit("foo")',
    'evaluate("1+1")',
    'parse("1+1")',
    'simplify("1+1")',
    'derivative("x^2", "x")',
    "f(x) = x^2",
    "a = 1",
    "1; 2",
    "[1, 2, 3] * 2",
    "1:1000000000",
    "zeros(1000000, 1000000)",
    "{a: 1}.a",
    '"a".constructor',
    "cos.constructor(1)",
    'sqrt.constructor("return process")() + 1',
    "random() + 1",
    "1 > 2",
    "true ? 1 : 2",
    "unit(5, 1)",
    "i * 2",
  ])("refuses everything but numbers, signs and a few functions: %s", async (expression) => {
    expect(await calculate(expression)).toBeUndefined();
  });

  it("refuses an expression that is too long", async () => {
    const long = "1+".repeat(LONGEST_EXPRESSION) + "1";
    expect(await calculate(long)).toBeUndefined();
  });
});
