/** The documents stay true: each promise names tests that exist, and each command of the README is run somewhere. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { tempFolder, until } from "./helpers.ts";

const sources = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(path.join("test", file), "utf8"))
  .join("\n");

it("every promise names tests that exist", () => {
  const page = readFileSync("test/PROMISES.md", "utf8");
  const titles = [...page.matchAll(/"([^"\n]+)"/g)].map((match) => match[1] ?? "");
  expect(titles.length).toBeGreaterThan(50);
  expect(titles.filter((title) => !sources.includes(title))).toEqual([]);
});

const README_COMMANDS = [
  "npm ci && npm start",
  "npm ci && npm test",
  "cp config.example.yaml config.yaml",
  "npm start -- --config config.yaml",
  "npm run backup -- backup.tar.gz",
  "mkdir -m 700 data",
  "tar -xzf backup.tar.gz -C data",
];

it("the README has no command that is not run here or by CI", () => {
  const readme = readFileSync("README.md", "utf8");
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap((match) => (match[1] ?? "").trim().split("\n"));
  expect(blocks).toEqual(README_COMMANDS);
});

/** Without the build before it: the tests' own build is there, and others are using it. */
function npm(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn("npm", ["--ignore-scripts", ...args], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    detached: true,
  });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (output += data));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  });
  return { output: () => output, exited };
}

it("`npm start -- --config FILE` and `npm run doctor` do what the README says, with a copy of the example", async () => {
  const folder = tempFolder();
  const file = path.join(folder, "config.yaml");
  const example = readFileSync("config.example.yaml", "utf8")
    .replace("./data ", `${folder}/data `)
    .replace("port: 8787", "port: 0");
  writeFileSync(file, example);
  const started = npm(["start", "--", "--config", file]);
  await until("the link", () => started.output().includes("/open?key="));
  expect(started.output()).toContain("offline answers");
  const doctor = npm(["run", "doctor", "--", "--config", file]);
  expect(await doctor.exited).toBe(0);
  expect(doctor.output()).toContain("✓ configuration");
});
