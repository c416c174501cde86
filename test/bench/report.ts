/** What is written beside the table: every raw sample, and on what it was measured. */
import { readFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import { z } from "zod";
import { verdicts } from "./goals.ts";
import type { Section } from "./measure.ts";

const manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});

/** The report as JSON text. */
export function report(sections: readonly Section[], options: { readonly quick: boolean; readonly at: Date }): string {
  const json = {
    date: options.at.toISOString(),
    quick: options.quick,
    machine: machine(),
    packages: packages(),
    goals: verdicts(sections),
    sections,
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

function machine() {
  const all = cpus();
  return {
    node: process.version,
    system: `${platform()} ${arch()}`,
    cpus: all.length,
    cpu: all[0]?.model ?? "unknown",
    memoryMb: Math.round(totalmem() / 2 ** 20),
  };
}

/** All are pinned to exact versions. */
function packages(): Record<string, string> {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { dependencies, devDependencies } = manifest.parse(JSON.parse(text));
  return { ...dependencies, ...devDependencies };
}
