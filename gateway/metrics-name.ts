/** What every metric of ours is made with. */
import type { Registry } from "prom-client";

/** `name` without `threadline_`, with its unit: `_seconds`, `_bytes`, `_total`. */
export function named<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
) {
  return { name: `threadline_${name}`, help, labelNames, registers: [registry] };
}
