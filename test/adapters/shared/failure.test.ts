import { expect, test } from "vitest";
import { causeOf, noAnswer } from "../../../adapters/shared/failure.ts";

const coded = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

test("what was never sent is told from what may have been accepted, wherever the code stands", () => {
  const codes = ["ECONNREFUSED", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "ECONNRESET", "ENOENT"];
  const told = (make: (code: string) => unknown) => codes.map((code) => noAnswer(make(code), "Memo").code);
  const expected = ["unavailable", "unavailable", "unavailable", "unknown_outcome", "invalid"];
  expect(told(coded)).toEqual(expected);
  expect(told((code) => new TypeError("fetch failed", { cause: coded(code) }))).toEqual(expected);
  const severalAddresses = (code: string) =>
    new TypeError("fetch failed", { cause: new AggregateError([coded(code), coded("ENETUNREACH")]) });
  expect(told(severalAddresses)).toEqual(expected);
  expect(noAnswer(new DOMException("timed out", "TimeoutError"), "Memo").code).toBe("unknown_outcome");
  expect(noAnswer("a text", "Memo").code).toBe("unknown_outcome");
});

test("the sentence names the platform, the call and every cause, and nothing that is empty", () => {
  const error = new TypeError("fetch failed", { cause: new AggregateError([coded("ECONNRESET")]) });
  expect(noAnswer(error, "Memo", "chat.post").message).toBe(
    "No answer from Memo to chat.post: fetch failed: connect ECONNRESET",
  );
  expect(noAnswer(coded("ENOTFOUND"), "Memo").message).toBe("Memo cannot be reached: connect ENOTFOUND");
});

test("SEC-01: a cause keeps the name and the redacted words, and nothing else", () => {
  const error = Object.assign(new RangeError("SECRET", { cause: new Error("SECRET too") }), { payload: "SECRET" });
  const cause = causeOf(error, (text) => text.replaceAll("SECRET", "[token]"));
  expect(cause).toMatchObject({ name: "RangeError", message: "[token]: [token] too" });
  expect([cause.stack, JSON.stringify(cause), String(cause.cause)].join()).not.toContain("SECRET");
});

test("an error that is its own cause comes to an end", () => {
  const error = new Error("round");
  error.cause = error;
  expect(noAnswer(error, "Memo").message).toMatch(/^No answer from Memo: round(: round)+$/);
});
