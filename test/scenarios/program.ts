/** The program under test: in this process, or in one of its own where it has to be killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import type { Logger } from "pino";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { parseConfig } from "../../gateway/config.ts";
import type { Clock } from "../../gateway/contract.ts";
import { KINDS, type Program, startProgram } from "../../gateway/main.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { silentLog, tempFolder, until } from "../helpers.ts";
import { createModelServer, type ModelServer } from "../wire/model-server.ts";
import type { Script } from "./scripts.ts";
import type { Stage } from "./stage.ts";

export interface Setting {
  /** The first of them. */
  readonly stage: Stage;
  readonly stages: readonly Stage[];
  readonly models: ModelServer;
  readonly folder: string;
  /** The configuration as YAML. */
  readonly yaml: string;
  readonly atEnd: AtEnd;
}
/** Where what is to be done at the end is told; a test's own end unless a file shares a program. */
export type AtEnd = (end: () => void | Promise<void>) => void;
type CreateStage = () => Promise<Stage>;

/** Platforms, a model server with two models, and a data folder: all of this test's own. */
export async function createSetting(
  createStages: CreateStage | readonly [CreateStage, ...CreateStage[]],
  more: Readonly<Record<string, unknown>> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Setting> {
  const [createFirst, ...createOthers] = typeof createStages === "function" ? [createStages] : createStages;
  const stage = await createFirst();
  const stages = [stage, ...(await Promise.all(createOthers.map((create) => create())))];
  const models = await createModelServer();
  const folder = tempFolder(atEnd);
  atEnd(async () => {
    await Promise.all([...stages, models].map((one) => one.close()));
  });
  const model = (name: string, display_name: string) => ({
    name,
    display_name,
    provider: "openai",
    model: name,
    api_key: models.apiKey,
    base_url: models.url,
  });
  const yaml = stringify({
    data_dir: path.join(folder, "data"),
    http: { port: 0 },
    shutdown_grace: "2s",
    models: [model("big", "Big Model"), model("small", "Small Model")],
    platforms: Object.fromEntries(
      stages.map(({ platform, settings }) => [platform, { access: { mode: "open" }, ...settings }]),
    ),
    subagents: {
      custom: { scout: { description: "Looks things up", system_prompt: "You are the scout.", model: "small" } },
    },
    ...more,
  });
  return { stage, stages, models, folder, yaml, atEnd };
}

/** The first start in a worker loads every client and the agent: long on a busy machine. */
const LOADING_MS = 60_000;

/** One program for all tests of a file, which calls this at its top: they are told apart by who speaks where. */
export function sharedProgram(
  createStages: Parameters<typeof createSetting>[0],
  script: Script,
  more: Readonly<Record<string, unknown>> = {},
): () => Setting {
  const ends: Parameters<AtEnd>[0][] = [];
  let setting: Setting | undefined;
  beforeAll(async () => {
    setting = await createSetting(createStages, more, (end) => void ends.push(end));
    setting.models.script(script);
    await startHere(setting);
  }, LOADING_MS);
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return () => {
    if (!setting) throw new Error("Expected to be asked by a test, was asked before the first.");
    return setting;
  };
}

export async function startHere(
  { yaml, atEnd }: Setting,
  { clock = systemClock, log = silentLog }: { readonly clock?: Clock; readonly log?: Logger } = {},
): Promise<Program> {
  const config = parseConfig(yaml, {}, KINDS);
  const program = await startProgram({ config, kinds: KINDS, clock, log, env: {} });
  atEnd(() => program.stop());
  return program;
}

export interface Memory {
  readonly live: number;
  readonly rss: number;
}
export interface Running {
  readonly child: ChildProcess;
  /** Lines of the log. */
  readonly lines: readonly string[];
  /** From now on it ends with SIGKILL at this moment, as `kill-at.mjs` says. */
  killAt(moment: string): Promise<void>;
  /** What is in use after a collection, and what the process has from the system; bytes. */
  memory(): Promise<Memory>;
  /** Ends it with SIGKILL, if it has not ended by itself, and waits. */
  kill(): Promise<void>;
  readonly exited: Promise<number | null>;
}

/** The built program in a process of its own. Resolves when it is ready or has ended. */
export async function spawnProgram({ yaml, folder, atEnd }: Setting, patienceMs = 15_000): Promise<Running> {
  const file = path.join(folder, "config.yaml");
  writeFileSync(file, yaml);
  const hooks = ["kill-at.mjs", "live-memory.mjs"].flatMap((hook) => [
    "--import",
    path.resolve("test/scenarios", hook),
  ]);
  const child = spawn(process.execPath, [...hooks, "dist/gateway/cli.js", "start", "--config", file], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on("line", (line) => lines.push(line));
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  let ended = false;
  void exited.then(() => (ended = true));
  const kill = async () => {
    if (!ended) child.kill("SIGKILL");
    await exited;
  };
  const ask = async (message: { readonly type: string; readonly moment?: string }): Promise<unknown> => {
    const answer = once(child, "message");
    child.send(message);
    return (await answer)[0];
  };
  const killAt = async (moment: string) => void (await ask({ type: "kill at", moment }));
  const memory = async () => z.object({ live: z.number(), rss: z.number() }).parse(await ask({ type: "memory" }));
  atEnd(kill);
  const ready = () => ended || lines.some((line) => line.includes('"msg":"ready"'));
  await until("ready", ready, patienceMs).catch((error: unknown) => {
    throw new Error(`Expected the program to be ready, it said: ${lines.slice(-20).join("\n")}`, { cause: error });
  });
  return { child, lines, killAt, memory, kill, exited };
}

/** Reads the program's database beside it. */
export function query<Row>({ folder }: Setting, sql: string): Row[] {
  const db = new Database(path.join(folder, "data", "threadline.db"), { readonly: true });
  try {
    return db.prepare<[], Row>(sql).all();
  } finally {
    db.close();
  }
}
