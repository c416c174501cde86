/** A lead agent on a real SQLite file with scripted models; `restart` builds a new one on the same file. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import type { AgentEvent, Answer, InputMessage, LeadAgent, RunInput } from "../../agent/contract.ts";
import type { ModelWatch } from "../../agent/model-watch.ts";
import { createLeadAgent } from "../../agent/lead-agent.ts";
import {
  type DelegationLimits,
  personId,
  runId,
  type SubagentSettings,
  type TaskSnapshot,
  threadId,
} from "../../subagents/contract.ts";
import { createSlots } from "../../subagents/slots.ts";
import { type Script, ScriptedModel } from "../scripted-model.ts";
import { createDyingSaver, type Death } from "./dying-saver.ts";
import { createMemoryLedger, mortal } from "./memory-ledger.ts";
import { tempFolder } from "../helpers.ts";
import { watchedModels } from "./watched-models.ts";

export interface BenchOptions {
  /** By configured name; the first is the default. */
  readonly scripts: Readonly<Record<string, Script>>;
  readonly subagents?: readonly SubagentSettings[];
  /** Subagents at work at once; 32 unless set. */
  readonly slots?: number;
  readonly limits?: DelegationLimits;
  readonly watchdogMs?: number;
  /** The clock of the model watch. */
  readonly now?: () => number;
  /** When the first process dies; by a restart at the latest. */
  readonly dies?: Death["when"];
}

export function createBench(options: BenchOptions) {
  const folder = tempFolder();
  const ledger = createMemoryLedger();
  const models = new Map<string, ScriptedModel>();
  const logged: string[] = [];
  const slots = createSlots(options.slots ?? 32);
  const log = pino({ level: "trace" }, { write: (line: string) => void logged.push(line) });

  let watch: ModelWatch | undefined;
  let death: Death = { dead: false, when: options.dies ?? (() => false) };

  const build = (scripts = options.scripts): LeadAgent => {
    for (const [name, script] of Object.entries(scripts)) models.set(name, new ScriptedModel(name, script));
    const settings = Object.keys(scripts).map((name) => ({
      name,
      displayName: `${name} label`,
      provider: "openai" as const,
      model: name,
    }));
    const mortalLedger = mortal(ledger, death);
    const watched = watchedModels(mortalLedger, settings, model, options.now);
    watch = watched.watch;
    return createLeadAgent({
      ...watched,
      subagents: options.subagents ?? [],
      slots,
      limits: options.limits ?? { perResponse: 3, perRun: 6 },
      checkpointer: createDyingSaver(path.join(folder, "checkpoints.db"), death),
      ledger: mortalLedger,
      log,
      now: Date.now,
      retryDelayMs: 1,
      ...(options.watchdogMs !== undefined && { watchdogMs: options.watchdogMs }),
    });
  };
  const model = (name: string): ScriptedModel => {
    const found = models.get(name);
    if (!found) throw new Error(`No scripted model ${name}`);
    return found;
  };
  const threadFolder = path.join(folder, "thread");
  for (const area of ["workspace", "uploads", "outputs"]) mkdirSync(path.join(threadFolder, area), { recursive: true });
  let agent = build();

  const base = (run: string) => ({
    runId: runId(run),
    threadId: threadId("thread-1"),
    principal: { id: personId("person-1"), name: "Ana" },
    context: { platform: "web", audience: "direct" as const, folder: threadFolder, timezone: "Europe/Berlin" },
  });
  return {
    ledger,
    slots,
    callsUnderWay: () => watch?.underWay,
    model,
    logged,
    folder: threadFolder,
    exists: (virtual: string) => existsSync(path.join(threadFolder, virtual)),
    /** A new agent on the same file, as after a restart of the process. */
    restart(scripts?: BenchOptions["scripts"]): void {
      death.dead = true; // what the old process still does is lost
      death = { dead: false, when: () => false };
      agent = build(scripts);
    },
    /** Runs until the process is dead, and leaves it hanging. */
    async runUntilDead(input: RunInput): Promise<void> {
      const iterator = agent.run(input, new AbortController().signal)[Symbol.asyncIterator]();
      const drain = async () => {
        for (let next = await iterator.next(); !next.done; next = await iterator.next());
      };
      void drain();
      while (!death.dead) await setTimeout(5);
      await setTimeout(50);
    },
    start: (input: RunInput, signal = new AbortController().signal) => agent.run(input, signal),
    say: (text: string, run = "run-1", id = `${run}-m1`): RunInput => ({
      ...base(run),
      type: "messages",
      messages: [request(id, text)],
    }),
    answer: (byInterrupt: Readonly<Record<string, Answer>>, run = "run-1"): RunInput => ({
      ...base(run),
      type: "answers",
      byInterrupt,
    }),
    async run(input: RunInput, signal = new AbortController().signal): Promise<AgentEvent[]> {
      const events: AgentEvent[] = [];
      for await (const event of agent.run(input, signal)) events.push(event);
      return events;
    },
  };
}

function request(id: string, text: string): InputMessage {
  return { id, type: "request", author: "Ana", text, files: [] };
}
export function subagent(name: string, more: Partial<SubagentSettings> = {}): SubagentSettings {
  return {
    name,
    description: `Does ${name}.`,
    systemPrompt: `You are ${name}.`,
    model: "inherit",
    timeoutMs: 10_000,
    maxTurns: 50,
    ...more,
  };
}

export function ofType<Type extends AgentEvent["type"]>(events: readonly AgentEvent[], type: Type) {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}
export const questions = (events: readonly AgentEvent[]) => {
  const requests = ofType(events, "question").map((event) => event.request);
  return [...new Map(requests.map((one) => [one.interruptId, one])).values()];
};
/** The last snapshot of each task, by subagent. */
export function lastTasks(events: readonly AgentEvent[]): ReadonlyMap<string, TaskSnapshot> {
  return new Map(ofType(events, "task").map(({ task }) => [task.subagent, task]));
}
export const reply = (events: readonly AgentEvent[]) => ofType(events, "text").at(-1)?.markdown;
