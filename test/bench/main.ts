/**
 * `npm run bench [-- --quick] [-- --only in-process|whole-path] [-- --json FILE]`: prints one table a measurement and the
 * list of goals, and writes all samples to `bench.json`. Without `--quick` it takes long, with it below two minutes; only
 * the long one has enough rounds to judge a goal by.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { verdicts } from "./goals.ts";
import type { Section } from "./measure.ts";
import { report } from "./report.ts";
import { goalTable, sectionTable } from "./table.ts";

type Part = (options: { quick: boolean; log: (line: string) => void }) => Promise<Section[]>;

/** Loaded when it is its turn: neither part has the other's libraries in its memory. */
const PARTS: Readonly<Record<string, () => Promise<Part>>> = {
  "in-process": async () => (await import("./in-process.ts")).measureInProcess,
  "whole-path": async () => (await import("./whole-path.ts")).measureWholePath,
};

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "string", default: "bench.json" },
  },
});

const { quick, only, json } = flags;
if (only !== undefined && !(only in PARTS))
  throw new Error(`--only must be one of ${Object.keys(PARTS).join(", ")}, and is ${only}`);

// Broken off: what cleans up at the end of the process does so.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const log = (line: string) => console.error(line);
const sections: Section[] = [];
for (const [name, load] of Object.entries(PARTS)) {
  if (only !== undefined && name !== only) continue;
  const measure = await load();
  const measured = await measure({ quick, log });
  sections.push(...measured);
  // After each part: what one has measured is not lost when the next one fails.
  console.log(`${measured.map(sectionTable).join("\n\n")}\n`);
  writeFileSync(json, report(sections, { quick, at: new Date() }));
}
console.log(`${goalTable(verdicts(sections))}\n\nAll samples: ${json}`);
