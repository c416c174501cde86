import { TelegramError } from "telegraf";
import { describe, expect, test } from "vitest";
import { toAdapterError } from "../../../adapters/telegram/errors.ts";
import { AdapterError } from "../../../gateway/contract.ts";

const token = "123456:AAFAKE_TOKEN";
const everything = (error: unknown): string =>
  error instanceof Error ? [error.message, error.stack, JSON.stringify(error), everything(error.cause)].join("\n") : "";

describe("SEC-01: the token is taken out", () => {
  const url = `https://api.telegram.org/bot${token}/sendMessage`;
  test.each([
    ["of the message", new Error(`request to ${url} failed`)],
    [
      "of a cause within a cause",
      new Error("fetch failed", { cause: new Error("x", { cause: new Error(`connect ${url}`) }) }),
    ],
    ["of what Telegram answered", new TelegramError({ error_code: 400, description: `bad ${url}` })],
    ["where it is URL-encoded", new Error(`request to ${encodeURIComponent(url)} failed`)],
    ["where it is thrown as a text", `request to ${url} failed`],
  ])("%s", (_, thrown) => {
    const said = everything(toAdapterError(thrown, token));
    expect(said).not.toContain("AAFAKE_TOKEN");
    expect(said).toContain("[token]");
  });
  test("of the token of another bot too", () => {
    const other = new Error("request to https://api.telegram.org/bot987654321:AAotherOTHERother/getMe failed");
    expect(everything(toAdapterError(other, token))).not.toContain("AAotherOTHERother");
  });
});

test("what a message said is in no error: a refused call is told without its parameters", () => {
  const refused = new TelegramError(
    { error_code: 400, description: "Bad Request: x" },
    { method: "sendMessage", payload: { text: "TOP SECRET" } },
  );
  expect(everything(toAdapterError(refused, token))).not.toContain("TOP SECRET");
});

test.each([
  [400, "Bad Request: message is not modified: specified new message content …", "not_modified"],
  [400, "Bad Request: message to edit not found", "not_found"],
  [400, "Bad Request: message to delete not found", "not_found"],
  [400, "Bad Request: MESSAGE_ID_INVALID", "not_found"],
  [400, "Bad Request: message is too long", "too_long"],
  [400, "Bad Request: MESSAGE_TOO_LONG", "too_long"],
  [400, "Bad Request: chat not found", "forbidden"],
  [400, "Bad Request: message thread not found", "forbidden"],
  [400, "Bad Request: TOPIC_CLOSED", "forbidden"],
  [400, "Bad Request: not enough rights to send text messages to the chat", "forbidden"],
  [400, "Bad Request: message can't be deleted", "invalid"],
  [400, "Bad Request: BUTTON_DATA_INVALID", "invalid"],
  [401, "Unauthorized", "auth"],
  [404, "Not Found", "auth"],
  [403, "Forbidden: bot was kicked from the group chat", "forbidden"],
  [409, "Conflict: terminated by other getUpdates request", "unavailable"],
  [500, "Internal Server Error", "unknown_outcome"],
  [502, "Bad Gateway", "unknown_outcome"],
])("%i %s is %s", (error_code, description, code) => {
  const error = toAdapterError(new TelegramError({ error_code, description }), token);
  expect(error.code).toBe(code);
  expect(error.message).toContain(description);
});

test("what is no answer: never sent is `unavailable`, anything else may have been accepted", () => {
  const failed = (code: string) => toAdapterError(Object.assign(new Error("failed"), { code }), token).code;
  expect(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].map(failed)).toEqual(["unavailable", "unavailable", "unavailable"]);
  expect(["ECONNRESET", "EPIPE", "ETIMEDOUT"].map(failed)).toEqual([
    "unknown_outcome",
    "unknown_outcome",
    "unknown_outcome",
  ]);
  expect(toAdapterError(new DOMException("The operation was aborted", "AbortError"), token).code).toBe(
    "unknown_outcome",
  );
});

test("an error that is one already stays as it is", () => {
  const error = new AdapterError("invalid", "x");
  expect(toAdapterError(error, token)).toBe(error);
});
