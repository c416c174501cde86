/** The process of a bot: spawned, ended by its id, and never left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";

export interface BotProcess {
  /** @throws Error while it does not run. */
  readonly pid: number;
  /** What is returned rejects, with the end of its log, when the process ends by itself; else it stays pending. */
  start(): Promise<never>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** None outlives a benchmark that failed. */
const running = new Set<ChildProcess>();
process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** Its output goes to the file. It sees no other variables of the environment than these. */
export function createBotProcess(args: readonly string[], env: NodeJS.ProcessEnv, logFile: string): BotProcess {
  let child: ChildProcess | undefined;

  function start(): Promise<never> {
    const log = openSync(logFile, "a");
    const started = spawn(process.execPath, args, { stdio: ["ignore", log, log], env });
    closeSync(log);
    child = started;
    running.add(started);
    const ended = new Promise<never>((_, reject) => {
      started.once("error", reject);
      started.once("exit", (code) => {
        running.delete(started);
        if (child === started)
          reject(new Error(`${args[0]} ended (${code}): ${readFileSync(logFile, "utf8").slice(-800)}`));
      });
    });
    ended.catch(() => {}); // one that ends later is noticed by what it does not answer
    return ended;
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
      if (child?.pid === undefined) throw new Error(`Expected ${args[0]} to be running`);
      return child.pid;
    },
    start,
    kill,
  };
}
