import { expect, test } from "vitest";
import { acknowledgementSpans } from "../../../adapters/shared/acknowledgement-spans.ts";
import { textOf } from "../../../adapters/shared/spans.ts";
import type { Acknowledgement } from "../../../gateway/contract.ts";

const words = (reply: Acknowledgement) => textOf(acknowledgementSpans(reply));

test("a notice, a form and what is wrong with one are told in words", () => {
  expect(words({ type: "notice", text: "Ask **Sam**." })).toBe("Ask Sam.");
  const fields = [{ name: "a", label: "Where", required: true, type: "text" }] as const;
  expect(words({ type: "form", form: { token: "f", title: "Trip", fields } })).toMatch(/^Trip\n• Where\n/);
  const wrong = words({ type: "invalid", errors: { a: "Where is missing.", b: "Too many." } });
  expect(wrong).toMatch(/Where is missing\.[^]*Too many\.[^]*press the button again/);
});
