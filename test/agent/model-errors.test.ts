import { describe, expect, it } from "vitest";
import { classify, describeModelError, isTransient } from "../../agent/model-errors.ts";
import { redact } from "../../agent/redact.ts";

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);

describe("a failed model call", () => {
  it.each([
    [error("no", { status: 401 }), "auth"],
    [error("no", { status: 403 }), "auth"],
    [error("You exceeded your quota", { status: 429, code: "insufficient_quota" }), "quota"],
    [error("Your credit balance is too low", { status: 400 }), "quota"],
    [error("Anthropic API key not found"), "auth"],
    [error("slow down", { status: 429 }), "rate_limited"],
    [error("Overloaded", { status: 529 }), "busy"],
    [error("bad gateway", { status: 502 }), "busy"],
    [error("gone", { status: 404 }), "model_not_found"],
    [error("prompt is too long: 300000 tokens", { status: 400 }), "context_too_long"],
    [error("x", { name: "ContextOverflowError" }), "context_too_long"],
    [error("x", { name: "GraphRecursionError" }), "turn_limit"],
    [new TypeError("fetch failed", { cause: error("connect", { code: "ECONNREFUSED" }) }), "no_connection"],
    [new Error("wrapped", { cause: error("no", { status: 401 }) }), "auth"],
    [error("odd", { status: 400 }), "unknown"],
    ["a string", "unknown"],
  ])("%s is %s", (failure, expected) => {
    expect(classify(failure)).toBe(expected);
  });

  it("is tried again only when its cause passes by itself", () => {
    expect(isTransient(error("x", { status: 503 }))).toBe(true);
    expect(isTransient(error("x", { status: 429 }))).toBe(true);
    expect(isTransient(error("x", { status: 429, code: "insufficient_quota" }))).toBe(false);
    expect(isTransient(error("x", { status: 401 }))).toBe(false);
    expect(isTransient(new Error("a bug"))).toBe(false);
  });

  it("is told without the provider's own words", () => {
    expect(describeModelError(error("internal detail", { status: 500 }))).not.toContain("internal detail");
  });

  it("reaches the log without keys, in whatever form they come", () => {
    const text = "Bearer abc.def key sk-ant-abc123456 https://user:pass@host/v1?api_key=zzz&x=1 my-odd-key";
    const redacted = redact(text, ["my-odd-key"]);
    for (const secret of ["abc.def", "abc123456", "pass@", "zzz", "my-odd-key"]) expect(redacted).not.toContain(secret);
    expect(redacted).toContain("x=1");
  });
});
