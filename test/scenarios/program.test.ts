/** The program as an operator meets it: what it refuses with which sentence, how it stops, what it says of itself. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { parseConfig } from "../../gateway/config.ts";
import { KINDS, startProgram } from "../../gateway/main.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { message, silentLog, tempFolder, until } from "../helpers.ts";
import { createMemoServer, memoKind } from "../memo-platform.ts";
import { createSetting, query, spawnProgram } from "./program.ts";
import { delegates, echo } from "./scripts.ts";
import { createTelegramStage } from "./telegram-stage.ts";

/** Runs the built program to its end. */
async function run(args: readonly string[], env: Record<string, string> = {}, cwd = process.cwd()) {
  const bare = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env };
  const child = spawn(process.execPath, [path.resolve("dist/gateway/cli.js"), ...args], { env: bare, cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (output += data));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { code, output };
}

function configFile(folder: string, values: Record<string, unknown>): string {
  const file = path.join(folder, "config.yaml");
  writeFileSync(file, stringify({ http: { port: 0 }, ...values }));
  return file;
}

describe("a mistake of the operator ends in one clear sentence and exit code 1", () => {
  it.each([
    ["an unknown key", { slak: {} }, /Unrecognized|unknown|slak/i],
    [
      "a missing variable",
      { models: [{ name: "m", provider: "openai", model: "m", api_key: "$NOT_SET_HERE" }] },
      /NOT_SET_HERE/,
    ],
  ])("%s", async (_what, values, sentence) => {
    const folder = tempFolder();
    const { code, output } = await run([
      "start",
      "--config",
      configFile(folder, { data_dir: path.join(folder, "data"), ...values }),
    ]);
    expect(code).toBe(1);
    expect(output).toMatch(sentence);
    expect(output).not.toContain("    at ");
  });

  it("a file that is not there, and a command that is none", async () => {
    expect(await run(["start", "--config", "nowhere.yaml"])).toMatchObject({
      code: 1,
      output: expect.stringContaining("config.example.yaml"),
    });
    expect(await run(["dance"])).toMatchObject({ code: 1, output: expect.stringContaining("Usage:") });
  });

  it("a folder, a link to nowhere, a huge file or no name where the configuration should be", async () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, "folder"));
    writeFileSync(path.join(folder, "huge.yaml"), "# x\n".repeat(500_000));
    for (const [file, sentence] of [
      ["folder", /"folder" to be a file, got a folder/],
      ["huge.yaml", /at most 1 MB/],
      ["", /There is no file ""/],
    ] as const) {
      const { code, output } = await run(["start", "--config", file], {}, folder);
      expect(output).toMatch(sentence);
      expect(code).toBe(1);
    }
    symlinkSync("nowhere", path.join(folder, "config.yaml"));
    for (const command of ["start", "doctor"]) {
      const { code, output } = await run([command], {}, folder);
      expect(output).toMatch(/There is no file "config.yaml"/);
      expect(code).toBe(1);
    }
    expect(readdirSync(folder)).not.toContain("data");
  });

  it("a file where a platform's folder should be, and two commands at once", async () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, "data"));
    writeFileSync(path.join(folder, "data", "web"), "");
    configFile(folder, {});
    expect(await run(["start"], {}, folder)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/data folder data\/web cannot be used/),
    });
    expect(await run(["start", "doctor"], {}, folder)).toMatchObject({
      code: 1,
      output: expect.stringContaining("Usage:"),
    });
  });

  it("a port in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const folder = tempFolder();
    const { code, output } = await run([
      "start",
      "--config",
      configFile(folder, { data_dir: path.join(folder, "data"), http: { port } }),
    ]);
    expect(code).toBe(1);
    expect(output).toContain(`127.0.0.1:${port} is already in use`);
    expect(output).toContain("http.port");
  });

  it("a data folder that cannot be one", async () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, "data"), "a file");
    const { code, output } = await run([
      "start",
      "--config",
      configFile(folder, { data_dir: path.join(folder, "data") }),
    ]);
    expect(code).toBe(1);
    expect(output).toMatch(/data folder .* cannot be used/);
  });

  it("a corrupt database", async () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, "data"));
    writeFileSync(path.join(folder, "data", "threadline.db"), "no database ".repeat(500));
    const { code, output } = await run([
      "start",
      "--config",
      configFile(folder, { data_dir: path.join(folder, "data") }),
    ]);
    expect(code).toBe(1);
    expect(output).toContain("damaged");
  });

  it("SQL-05: a second process on the same data folder, which leaves the first alone", async () => {
    const setting = await createSetting(createTelegramStage);
    setting.models.script(echo);
    const first = await spawnProgram(setting);
    const started = Date.now();
    const { code, output } = await run(["start", "--config", path.join(setting.folder, "config.yaml")]);
    expect(code).toBe(1);
    expect(output).toContain(`process ${first.child.pid}`);
    expect(Date.now() - started).toBeLessThan(10_000);
    const ana = setting.stage.person("Ana");
    ana.direct.say(ana, "still there?");
    await until("the reply", () => ana.direct.posts().length === 1);
    await first.kill();
    const second = await spawnProgram(setting);
    expect(second.child.exitCode).toBeNull();
  });
});

