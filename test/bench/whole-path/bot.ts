/** One bot in a process of its own, with a Telegram and a model that only it talks to. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { createBotProcess } from "./bot-process.ts";
import { type BenchModel, createBenchModel, type ToolCall } from "./model.ts";
import { openOurThreads, OUR_DATABASE, ourArguments, ourThread } from "./our-threads.ts";
import { pageBytes, query } from "./query.ts";
import { type BenchTelegram, createBenchTelegram } from "./telegram.ts";
import { RESULT, SEEDED } from "./texts.ts";

/** `echo` is the floor and has no agent. */
export const VARIANTS = ["echo", "plain", "chat-sdk", "deepagents", "ours"] as const;
export type Variant = (typeof VARIANTS)[number];
export const AGENTS = VARIANTS.filter((variant) => variant !== "echo");

export interface Bot {
  readonly variant: Variant;
  readonly telegram: BenchTelegram;
  readonly model: BenchModel;
  /** @throws Error while it does not run, `LostRound` once it has ended by itself. */
  readonly pid: number;
  /** Rejects with a `LostRound` when the process ends by itself; else it stays pending. */
  readonly ended: Promise<never>;
  /** Spawns the process; resolves with the time of its first `getUpdates`, counted from the spawn, ms. */
  start(): Promise<number>;
  /** SIGKILL: what counts is stored by then, for every bot here. */
  kill(): Promise<void>;
  /** Makes the tool's file known to these chats. A bot whose tool reads one file for all needs nothing. */
  open(chats: readonly number[]): Promise<void>;
  /** Puts turns into these opened chats. The bot must not run. */
  seed(threads: readonly { readonly chat: number; readonly turns: number }[]): Promise<void>;
  /** Of its whole database; 0 without one. */
  databaseBytes(): number;
  /** Ends all. */
  close(): Promise<void>;
}

const BOTS = path.join(import.meta.dirname, "bots");
const LOOKUP: ToolCall = { name: "lookup", args: { topic: "shelf" } };
/** Ours has no such tool: it reads the same 2 KB with its own. */
const READ_FILE: ToolCall = { name: "read_file", args: { path: "/workspace/lookup.txt" } };
const run = promisify(execFile);

/** `program` is the built command line of ours; `folder` is the bot's own. */
export async function createBot(variant: Variant, folder: string, program: string): Promise<Bot> {
  const isOurs = variant === "ours";
  const tool = isOurs ? READ_FILE : LOOKUP;
  const [telegram, model] = await Promise.all([createBenchTelegram(), createBenchModel(tool)]);
  const database = path.join(folder, isOurs ? OUR_DATABASE : "checkpoints.db");
  const env = environment(folder, database, telegram, model);
  const args = isOurs ? ourArguments(program, folder, telegram, model) : [path.join(BOTS, `${variant}.mjs`)];
  const own = createBotProcess(variant, args, env, path.join(folder, "log.txt"));
  const threadOf = (chat: number): string => {
    if (isOurs) return ourThread(chat, database);
    return variant === "chat-sdk" ? `telegram:${chat}` : String(chat);
  };
  return {
    variant,
    telegram,
    model,
    get pid() {
      return own.pid;
    },
    async start() {
      const polled = telegram.nextPoll();
      const startedAt = performance.now();
      own.start();
      return (await Promise.race([polled, own.ended])) - startedAt;
    },
    ended: own.ended,
    kill: () => own.kill(),
    open: async (chats) => {
      if (isOurs) await Promise.race([openOurThreads(chats, telegram, database), own.ended]);
    },
    async seed(chats) {
      const threads = chats.map(({ chat, turns }) => ({ id: threadOf(chat), turns }));
      const job = { variant, database, threads, toolName: tool.name, toolArgs: tool.args, texts: SEEDED };
      await run(process.execPath, ["--import", "tsx", path.join(BOTS, "seed.mjs"), JSON.stringify(job)], { env });
    },
    databaseBytes: () => (variant === "echo" ? 0 : query(database, pageBytes)),
    async close() {
      await own.kill();
      await Promise.all([telegram.close(), model.close()]);
    },
  };
}

/** What a peer is told; it sees nothing else of ours. Makes the folder, with the file for its tool. */
function environment(folder: string, database: string, telegram: BenchTelegram, model: BenchModel): NodeJS.ProcessEnv {
  mkdirSync(folder, { recursive: true });
  const lookupFile = path.join(folder, "lookup.txt");
  writeFileSync(lookupFile, RESULT);
  return {
    PATH: process.env["PATH"],
    BENCH_TELEGRAM_URL: telegram.url,
    BENCH_TELEGRAM_TOKEN: telegram.token,
    BENCH_MODEL_URL: model.url,
    BENCH_DATABASE: database,
    BENCH_LOOKUP_FILE: lookupFile,
  };
}
