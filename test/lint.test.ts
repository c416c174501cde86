import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const project = fileURLToPath(new URL("..", import.meta.url));
const pattern = z.object({ group: z.array(z.string()), message: z.string() });
const override = z.object({
  files: z.array(z.string()).length(1),
  rules: z.object({
    "no-restricted-imports": z.union([
      z.literal("off"),
      z.tuple([z.literal("error"), z.object({ patterns: z.array(pattern) })]),
    ]),
  }),
});
const rules = z
  .object({ overrides: z.array(override) })
  .parse(JSON.parse(await readFile(join(project, ".oxlintrc.json"), "utf8")));

interface Sample {
  readonly file: string;
  readonly text: string;
  /** What the linter must say: the message of the import table, or a rule's name. Absent: nothing. */
  readonly wanted?: string;
}

/** A module that the glob is about: `** /agent/**` → `../agent/x.ts`, `@slack/**` → `@slack/bolt`. */
const moduleOf = (glob: string): string =>
  glob.startsWith("@") ? glob.replace("**", "some/module") : glob.replace(/^\*\*/, "..").replace("**", "x.ts");

/** One file for every forbidden glob of every folder, so that no line of the table goes untried. */
const forbidden: readonly Sample[] = rules.overrides.flatMap(
  ({ files: [files = ""], rules: { "no-restricted-imports": rule } }) =>
    rule === "off"
      ? []
      : rule[1].patterns.flatMap(({ group, message }) =>
          group
            .filter((glob) => !glob.startsWith("!"))
            .map((glob, index) => ({
              file: files.replace("**", `${files.startsWith("adapters") ? "mail/" : ""}${slug(message)}-${index}.ts`),
              text: `import { x } from "${moduleOf(glob)}";\nexport const y = x;\n`,
              wanted: message,
            })),
        ),
);
function slug(text: string): string {
  return text.replace(/\W+/g, "-");
}

const byHand: readonly Sample[] = [
  [
    "adapters/mail/type.ts",
    'export type { X } from "../../agent/contract.ts";',
    "adapters see gateway/contract.ts only",
  ],
  ["adapters/mail/deep/up.ts", 'export * from "../../slack/adapter.ts";', "no platform sees another"],
  [
    "gateway/late.ts",
    'export const x = () => import("../store/database.ts");',
    "only gateway/main.ts wires folders together",
  ],
  [
    "gateway/type.ts",
    'import type { X } from "../agent/lead-agent.ts"; export type Y = X;',
    "only gateway/main.ts wires folders together",
  ],
  [
    "agent/tools/deep.ts",
    'import type { X } from "../../gateway/contract.ts"; export type Y = X;',
    "agent sees only subagents",
  ],
  ["subagents/back.ts", 'export * from "../agent/contract.ts";', "subagents see only their own folder"],
  ["store/wide.ts", 'export * from "../gateway/gateway.ts";', "store sees contracts only"],
  ["store/circle-a.ts", 'import { b } from "./circle-b.ts"; export const a = (): number => b();', "no-cycle"],
  ["store/circle-b.ts", 'import { a } from "./circle-a.ts"; export const b = (): number => a();', "no-cycle"],
].map(([file = "", text = "", wanted = ""]) => ({ file, text, wanted }));

const types: readonly Sample[] = [
  ["agent/any.ts", "export const x = (y: any): unknown => y;", "no-explicit-any"],
  ["agent/bang.ts", "export const x = (y?: string): string => y!;", "no-non-null-assertion"],
  [
    "agent/floating.ts",
    "const go = async (): Promise<void> => {}; export const x = (): void => { go(); };",
    "no-floating-promises",
  ],
  ["agent/misused.ts", "export const x = (y: Promise<boolean>): number => (y ? 1 : 2);", "no-misused-promises"],
  [
    "agent/late.ts",
    'export const x = (y: "a" | "b"): void => { switch (y) { case "a": break; } };',
    "switch-exhaustiveness-check",
  ],
  [
    "agent/type-import.ts",
    'import { Y } from "./types.ts"; export const x = (y: Y): Y => y;',
    "consistent-type-imports",
  ],
].map(([file = "", text = "", wanted = ""]) => ({ file, text, wanted }));

