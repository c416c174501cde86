import { expect, test } from "vitest";
import { linkSpans } from "../../../adapters/shared/link.ts";
import { hasMark, plain, textOf } from "../../../adapters/shared/spans.ts";

const drawn = (label: string) => linkSpans([plain(label)], "https://evil.example/");

test.each([
  "see google.com",
  "(google.com)",
  "google.com, official",
  "google.com\u200b",
  "g\u043e\u043egle.com",
  "Sign in: https://google.com",
  "https://google.com@x",
])("MD-07: a label that names another host is no link, and the address stands beside it: %s", (label) => {
  expect(textOf(drawn(label))).toBe(`${label} (https://evil.example/)`);
  expect(drawn(label).some((span) => hasMark(span, "link"))).toBe(false);
});

test.each(["the guide", "chapter 1.2.3", "evil.example", "www.evil.example/path", "see main.ts"])(
  "a label that names no other host is the link: %s",
  (label) => {
    expect(textOf(drawn(label))).toBe(label);
    expect(drawn(label).every((span) => hasMark(span, "link"))).toBe(true);
  },
);
