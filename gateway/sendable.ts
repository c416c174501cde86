/** Texts of a view as every platform takes them. A model's JSON can hold what no platform does. */
import type { View } from "./contract.ts";

/** By which something is found again; nobody reads them. */
const IDENTIFIERS = new Set(["path", "token", "id", "name"]);

/** The same view: in what is read, halves of surrogate pairs are U+FFFD, line ends are line feeds, nothing is NUL. */
export function sendable<Shown extends View>(view: Shown): Shown {
  // Boundary: a view is plain data, and only what its strings say is changed.
  return JSON.parse(JSON.stringify(view), (key, value: unknown) =>
    typeof value === "string" && !IDENTIFIERS.has(key) ? cleaned(value) : value,
  ) as Shown;
}

const cleaned = (text: string): string =>
  Buffer.from(text).toString().replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");
