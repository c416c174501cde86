/** A real browser for tests; where there is none, the reason. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const chromiumPath = PLACES.find((path) => existsSync(path));
export const NO_CHROMIUM = `Expected Chromium at one of ${PLACES.join(", ")}, found none: install it to run the browser tests.`;

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(NO_CHROMIUM);
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
