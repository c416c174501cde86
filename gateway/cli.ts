#!/usr/bin/env node
/** The command line: arguments, signals, exit codes. */
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Logger } from "pino";
import { type Config, parseConfig } from "./config.ts";
import { runDoctor } from "./doctor.ts";
import { createLog } from "./log.ts";
import { createChecks, KINDS, type Program, startProgram } from "./main.ts";
import { systemClock } from "./system-clock.ts";

const USAGE = `Usage: threadline start [--config FILE]
       threadline doctor [--config FILE]`;

try {
  await main();
} catch (error) {
  // The one place where the program ends for a failure: a sentence for the operator, not a stack.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { config: { type: "string" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
  const [command = "start"] = positionals;
  if (values.help) return print(USAGE);
  if (command === "start") return start(loadConfig(values.config));
  if (command === "doctor") return doctor(values.config);
  throw new Error(`Expected start or doctor, got "${command}".\n${USAGE}`);
}

/** A named file must be there; without a name `config.yaml` is read when it exists. */
function loadConfig(named: string | undefined): Config {
  const file = named ?? "config.yaml";
  const found = existsSync(file);
  if (named !== undefined && !found)
    throw new Error(`There is no file ${named}; copy config.example.yaml to begin with`);
  return parseConfig(found ? readFileSync(file, "utf8") : undefined, process.env, KINDS);
}

async function start(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  // A client library's forgotten promise must not end the process for everybody.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "a promise was rejected and nobody listened"));
  const program = await startProgram({ config, kinds: KINDS, clock: systemClock, log, env: process.env });
  let stopping: Promise<void> | undefined;
  const stop = (signal: string) => {
    stopping ??= end(program, config.shutdownGraceMs, signal, log);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  await program.platforms.ready();
  log.info({ platforms: [...program.platforms.adapters.keys()] }, "ready");
}

async function end(program: Program, graceMs: number, signal: string, log: Logger): Promise<void> {
  log.info({ signal }, "stopping");
  const grace = setTimeout(() => process.exit(0), graceMs);
  await program.stop();
  clearTimeout(grace);
  process.exit(0); // agents may still be at work: they are left as they are, for the next start
}

async function doctor(file: string | undefined): Promise<void> {
  let config: Config | undefined;
  const readConfig = async () => {
    config = loadConfig(file);
    const from = file ?? (existsSync("config.yaml") ? "config.yaml" : "no file, defaults and environment");
    return [{ ok: true, text: from }];
  };
  const readable = await runDoctor([{ title: "configuration", run: readConfig }], print);
  const healthy =
    readable && config !== undefined && (await runDoctor(createChecks(config, KINDS, process.env), print));
  process.exit(healthy ? 0 : 1);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