const allowed: readonly Sample[] = [
  ["agent/types.ts", "export type Y = string;"],
  [
    "adapters/mail/good.ts",
    'import { postRef } from "../../gateway/contract.ts"; import { b } from "../shared/b.ts"; import { c } from "./c.ts"; import { d } from "mail-sdk"; export const x = [postRef, b, c, d];',
  ],
  [
    "gateway/good.ts",
    'import { a } from "../agent/contract.ts"; import { b } from "../subagents/contract.ts"; import { c } from "./c.ts"; export const x = [a, b, c];',
  ],
  [
    "gateway/main.ts",
    'import { a } from "../agent/lead-agent.ts"; import { b } from "../adapters/web/adapter.ts"; import { c } from "../store/database.ts"; export const x = [a, b, c];',
  ],
  [
    "agent/good.ts",
    'import { a } from "../subagents/runner.ts"; import { b } from "@langchain/core/messages"; export const x = [a, b];',
  ],
  ["subagents/good.ts", 'import { a } from "./contract.ts"; import { b } from "langchain"; export const x = [a, b];'],
  [
    "store/good.ts",
    'import { a } from "../gateway/contract.ts"; import { s } from "../gateway/store-contract.ts"; import { b } from "../agent/contract.ts"; import { c } from "better-sqlite3"; export const x = [a, s, b, c];',
  ],
  [
    "test/good.test.ts",
    'import { a } from "../agent/lead-agent.ts"; import { b } from "../gateway/main.ts"; export const x = [a, b];',
  ],
].map(([file = "", text = ""]) => ({ file, text }));

const report = z.object({
  diagnostics: z.array(z.object({ filename: z.string(), code: z.string(), help: z.string().optional() })),
});
let folder: string;
let said: Map<string, string[]>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "threadline-lint-"));
  for (const name of [".oxlintrc.json", "tsconfig.json"]) await cp(join(project, name), join(folder, name));
  await symlink(join(project, "node_modules"), join(folder, "node_modules"));
  for (const { file, text } of [...forbidden, ...byHand, ...types, ...allowed]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${text}\n`);
  }
  said = await lint();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the project's linter says with the project's settings, by file. */
async function lint(): Promise<Map<string, string[]>> {
  const args = [join(project, "node_modules/oxlint/bin/oxlint"), "--type-aware", "--format", "json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  const found = new Map<string, string[]>();
  for (const { filename, code, help = "" } of report.parse(JSON.parse(stdout)).diagnostics) {
    found.set(filename, [...(found.get(filename) ?? []), `${code} ${help}`]);
  }
  return found;
}

describe("the linter", () => {
  test("has a table to try: every folder of the design is in it", () => {
    const folders = rules.overrides.flatMap(({ files }) => files);
    expect(folders).toEqual(["adapters/**", "gateway/**", "gateway/main.ts", "agent/**", "subagents/**", "store/**"]);
    expect(forbidden.length).toBeGreaterThan(30);
  });

  test.each([...forbidden, ...byHand].map((sample) => [sample.file, sample.wanted ?? ""]))(
    "catches %s: %s",
    (file, wanted) => {
      expect(said.get(file) ?? []).toContainEqual(expect.stringContaining(wanted));
    },
  );

  test.each(types.map((sample) => [sample.wanted ?? "", sample.file]))("catches %s", (wanted, file) => {
    expect(said.get(file) ?? []).toContainEqual(expect.stringContaining(wanted));
  });

  test.each(allowed.map((sample) => [sample.file]))("lets %s pass", (file) => {
    expect(said.get(file) ?? []).toEqual([]);
  });
});
