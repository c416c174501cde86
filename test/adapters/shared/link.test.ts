import { expect, test } from "vitest";
import { drawnLink, linkSpans } from "../../../adapters/shared/link.ts";
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
  "visit google.ai now",
  "visit bank.fr",
  "see www.bank.example today",
  "google\uff0ecom",
  "google\u2024com",
  "www\u3002bank\u3002com",
  "http://10.0.0.1/",
  "from //b\u200bank.com",
  "google\u0332.com",
  "google.c\u0332om",
  "google\u20dd.com",
  "google\u2065.com",
  "google\ufff0.com",
  "google\u{e0080}.com",
  "google\u{16fe4}.com",
  "google\u{1d159}.com",
  "google\u0001.com",
  "1.1.1.1",
])("a label that names another host is no link, and the address stands beside it: %s", (label) => {
  expect(textOf(drawn(label))).toBe(`${label} (https://evil.example/)`);
  expect(drawn(label).some((span) => hasMark(span, "link"))).toBe(false);
});

test.each([
  "the guide",
  "chapter 1.2.3",
  "evil.example",
  "www.evil.example/path",
  "see main.ts",
  "the end. Next",
  "参见说明。以及更多",
])("a label that names no other host is the link: %s", (label) => {
  expect(textOf(drawn(label))).toBe(label);
  expect(drawn(label).every((span) => hasMark(span, "link"))).toBe(true);
});

test("an address is followed without the name and password in it, and a host shown as name is no link", () => {
  const live = drawnLink("x", "https://google.com@evil.example/x", false);
  expect(live).toEqual({ type: "live", href: "https://evil.example/x" });
  const [span, address] = linkSpans([plain("https://google.com@evil.example/")], "https://google.com@evil.example/");
  expect([span?.marks, address?.text]).toEqual([[], " (https://evil.example/)"]);
});

test("an address with letters beyond ASCII stays one, however often it was looked at", () => {
  const drawings = Array.from({ length: 50_000 }, () => drawnLink("x", "https://b\u00fccher.example/x", false));
  expect(drawings.filter(({ type }) => type !== "live")).toEqual([]);
});

test("an address that stands for itself is a link, also one of another script", () => {
  for (const url of ["https://b\u00fccher.example/x", "https://e.example/?q=google.com"]) {
    expect(linkSpans([plain(url)], url).every((span) => hasMark(span, "link"))).toBe(true);
  }
});

test("a citation is a link called by its title, however it is spelt", () => {
  for (const label of ["citation:Title", "Citation: Title"]) {
    expect(textOf(drawn(label))).toBe("Title");
  }
});
