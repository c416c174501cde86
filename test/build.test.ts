/** `npm run build` beside a program that runs. */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readdirSync, symlinkSync, utimesSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "./helpers.ts";

test("a build leaves the parts that a running program may load later, and takes those of long ago away", () => {
  const folder = tempFolder();
  for (const name of ["gateway", "adapters", "agent", "subagents", "store", "package.json", "build.mjs"])
    cpSync(name, path.join(folder, name), { recursive: true });
  symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
  const build = () => execFileSync(process.execPath, ["build.mjs"], { cwd: folder });
  const parts = () => readdirSync(path.join(folder, "dist", "parts"));

  build();
  const first = parts();
  appendFileSync(path.join(folder, "agent", "reply-text.ts"), "export const news = 1;\nconsole.debug(news);\n");
  build();
  expect(parts().length).toBeGreaterThan(first.length);
  expect(first.filter((name) => !existsSync(path.join(folder, "dist", "parts", name)))).toEqual([]);

  const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  for (const name of parts()) utimesSync(path.join(folder, "dist", "parts", name), longAgo, longAgo);
  build();
  expect(parts().length).toBe(first.length);
}, 60_000);