describe("the program", () => {
  it("keeps its folder and files to the owner, and every file that it makes inside", async () => {
    const setting = await createSetting(createTelegramStage);
    setting.models.script(echo);
    const program = await spawnProgram(setting);
    const data = path.join(setting.folder, "data");
    expect(statSync(data).mode & 0o777).toBe(0o700);
    for (const file of ["threadline.db", "threadline.db-wal", "threadline.lock"])
      expect(statSync(path.join(data, file)).mode & 0o077).toBe(0);
    await program.kill();
  });

  it("with a wrong token: that platform is named down in the log and in /readyz, and the page works", async () => {
    const setting = await createSetting(createTelegramStage);
    setting.models.script(echo);
    const yaml = setting.yaml.replace(
      String(setting.stage.settings["bot_token"]),
      "123456:AAwrong_wrong_wrong_wrong_wrong_wro",
    );
    const file = path.join(setting.folder, "config.yaml");
    writeFileSync(file, yaml);
    const child = spawn(process.execPath, ["dist/gateway/cli.js", "start", "--config", file]);
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    const link = await until("the link and the failure", () =>
      output.includes("this platform is down")
        ? /http:\/\/127\.0\.0\.1:\d+\/open\?key=\w+/.exec(output)?.[0]
        : undefined,
    );
    const origin = new URL(link).origin;
    const ready = await fetch(`${origin}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({
      ready: false,
      platforms: {
        telegram: { connected: false, lastError: expect.stringContaining("token") },
        web: { connected: true },
      },
    });
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
    expect(output).not.toContain("AAwrong");
  });

  it("LIFE-04: on SIGTERM lets a send finish, exits 0 within the grace, and the next start says what is missing once", async () => {
    const setting = await createSetting(createTelegramStage);
    setting.models.script(delegates({ stepMs: 1000, steps: 4 }));
    const ana = setting.stage.person("Ana");
    const first = await spawnProgram(setting);
    ana.direct.say(ana, "compare them");
    await until("the card", () => ana.direct.posts().length === 1);
    const asked = Date.now();
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    expect(Date.now() - asked).toBeLessThan(4000);
    const db = new Database(path.join(setting.folder, "data", "threadline.db"), { readonly: true });
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    db.close();
    expect(query<{ state: string }>(setting, "select state from runs")).toEqual([{ state: "running" }]);
    await spawnProgram(setting);
    await until("the reply", () => ana.direct.posts().some((post) => post.text.includes("Both are done")), 30_000);
    expect(ana.direct.posts()).toHaveLength(2);
  });

  it("takes a platform that is one file and one line", async () => {
    const server = createMemoServer();
    const kinds = [...KINDS, memoKind(server)];
    const config = parseConfig(
      stringify({
        data_dir: path.join(tempFolder(), "data"),
        http: { port: 0 },
        models: [{ name: "offline", provider: "offline", model: "offline" }],
      }),
      {},
      kinds,
    );
    const program = await startProgram({ config, kinds, clock: systemClock, log: silentLog, env: {} });
    onTestFinished(() => program.stop());
    await server.deliver?.(message("what is 17 * 23?"));
    await until("the reply", () => server.posts.some((post) => post.text.includes("391")));
    expect(program.platforms.readiness()).toMatchObject({ memo: { connected: true } });
  });

  it("prints no token, key or message text at info", async () => {
    const setting = await createSetting(createTelegramStage);
    setting.models.script(echo);
    const ana = setting.stage.person("Ana");
    const program = await spawnProgram(setting);
    ana.direct.say(ana, "a very private sentence");
    await until("the reply", () => ana.direct.posts().length === 1);
    await program.kill();
    const log = program.lines.join("\n");
    for (const secret of [
      "a very private sentence",
      String(setting.stage.settings["bot_token"]),
      setting.models.apiKey,
    ])
      expect(log).not.toContain(secret);
  });
});

describe("doctor", () => {
  it("says line by line what is there and what is not, and takes no event", async () => {
    const setting = await createSetting(createTelegramStage);
    const file = path.join(setting.folder, "config.yaml");
    writeFileSync(file, setting.yaml);
    const { code, output } = await run(["doctor", "--config", file]);
    expect(output).toMatch(/✓ configuration/);
    expect(output).toMatch(/✓ data folder/);
    expect(output).toMatch(/✓ models: .*Big Model/);
    expect(output).toMatch(/✓ telegram: /);
    expect(code).toBe(0);
  });

  it("with nothing set names the offline model and is content", async () => {
    const folder = tempFolder();
    const { code, output } = await run(["doctor"], {}, folder);
    expect(output).toMatch(/offline/);
    expect(code).toBe(0);
  });

  it("names a folder that cannot be written and exits 1", async () => {
    if (process.getuid?.() === 0) {
      // Root may write anywhere: a file in the way is what it cannot use.
      const folder = tempFolder();
      writeFileSync(path.join(folder, "data"), "");
      expect(await run(["doctor"], {}, folder)).toMatchObject({
        code: 1,
        output: expect.stringContaining("✗ data folder"),
      });
      return;
    }
    const folder = tempFolder();
    chmodSync(folder, 0o500);
    expect(await run(["doctor"], {}, folder)).toMatchObject({
      code: 1,
      output: expect.stringContaining("✗ data folder"),
    });
  });
});
