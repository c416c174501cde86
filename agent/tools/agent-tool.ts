/** How a tool of the lead agent is declared: its name, what it is for, its arguments, and what a repeat would do. */
import type { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import type { z } from "zod";
import type { Effect } from "../../subagents/contract.ts";
import { type AgentContext, readContext } from "../../subagents/run-context.ts";

export interface AgentTool {
  readonly tool: StructuredToolInterface;
  readonly effect: Effect;
}
interface Call {
  readonly context: AgentContext;
  readonly toolCallId: string;
  readonly signal: AbortSignal | undefined;
}
interface Declaration<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly schema: Schema;
  /** A `ToolRefusal` that it throws is told to the model as it is. */
  readonly run: (args: z.output<Schema>, call: Call) => Promise<string | ToolMessage> | string | ToolMessage;
}

/** What LangGraph adds to a tool's config; its own types do not say so. */
type ToolConfig = RunnableConfig & { readonly toolCall?: { readonly id?: string }; readonly context?: unknown };

/** Why a tool did not do what was asked, in a sentence the model can act on. */
export class ToolRefusal extends Error {
  override readonly name = "ToolRefusal";
}

export function declareTool<Schema extends z.ZodObject>(declaration: Declaration<Schema>): AgentTool {
  const { name, description, effect, schema, run } = declaration;
  const invoke = (args: z.output<Schema>, config: ToolConfig) =>
    run(args, { context: readContext(config), toolCallId: config.toolCall?.id ?? "", signal: config.signal });
  // `tool` infers its argument type from a concrete schema only; the schema above is what validates them.
  return { tool: tool(invoke as never, { name, description, schema }) as StructuredToolInterface, effect };
}
