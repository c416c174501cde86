/** Texts of a view as every platform takes them. A model's JSON can hold what no platform does. */
import type { View } from "./contract.ts";

/** The same view: halves of surrogate pairs are U+FFFD, line ends are line feeds, nothing is NUL. A file keeps its path. */
export function sendable<Shown extends View>(view: Shown): Shown {
  // Boundary: a view is plain data, and only what its strings say is changed.
  return JSON.parse(JSON.stringify(view), (key, value: unknown) =>
    typeof value === "string" && key !== "path" ? cleaned(value) : value,
  ) as Shown;
}

const cleaned = (text: string): string =>
  Buffer.from(text).toString().replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");
