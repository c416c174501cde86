/** A subagent as a graph of its own, run inside the tool call of its parent. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { type AgentMiddleware, createAgent } from "langchain";
import { type CapsDeps, createCaps } from "./caps.ts";
import { executionId as toExecutionId, type ExecutionId } from "./contract.ts";
import { runContextSchema } from "./run-context.ts";

export interface SubagentParts {
  readonly name: string;
  readonly systemPrompt: string;
  readonly client: BaseChatModel;
  readonly tools: readonly StructuredToolInterface[];
  readonly middleware: readonly AgentMiddleware[];
  /** Model calls of one execution. */
  readonly maxTurns: number;
  readonly tokensUsed: (execution: ExecutionId) => number;
}
export interface SubagentCall {
  readonly executionId: ExecutionId;
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** Reaches the callbacks of every model call inside: who calls, with which model. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly onMessages: (messages: readonly BaseMessage[]) => void;
}
export interface SubagentGraph {
  /** Runs, or goes on after a crash, to its last message. Throws what the model or the graph throws. */
  run(call: SubagentCall, parent: RunnableConfig): Promise<readonly BaseMessage[]>;
}

/**
 * Ours: calls of one response at work at once; the others follow. LangGraph puts a listener of each on one signal, and
 * Node warns of a leak at the eleventh.
 */
export const TOOLS_AT_ONCE = 8;

/** Ends the id of an execution's first message. */
const PROMPT = ":prompt";

export function createSubagentGraph(parts: SubagentParts): SubagentGraph {
  const agent = createAgent({
    name: parts.name,
    model: parts.client,
    tools: [...parts.tools],
    // Outermost: what it throws is not tried again.
    middleware: [createCaps(capsOf(parts)), ...parts.middleware],
    systemPrompt: parts.systemPrompt,
    contextSchema: runContextSchema,
    version: "v2",
  });
  return {
    async run({ executionId, prompt, signal, metadata, onMessages }, parent) {
      // The parent's `configurable` holds its checkpoint namespace: that is what makes the subagent resume where it was.
      const stream = await agent.graph.stream(
        { messages: [new HumanMessage({ id: `${executionId}${PROMPT}`, content: prompt })] },
        {
          ...parent,
          // LangGraph hands the parent's signals down here, and prefers them to the one that a nested graph is given: its
          // model calls would not hear of the time-out. The given one aborts with the parent's too.
          configurable: { ...parent.configurable, __pregel_abort_signals: undefined },
          signal,
          metadata: { ...parent.metadata, ...metadata },
          // A turn is two nodes, the model's and the tools'. LangGraph counts anew after a restart: the turns are counted by
          // the middleware, which must come first.
          recursionLimit: (parts.maxTurns + 1) * 2 + 1,
          maxConcurrency: TOOLS_AT_ONCE,
          streamMode: "values",
          subgraphs: false,
        },
      );
      let messages: readonly BaseMessage[] = [];
      for await (const state of stream) {
        messages = state.messages;
        onMessages(messages);
      }
      return messages;
    },
  };
}

function capsOf({ maxTurns, tokensUsed }: SubagentParts): CapsDeps {
  return {
    maxTurns,
    tokensUsed(messages) {
      const prompt = messages.find((message) => message.id?.endsWith(PROMPT))?.id;
      return prompt === undefined ? 0 : tokensUsed(toExecutionId(prompt.slice(0, -PROMPT.length)));
    },
  };
}
