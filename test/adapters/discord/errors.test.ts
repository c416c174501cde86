import { DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { describe, expect, test } from "vitest";
import { refusedWith, toAdapterError } from "../../../adapters/discord/errors.ts";

const token = "MTQwMDAwMDAwMDAwMDAwMDAwMA.GFAKE1.okenFAKEokenFAKEokenFAKEoken";
const everything = (error: unknown): string =>
  error instanceof Error ? [error.message, error.stack, JSON.stringify(error), everything(error.cause)].join("\n") : "";

const refused = (status: number, code: number, message = "No", errors?: object) =>
  new DiscordAPIError({ code, message, ...errors }, code, status, "POST", "https://discord.com/api/x", {
    body: { content: "TOP SECRET" },
    files: undefined,
  });

describe("SEC-01: tokens are taken out", () => {
  const url = "https://discord.com/api/v10/interactions/123456/aW50SECRETSECRET/callback";
  test.each([
    ["the bot's, of the message", new Error(`with ${token} it failed`)],
    [
      "the bot's, of a cause within a cause",
      new Error("fetch failed", { cause: new Error("x", { cause: new Error(token) }) }),
    ],
    ["another bot's", new Error("MTQwMDAwMDAwMDAwMDAwMDAwMQ.GFAKE2.otherFAKEotherFAKEotherFAKE")],
    ["an interaction's, of its address", new Error(`request to ${url} failed`)],
    ["an interaction's, of what follows it", new Error("PATCH /webhooks/123456/aW50SECRETSECRET/messages/@original")],
  ])("%s", (_, thrown) => {
    const said = everything(toAdapterError(thrown, token));
    expect(said).not.toMatch(/FAKE|SECRET/);
    expect(said).toContain("[token]");
  });
  test("and what a message said is in no error", () => {
    expect(everything(toAdapterError(refused(400, 50035), token))).not.toContain("TOP SECRET");
  });
});

test.each([
  [401, 0, "auth"],
  [401, 50027, "invalid"],
  [403, 50001, "forbidden"],
  [403, 50013, "forbidden"],
  [403, 50007, "forbidden"],
  [403, 20028, "forbidden"],
  [404, 10003, "forbidden"],
  [404, 10008, "not_found"],
  [404, 10062, "invalid"],
  [400, 50083, "forbidden"],
  [400, 50006, "invalid"],
  [400, 160004, "invalid"],
  [413, 40005, "invalid"],
  [403, 0, "unavailable"],
  [408, 0, "unavailable"],
  [503, 130000, "unavailable"],
  [400, 130000, "unavailable"],
])("%i with %i is %s", (status, code, meaning) => {
  const error = toAdapterError(refused(status, code), token);
  expect(error.code).toBe(meaning);
  expect(refusedWith(error, code)).toBe(!["auth", "unavailable"].includes(meaning));
  expect(refusedWith(error, 1)).toBe(false);
});

test.each([
  [400, "unavailable"],
  [401, "unavailable"],
  [403, "unavailable"],
  [404, "unavailable"],
  [413, "invalid"],
])("a page of a proxy with %i instead of an answer of Discord's is %s, never a refusal", (status, meaning) => {
  const page = new TextEncoder().encode("<html>blocked</html>").buffer;
  // As the client makes it of an answer that is no JSON.
  const code: number = Reflect.get(page, "error");
  const body = { body: {}, files: undefined };
  const error = new DiscordAPIError(page as never, code, status, "POST", "https://discord.com/api/x", body);
  expect(toAdapterError(error, token).code).toBe(meaning);
  expect(refusedWith(toAdapterError(error, token), Number.NaN, status)).toBe(false);
});

test("a text that is too long is told apart from other defects", () => {
  const errors = {
    content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] },
  };
  expect(toAdapterError(refused(400, 50035, "Invalid Form Body", { errors }), token).code).toBe("too_long");
});

test("a refused token says which key to change and where to get the new one", () => {
  expect(toAdapterError(refused(401, 0), token).message).toMatch(/Reset Token[^]*platforms\.discord\.bot_token/);
});

test("a server that fails may have taken a new post; everything else can be done again", () => {
  const failed = (method: string) =>
    new HTTPError(502, "Bad Gateway", method, "https://x.example", { body: {}, files: undefined });
  expect(toAdapterError(failed("POST"), token).code).toBe("unknown_outcome");
  for (const method of ["GET", "PATCH", "DELETE"])
    expect(toAdapterError(failed(method), token).code).toBe("unavailable");
});

test.each([
  [26_000, 0, 26_000],
  [0, 1500, 1500],
  [Number.NaN, -5, 1000],
])("a limit with retryAfter %d and timeToReset %d is waited out for %d ms", (retryAfter, timeToReset, retryAfterMs) => {
  const limit = { limit: 5, method: "POST", hash: "h", url: "u", route: "r", majorParameter: "1", sublimitTimeout: 0 };
  const error = new RateLimitError({ ...limit, global: false, scope: "user", retryAfter, timeToReset });
  expect(toAdapterError(error, token)).toMatchObject({ code: "rate_limited", retryAfterMs });
});

test.each([
  ["ECONNREFUSED", "unavailable"],
  ["ENOTFOUND", "unavailable"],
  ["UND_ERR_CONNECT_TIMEOUT", "unavailable"],
  ["ECONNRESET", "unknown_outcome"],
  ["UND_ERR_SOCKET", "unknown_outcome"],
])("%s is %s", (code, meaning) => {
  const error = Object.assign(new Error("socket"), { code });
  expect(toAdapterError(error, token).code).toBe(meaning);
  expect(toAdapterError(new TypeError("fetch failed", { cause: error }), token).code).toBe(meaning);
  expect(toAdapterError(new AggregateError([error]), token).code).toBe(meaning);
});

test("a call that was broken off after its time has an unknown outcome", () => {
  expect(toAdapterError(new DOMException("This operation was aborted", "AbortError"), token).code).toBe(
    "unknown_outcome",
  );
});
