import { webApi } from "@slack/bolt";
import { describe, expect, test } from "vitest";
import { redact, refusedWith, toAdapterError } from "../../../adapters/slack/errors.ts";
import { AdapterError } from "../../../gateway/contract.ts";

const refusal = (error: string, more: object = {}) =>
  toAdapterError(new webApi.WebAPIPlatformError({ ok: false, error, ...more }), "chat.postMessage", "bot");

test.each([
  ["not_in_channel", "forbidden"],
  ["channel_not_found", "forbidden"],
  ["is_archived", "forbidden"],
  ["missing_scope", "forbidden"],
  ["message_not_found", "not_found"],
  ["msg_too_long", "too_long"],
  ["msg_blocks_too_long", "too_long"],
  ["invalid_blocks", "invalid"],
  ["edit_window_closed", "invalid"],
  ["cant_update_message", "invalid"],
  ["an_error_of_tomorrow", "invalid"],
  ["service_unavailable", "unavailable"],
  ["fatal_error", "unknown_outcome"],
  ["internal_error", "unknown_outcome"],
  ["token_revoked", "auth"],
  ["account_inactive", "auth"],
] as const)("%s is %s, and named", (error, code) => {
  expect(refusal(error)).toMatchObject({ code, message: expect.stringContaining(error) });
});

test("a refusal says which scope or which block it was", () => {
  expect(refusal("missing_scope", { needed: "files:write" }).message).toContain("needs the scope files:write");
  const response_metadata = { messages: ["[ERROR] too long [json-pointer:/blocks/0]"] };
  expect(refusal("invalid_blocks", { response_metadata }).message).toContain("/blocks/0");
});

test("Slack's own word is kept beside our code, and told from every other failure", () => {
  expect(refusedWith(refusal("missing_scope"), "user_not_found", "missing_scope")).toBe(true);
  expect(refusedWith(refusal("missing_scope"), "user_not_found")).toBe(false);
  expect(refusedWith(refusal("token_revoked"), "token_revoked")).toBe(true);
  // A sentence is no answer of Slack's.
  expect(refusedWith(new AdapterError("forbidden", "Slack refused x: missing_scope"), "missing_scope")).toBe(false);
  expect(refusedWith(toAdapterError(new Error("missing_scope"), "x", "bot"), "missing_scope")).toBe(false);
});

test("each token that is refused has its own key and its own place to get a new one", () => {
  const error = new webApi.WebAPIPlatformError({ ok: false, error: "invalid_auth" });
  expect(toAdapterError(error, "auth.test", "bot").message).toMatch(/OAuth & Permissions.*platforms\.slack\.bot_token/);
  expect(toAdapterError(error, "apps.connections.open", "app").message).toMatch(
    /connections:write.*platforms\.slack\.app_token/,
  );
});

test("a wait that is asked for is told in full, whichever way Slack asks", () => {
  const limited = toAdapterError(new webApi.WebAPIRateLimitedError(26), "chat.postMessage", "bot");
  expect(limited).toMatchObject({ code: "rate_limited", retryAfterMs: 26_000 });
  expect(refusal("ratelimited", { response_metadata: { retryAfter: 7 } })).toMatchObject({ retryAfterMs: 7000 });
  expect(refusal("ratelimited")).toMatchObject({ code: "rate_limited", retryAfterMs: 30_000 });
});

test("what may have been done is told from what was certainly not", () => {
  const unreachable = (code: string) => {
    const cause = Object.assign(new Error(`connect ${code}`), { code });
    return toAdapterError(
      new webApi.WebAPIRequestError(new TypeError("fetch failed", { cause })),
      "chat.postMessage",
      "bot",
    ).code;
  };
  expect(["ECONNREFUSED", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT"].map(unreachable)).toEqual(
    Array(3).fill("unavailable"),
  );
  expect(["ECONNRESET", "UND_ERR_SOCKET"].map(unreachable)).toEqual(Array(2).fill("unknown_outcome"));
  const late = new webApi.WebAPIRequestError(new DOMException("timed out", "TimeoutError"));
  expect(toAdapterError(late, "chat.postMessage", "bot").code).toBe("unknown_outcome");
  const gateway = new webApi.WebAPIHTTPError(502, "Bad Gateway", {}, "<html>");
  expect(toAdapterError(gateway, "chat.postMessage", "bot")).toMatchObject({
    code: "unknown_outcome",
    message: expect.stringContaining("502"),
  });
  expect(refusal("<!doctype html>").code).toBe("unknown_outcome");
});

test("an error of ours passes as it is", () => {
  const own = new AdapterError("invalid", "ours");
  expect(toAdapterError(own, "x", "bot")).toBe(own);
});

describe("SEC-01: secrets", () => {
  test.each([
    ["xoxb-1-2-SECRET in a sentence", "[token] in a sentence"],
    ["Bearer xapp-1-A0-3-SECRET", "Bearer [token]"],
    [
      "wss://wss-primary.slack.com/link/?ticket=SECRET&app_id=1 failed",
      "wss://wss-primary.slack.com/link/?[ticket] failed",
    ],
    ["https://hooks.slack.com/actions/T1/2/SECRET failed", "https://hooks.slack.com/actions/[address] failed"],
    ["https://files.slack.com/upload/v1/SECRET", "https://files.slack.com/upload/[address]"],
  ])("%s", (text, clean) => {
    expect(redact(text)).toBe(clean);
  });
  test("are neither in the message nor in the cause, and no body of Slack's is kept", () => {
    const original = new Error("failed", { cause: new Error("header xoxb-1-2-SECRET") });
    const error = toAdapterError(new webApi.WebAPIRequestError(original), "auth.test", "bot");
    const everything = [error.message, error.stack, JSON.stringify(error), String((error.cause as Error).stack)].join(); // ours
    expect(everything).not.toContain("SECRET");
    expect(error.cause).not.toHaveProperty("original");
  });
});
