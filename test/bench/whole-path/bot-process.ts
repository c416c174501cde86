/** The process of a bot: spawned, ended by its id, and never left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { LostRound } from "../measure.ts";

export interface BotProcess {
  /** @throws Error while it does not run, `LostRound` once it has ended by itself. */
  readonly pid: number;
  /** Rejects with a `LostRound` that names the bot and has the end of its log, when it ends by itself; else it stays pending. */
  readonly ended: Promise<never>;
  start(): void;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** None outlives a benchmark that failed. */
const running = new Set<ChildProcess>();
process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** Its output goes to the file. It sees no other variables of the environment than these. */
export function createBotProcess(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  logFile: string,
): BotProcess {
  let child: ChildProcess | undefined;
  let death: LostRound | undefined;
  let tellEnd: (death: LostRound) => void = () => {};
  const ended = new Promise<never>((_, reject) => (tellEnd = reject));
  ended.catch(() => {}); // nobody has to wait for it

  function died(why: string): void {
    const log = readFileSync(logFile, "utf8").slice(-800);
    death = new LostRound(`The bot ${name} ended by itself (${why}); the end of its log: ${log || "nothing"}`);
    tellEnd(death);
  }

  function start(): void {
    const log = openSync(logFile, "a");
    const started = spawn(process.execPath, args, { stdio: ["ignore", log, log], env });
    closeSync(log);
    child = started;
    running.add(started);
    started.once("error", (error) => died(error.message));
    started.once("exit", (code, signal) => {
      running.delete(started);
      if (child === started) died(signal ?? `exit code ${code}`);
    });
  }

  async function kill(): Promise<void> {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill("SIGKILL");
    await exited;
  }

  return {
    get pid() {
      if (death) throw death;
      if (child?.pid === undefined) throw new Error(`Expected the bot ${name} to be running`);
      return child.pid;
    },
    ended,
    start,
    kill,
  };
}
