/** A gateway for tests: a real store, the memo platform, and an agent that plays a script. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Logger } from "pino";
import { onTestFinished } from "vitest";
import type { AgentEvent, Clarification, LeadAgent, RunInput } from "../../agent/contract.ts";
import type { Adapter } from "../../gateway/contract.ts";
import type { Disk } from "../../gateway/disk.ts";
import { createGateway } from "../../gateway/gateway.ts";
import type { PlatformPolicy } from "../../gateway/policy.ts";
import type { Store } from "../../store/gateway-store.ts";
import { executionId, type TaskSnapshot } from "../../subagents/contract.ts";
import { createClock, type HandClock, message, silentLog, tempFolder, tempStore } from "../helpers.ts";
import { createMemoAdapter, createMemoServer, type MemoServer } from "../memo-platform.ts";

export type Script = (input: RunInput, signal: AbortSignal) => AsyncIterable<AgentEvent>;

const OPEN: PlatformPolicy = {
  trusted: false,
  commandSign: "/",
  access: { mode: "open", places: [], users: [], admins: [] },
  follow: "thread",
  answerers: "asker",
};

/** A gateway over a real store and the memo platform, with an agent that plays a script. */
export function start(
  script: Script,
  options: {
    store?: Store;
    server?: MemoServer;
    clock?: HandClock;
    policy?: Partial<PlatformPolicy>;
    /** The platform is not enabled. */
    off?: boolean;
    adapter?: Partial<Adapter>;
    disk?: Disk;
    questionTtlMs?: number;
    log?: Logger;
  } = {},
) {
  const clock = options.clock ?? createClock();
  const store = options.store ?? tempStore(clock).store;
  const server = options.server ?? createMemoServer();
  const inputs: RunInput[] = [];
  const agent: LeadAgent = {
    defaultModel: "Model",
    run(input, signal) {
      inputs.push(input);
      return script(input, signal);
    },
  };
  const folder = path.join(tempFolder(), "threads");
  mkdirSync(folder);
  const gateway = createGateway({
    store,
    agent,
    adapters: new Map(options.off ? [] : [["memo", { ...createMemoAdapter(server), ...options.adapter }]]),
    policy: { platforms: { memo: { ...OPEN, ...options.policy } }, idleResetMs: 86_400_000, model: "Model" },
    clock,
    log: options.log ?? silentLog,
    input: { threadsFolder: folder, timezone: "UTC" },
    ...(options.disk && { disk: options.disk }),
    ...(options.questionTtlMs !== undefined && { questionTtlMs: options.questionTtlMs }),
  });
  onTestFinished(() => gateway.stop());
  const texts = () => server.posts.map((post) => post.text);
  const say = (text: string, over = {}) => gateway.deliver(message(text, over));
  return { gateway, store, server, clock, inputs, texts, say };
}

export async function* reply(text: string): AsyncGenerator<AgentEvent> {
  yield { type: "started", model: "Model" };
  yield { type: "text", markdown: text };
  yield { type: "end", outcome: "done" };
}
export const echo: Script = (input) =>
  reply(
    input.type === "messages" ? input.messages.map((one) => one.text).join("+") : JSON.stringify(input.byInterrupt),
  );

export const choice = (interruptId: string, question = "Which?"): Clarification => ({
  type: "clarification",
  interruptId,
  requestId: `clarification:${interruptId}`,
  clarificationType: "approach_choice",
  question,
  input: {
    type: "choice_with_other",
    options: [
      { id: "option-1", label: "Red", value: "red" },
      { id: "option-2", label: "Blue", value: "blue" },
    ],
  },
});
export const asks = (...questions: Clarification[]): Script =>
  async function* (input) {
    yield { type: "started", model: "Model" };
    if (input.type === "answers") return yield* reply(`got ${JSON.stringify(input.byInterrupt)}`);
    for (const request of questions) yield { type: "question", request };
    yield { type: "end", outcome: "waiting" };
  };
export const task = (state: TaskSnapshot["state"], total?: number): TaskSnapshot => ({
  taskId: "call_1",
  executionId: executionId("x1"),
  order: 1,
  description: "look it up",
  subagent: "researcher",
  model: "Small",
  state,
  calls: total === undefined ? 0 : 1,
  steps: 1,
  startedAt: 0,
  ...(total !== undefined && { usage: { input: total, output: 0, total } }),
});

/** Begins and goes no further until it is stopped: what a crash or a restart finds at work. */
export const hangs: Script = async function* (_input, signal) {
  yield { type: "started", model: "Model" };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
};

/** Held until it is released. */
export function gate() {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  return { held, release };
}
