/** The lead agent's graph: one for each model, with its subagents, tools, middleware and prompt. */
import type { BaseMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, type Command } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent } from "langchain";
import type { Logger } from "pino";
import type { DelegationLimits, Effect, Ledger, SubagentSettings } from "../subagents/contract.ts";
import { createSubagents } from "../subagents/create-subagents.ts";
import { type AgentContext, runContextSchema } from "../subagents/run-context.ts";
import { TOOLS_AT_ONCE } from "../subagents/subagent-graph.ts";
import type { Slots } from "../subagents/slots.ts";
import { messagesState } from "./messages-channel.ts";
import { createEffectsMiddleware } from "./middleware/effects.ts";
import { ownIdsMiddleware } from "./middleware/own-ids.ts";
import { createModelRetryMiddleware } from "./middleware/model-retry.ts";
import { repairToolCallsMiddleware } from "./middleware/repair-tool-calls.ts";
import { createTaskLimitsMiddleware } from "./middleware/task-limits.ts";
import { createToolErrorsMiddleware } from "./middleware/tool-errors.ts";
import { createVolatilePromptMiddleware } from "./middleware/volatile-prompt.ts";
import { describeSubagentError } from "./model-errors.ts";
import { type ModelWatch, runMetadata } from "./model-watch.ts";
import type { Model, Models } from "./models/models.ts";
import type { ThreadState } from "./position.ts";
import { buildPrompt } from "./prompt/prompt.ts";
import { workingDirectoryLayer } from "./prompt/working-directory.ts";
import type { AgentTool } from "./tools/agent-tool.ts";
import { fileTools, peopleTools } from "./tools/tools.ts";

export interface GraphDeps {
  readonly models: Models;
  /** It sees the calls of the models' clients. */
  readonly watch: ModelWatch;
  readonly subagents: readonly SubagentSettings[];
  readonly limits: DelegationLimits;
  /** Of the whole process. */
  readonly slots: Slots;
  readonly checkpointer: BaseCheckpointSaver;
  readonly ledger: Ledger;
  readonly log: Logger;
  readonly now: () => number;
  /** Of the model's second attempt; 1 s unless set. */
  readonly retryDelayMs?: number;
  /** See `SubagentDeps`. */
  readonly watchdogMs?: number;
}
export type GraphInput = { messages: BaseMessage[] } | Command | null;
/** `[namespace, mode, data]`, as LangGraph streams several modes with subgraphs. */
export type Chunk = readonly [namespace: readonly string[], mode: string, data: unknown];

export interface LeadGraph {
  readonly model: Model;
  state(threadId: string): Promise<ThreadState>;
  /** `null` goes on from the last checkpoint. Rejects, or throws while streaming, what the graph throws. */
  stream(input: GraphInput, call: GraphCall): Promise<AsyncIterable<Chunk>>;
}
export interface GraphCall {
  readonly context: AgentContext;
  readonly signal: AbortSignal;
}

/** A round is two nodes, the model's and the tools' (no middleware here is a node of its own); 100 rounds a run. */
const RECURSION_LIMIT = 100 * 2 + 1;
const AGENT_NAME = "Threadline";

export function createLeadGraph(deps: GraphDeps, model: Model): LeadGraph {
  const graph = buildAgent(deps, model).graph;
  // The strict key turns LangGraph's silent mistakes of a resume into errors; internal, so tested at every upgrade.
  const configurable = (threadId: string) => ({ thread_id: threadId, __pregel_strict_resume: true });
  return {
    model,
    async state(threadId) {
      const { values, tasks } = await graph.getState({ configurable: configurable(threadId) });
      // A task that has a result waits only for its siblings: its interrupt, still listed, was answered. `next` leaves
      // such tasks out and is empty when all results are there but not yet checkpointed: it does not mean the end.
      const waiting = tasks.filter((task) => task.result === undefined);
      const interrupts = waiting.flatMap((task) => task.interrupts);
      return {
        // Boundary: LangGraph types the values of a state as unknown; an empty thread has none.
        messages: (values as { messages?: BaseMessage[] }).messages ?? [],
        unfinished: tasks.length > 0,
        working: waiting.some((task) => task.interrupts.length === 0),
        pending: interrupts.flatMap(({ id, value }) => (id === undefined ? [] : [{ interruptId: id, value }])),
      };
    },
    async stream(input, { context, signal }) {
      const stream = await graph.stream(input, {
        configurable: configurable(context.threadId),
        context,
        signal,
        metadata: runMetadata(context, model.name),
        recursionLimit: RECURSION_LIMIT,
        maxConcurrency: TOOLS_AT_ONCE,
        durability: "async",
        streamMode: ["updates", "custom"],
        subgraphs: true,
      });
      return stream as AsyncIterable<Chunk>;
    },
  };
}

function buildAgent(deps: GraphDeps, model: Model) {
  const { ledger, log, now } = deps;
  const effects = new Map<string, Effect>();
  // The first is outermost: a repaired history is what is retried, and a tool's failure is a result with an end.
  const middleware: AgentMiddleware[] = [
    ownIdsMiddleware,
    repairToolCallsMiddleware,
    createModelRetryMiddleware(deps.retryDelayMs),
    createEffectsMiddleware({ ledger, effects, now }),
    createToolErrorsMiddleware(log),
    createVolatilePromptMiddleware(now),
  ];
  const subagents = createSubagents({
    settings: deps.subagents,
    limits: deps.limits,
    parentModel: model,
    models: deps.models,
    tools: fileTools.map((one) => one.tool),
    middleware,
    sharedPrompt: workingDirectoryLayer(),
    slots: deps.slots,
    ledger,
    now,
    describeError: describeSubagentError,
    callsOver: (execution, ms) => deps.watch.callsOver({ execution }, ms),
    ...(deps.watchdogMs !== undefined && { watchdogMs: deps.watchdogMs }),
  });
  // A repeated `task` goes on inside its subagent, where finished steps are not repeated.
  const task: AgentTool = { tool: subagents.task, effect: "idempotent" };
  const tools = [...fileTools, peopleTools.presentFiles, task, peopleTools.askClarification];
  for (const { tool, effect } of tools) effects.set(tool.name, effect);
  return createAgent({
    name: "lead",
    model: model.client,
    tools: tools.map((one) => one.tool),
    middleware: [createTaskLimitsMiddleware({ ledger, limits: deps.limits }), ...middleware],
    systemPrompt: buildPrompt({ name: AGENT_NAME, subagents: subagents.registry.all, limits: deps.limits }),
    stateSchema: messagesState,
    contextSchema: runContextSchema,
    checkpointer: deps.checkpointer,
    version: "v2",
  });
}
