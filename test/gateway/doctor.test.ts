import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { ConfigError, parseConfig } from "../../gateway/config.ts";
import { checkDataFolder, runDoctor, type Check } from "../../gateway/doctor.ts";
import { createChecks, startProgram } from "../../gateway/main.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { readOperator } from "../../store/operator.ts";
import { silentLog, tempFolder } from "../helpers.ts";
import { createMemoServer, memoKind } from "../memo-platform.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "threadline-doctor-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function lines(checks: readonly Check[], limitMs?: number): Promise<{ well: boolean; printed: string[] }> {
  const printed: string[] = [];
  return { well: await runDoctor(checks, (line) => printed.push(line), limitMs), printed };
}
const check = (title: string, run: Check["run"]): Check => ({ title, run });

describe("doctor prints", () => {
  test("one line a finding, in the order of the checks, and is content when all are", async () => {
    const slow = check("slow", async () => {
      await new Promise((done) => setTimeout(done, 30));
      return [{ ok: true, text: "is there" }];
    });
    const quick = check("quick", () =>
      Promise.resolve([
        { ok: true, text: "one" },
        { ok: true, text: "two\n  more" },
      ]),
    );
    expect(await lines([slow, quick])).toEqual({
      well: true,
      printed: ["✓ slow: is there", "✓ quick: one", "✓ quick: two more"],
    });
  });

  test("a bad finding and a check that throws are bad news, and the others still run", async () => {
    const token = "123456789:AAFakeFakeFakeFakeFakeFakeFakeFake12";
    const result = await lines([
      check("a", () => Promise.reject(new Error(`GET https://api.telegram.org/bot${token}/getMe failed: ${token}.`))),
      check("b", () => {
        throw new Error("no https://user:pass@proxy.example/");
      }),
      check("c", () => Promise.resolve([{ ok: true, text: "fine" }])),
    ]);
    expect(result).toEqual({
      well: false,
      printed: [
        "✗ a: GET https://api.telegram.org/[redacted]/getMe failed: [redacted]",
        "✗ b: no https://[redacted]@proxy.example/",
        "✓ c: fine",
      ],
    });
  });

  test("every mistake of a configuration on a line of its own", async () => {
    const result = await lines([check("configuration", () => Promise.reject(new ConfigError(["x: bad", "y: worse"])))]);
    expect(result).toEqual({ well: false, printed: ["✗ configuration: x: bad", "✗ configuration: y: worse"] });
  });

  test("a check that never ends is given up", async () => {
    const result = await lines([check("platform", () => new Promise(() => undefined))], 20);
    expect(result.well).toBe(false);
    expect(result.printed).toEqual([expect.stringMatching(/^✗ platform: expected an answer within 20 ms, got none/)]);
  });
});

describe("the data folder", () => {
  const texts = async (...args: Parameters<typeof checkDataFolder>) =>
    (await checkDataFolder(...args)).map(({ ok, text }) => `${ok ? "✓" : "✗"} ${text}`);
  const roomy = { writable: () => Promise.resolve(), freeBytes: () => Promise.resolve(1e9) };

  test("that is not there yet can be made, and is not made by asking", async () => {
    const folder = join(root, "deep", "data");
    expect(await texts(folder)).toEqual([
      `✓ ${folder} is not there yet and will be made at the first start`,
      expect.stringMatching(/^[✓✗] .*MB/),
    ]);
    expect(await readdir(root)).toEqual([]);
  });

  test("that is closed to others and writable is well, and nothing is written into it", async () => {
    const folder = join(root, "data");
    await mkdir(folder, { mode: 0o700 });
    expect((await texts(folder)).slice(0, 2)).toEqual([
      `✓ ${folder} is writable`,
      "✓ nobody else on this machine can read it",
    ]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("that others can read is named with the command that closes it", async () => {
    await chmod(root, 0o750);
    expect(await texts(root, roomy)).toContain(`✗ others on this machine can read it; run: chmod 700 ${root}`);
  });

  test("that is a file, or lies below one, is named", async () => {
    const file = join(root, "file");
    await writeFile(file, "");
    expect(await texts(file)).toEqual([expect.stringMatching(/^✗ expected .* to be a folder, got a file/)]);
    expect(await texts(join(file, "data"))).toEqual([expect.stringMatching(/^✗ expected to reach .*ENOTDIR/)]);
  });

  test("without the right to write, or without room, is named", async () => {
    const locked = {
      writable: () => Promise.reject(new Error("EACCES")),
      freeBytes: () => Promise.resolve(5 * 1024 * 1024),
    };
    const wanted = [
      expect.stringMatching(/^✗ expected to be able to write in .*data_dir$/),
      "✓ nobody else on this machine can read it",
      "✗ expected at least 200 MB of free space, got 5 MB; make room or set data_dir",
    ];
    expect(await texts(root, locked)).toEqual(wanted);
    expect((await texts(join(root, "data"), locked))[0]).toMatch(
      /^✗ expected to be able to make .*no right to write in/,
    );
  });
});

describe("the port", () => {
  const kinds = [memoKind(createMemoServer())];
  const configOf = (dataDir: string, port: number) =>
    parseConfig(
      stringify({ data_dir: dataDir, http: { port }, models: [{ name: "offline", provider: "offline" }] }),
      {},
      kinds,
    );
  async function running(dataDir: string): Promise<number> {
    const config = configOf(dataDir, 0);
    const program = await startProgram({ config, kinds, clock: systemClock, log: silentLog, env: {} });
    onTestFinished(() => program.stop());
    return Number(new URL(program.http.origin).port);
  }
  async function finding(dataDir: string, port: number) {
    const found = createChecks(configOf(dataDir, port), kinds, {}).filter(({ title }) => title === "port");
    return (await lines(found)).printed;
  }

  test("that the running program of this data folder uses is well", async () => {
    const dataDir = join(tempFolder(), "data");
    const port = await running(dataDir);
    expect(await finding(dataDir, port)).toEqual([
      `✓ port: 127.0.0.1:${port} is used by the running Threadline of this data folder`,
    ]);
  });

  test("that a Threadline with another data folder uses is a problem, whether one with this folder runs or not", async () => {
    const folder = tempFolder();
    const [port] = await Promise.all([running(join(folder, "other")), running(join(folder, "data"))]);
    const problem = `✗ port: 127.0.0.1:${port} is used by another Threadline, with another data folder: stop that one, or set http.port in the configuration to another number above 1023`;
    expect(await finding(join(folder, "data"), port)).toEqual([problem]);
    expect(await finding(join(folder, "none"), port)).toEqual([problem]);
  });

  test("that another program uses is a problem, however alike it answers; it learns no secret", async () => {
    const dataDir = join(tempFolder(), "data");
    await running(dataDir);
    const heard: string[] = [];
    const other = createServer((request, response) => {
      heard.push(JSON.stringify([request.url, request.headers]));
      response.end("ok");
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo; // boundary: it listens on a port
    expect(await finding(dataDir, port)).toEqual([
      `✗ port: The port 127.0.0.1:${port} is already in use: stop the other program, or set http.port in the configuration to another number above 1023`,
    ]);
    const secret = readOperator(join(dataDir, "threadline.db"))?.secret ?? "";
    expect(secret).toHaveLength(64);
    expect(heard.join()).not.toContain(secret);
  });
});
