/** The same agent on different savers: every variant has the same tool, the same model and the same messages. */
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createDeepAgent } from "deepagents";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { InstantModel, type ModelOptions } from "./instant-model.ts";
import { history, lookupText, MESSAGES_A_TURN, personText } from "./turn-text.ts";

export interface Bot {
  /** Puts `turns` finished turns into a new thread, in one step. */
  seed(thread: string, turns: number): Promise<void>;
  /** One turn: a message, a tool call, an answer. Throws when the thread has not what it must have then. */
  turn(thread: string): Promise<void>;
}

async function find({ query }: { query: string }, waitMs?: number): Promise<string> {
  if (waitMs !== undefined) await new Promise((resolve) => setTimeout(resolve, waitMs));
  return lookupText(query);
}

const lookupTool = (waitMs?: number) =>
  tool((input: { query: string }) => find(input, waitMs), {
    name: "lookup",
    description: "Looks something up.",
    schema: z.object({ query: z.string() }),
  });

const RECURSION_LIMIT = 100;

/** Its history is kept by the caller, as an array, and handed in at each turn. */
export function createBotWithoutSaver(): Bot {
  const agent = createAgent({ model: new InstantModel(), tools: [lookupTool()], version: "v2" });
  const threads = new Map<string, BaseMessage[]>();
  return {
    async seed(thread, turns) {
      threads.set(thread, history(turns));
    },
    async turn(thread) {
      const before = threads.get(thread) ?? [];
      const input = { messages: [...before, nextMessage(before.length)] };
      const { messages } = await agent.invoke(input, { recursionLimit: RECURSION_LIMIT });
      check(messages, before.length + MESSAGES_A_TURN);
      threads.set(thread, messages);
    },
  };
}

interface BotOptions extends ModelOptions {
  /** How long a `lookup` takes; no time unless set. */
  readonly toolMs?: number;
  /** How many turns the threads have that the saver knows already. */
  readonly known?: Readonly<Record<string, number>>;
}

export function createBot(checkpointer: BaseCheckpointSaver, options: BotOptions = {}): Bot {
  const agent = createAgent({
    model: new InstantModel(options),
    tools: [lookupTool(options.toolMs)],
    checkpointer,
    version: "v2",
  });
  return onSaver(agent, options.known);
}

export function createDeepBot(checkpointer: BaseCheckpointSaver): Bot {
  return onSaver(createDeepAgent({ model: new InstantModel(), tools: [lookupTool()], checkpointer }));
}

/** What both kinds of agent have in common. */
interface Agent {
  invoke(
    input: { messages: BaseMessage[] },
    config: { configurable: { thread_id: string }; durability: "async"; recursionLimit: number },
  ): Promise<{ messages: BaseMessage[] }>;
  readonly graph: {
    updateState(
      config: { configurable: { thread_id: string } },
      values: { messages: BaseMessage[] },
      asNode: string,
    ): Promise<unknown>;
  };
}

function onSaver(agent: Agent, known: Readonly<Record<string, number>> = {}): Bot {
  const lengths = new Map(Object.entries(known).map(([thread, turns]) => [thread, turns * MESSAGES_A_TURN]));
  return {
    async seed(thread, turns) {
      const messages = history(turns);
      if (turns > 0)
        await agent.graph.updateState({ configurable: { thread_id: thread } }, { messages }, "model_request");
      lengths.set(thread, messages.length);
    },
    async turn(thread) {
      const before = lengths.get(thread) ?? 0;
      const input = { messages: [nextMessage(before)] };
      const config = {
        configurable: { thread_id: thread },
        durability: "async",
        recursionLimit: RECURSION_LIMIT,
      } as const;
      const { messages } = await agent.invoke(input, config);
      check(messages, before + MESSAGES_A_TURN);
      lengths.set(thread, messages.length);
    },
  };
}

const nextMessage = (before: number) => new HumanMessage(personText(before / MESSAGES_A_TURN));

function check(messages: readonly BaseMessage[], expected: number): void {
  const last = messages.at(-1)?.text ?? "";
  if (messages.length === expected && last.startsWith("Answer ")) return;
  throw new Error(
    `A thread must end in an answer and have ${expected} messages; it has ${messages.length}, then "${last}"`,
  );
}
