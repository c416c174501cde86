#!/usr/bin/env node
/** The command line: arguments, signals, exit codes. */
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Logger } from "pino";
import { type Config, parseConfig } from "./config.ts";
import { runDoctor } from "./doctor.ts";
import { createLog } from "./log.ts";
import { backUpData, createChecks, forgetPerson, KINDS, type Program, startProgram } from "./main.ts";
import { systemClock } from "./system-clock.ts";

const USAGE = `Usage: threadline start [--config FILE]
       threadline doctor [--config FILE]
       threadline backup FILE [--config FILE]
       threadline forget PERSON [--config FILE]`;

/** Ours: many times the longest one that makes sense, and read in an instant. */
const MOST_CONFIG_BYTES = 1_000_000;

try {
  await main();
} catch (error) {
  // The one place where the program ends for a failure: a sentence for the operator, not a stack.
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exit(1);
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isDamaged = "code" in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
  return isDamaged
    ? `The database is damaged (${error.message}): restore a backup, and ask npm run doctor`
    : error.message;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { config: { type: "string" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
  const [command = "start", ...rest] = positionals;
  if (values.help) return print(USAGE);
  if (command === "backup") return backup(rest, values.config);
  if (command === "forget") return forget(rest, values.config);
  if (rest.length > 0) throw new Error(`Expected one command, got ${positionals.length}.\n${USAGE}`);
  if (command === "start") return start(loadConfig(values.config));
  if (command === "doctor") return doctor(values.config);
  throw new Error(`Expected start, doctor, backup or forget, got "${command}".\n${USAGE}`);
}

/** A named file must be there; without a name `config.yaml` is read when it exists. */
function loadConfig(named: string | undefined): Config {
  // Seen without following it: a link that leads nowhere is a mistake, not a missing file.
  const found = named !== undefined || lstatSync("config.yaml", { throwIfNoEntry: false }) !== undefined;
  return parseConfig(found ? readConfigFile(named ?? "config.yaml") : undefined, process.env, KINDS);
}

function readConfigFile(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new Error(`There is no file "${file}"; copy config.example.yaml to begin with`);
  if (found.isDirectory()) throw new Error(`Expected "${file}" to be a file, got a folder; name the file inside it`);
  if (found.size > MOST_CONFIG_BYTES)
    throw new Error(
      `Expected "${file}" to be a configuration of at most 1 MB, got more; check that it is the right file`,
    );
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "an error";
    throw new Error(`Expected to read "${file}", got ${reason}; make it readable for this user`, { cause: error });
  }
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
  log.info({ signal }, "stopping; nothing is lost, the next start goes on");
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

async function backup(files: readonly string[], config: string | undefined): Promise<void> {
  const [file] = files;
  if (!file || files.length > 1)
    throw new Error(`Expected the one file that the backup shall be, got ${files.length}.\n${USAGE}`);
  const { threads, files: beside, bytes } = await backUpData(loadConfig(config), file);
  print(`${file} holds ${threads} threads and ${beside} files in ${bytes} bytes`);
}

async function forget(people: readonly string[], file: string | undefined): Promise<void> {
  const [person] = people;
  if (!person || people.length > 1)
    throw new Error(`Expected one person, such as telegram:12345, got ${people.length}.\n${USAGE}`);
  print(await forgetPerson(loadConfig(file), systemClock, person));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
