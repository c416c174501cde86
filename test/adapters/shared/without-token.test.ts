import { expect, test } from "vitest";
import { withoutToken } from "../../../adapters/shared/without-token.ts";

test("SEC-01: a token is taken out as it is and URL-encoded; an empty one changes nothing", () => {
  expect(withoutToken("x 1:a/b y 1%3Aa%2Fb z", "1:a/b")).toBe("x [token] y [token] z");
  expect(withoutToken("nothing here", "")).toBe("nothing here");
});
