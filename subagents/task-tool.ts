/** The tool by which the lead agent hands work to a subagent: one call, and the result comes back. */
import { createHash } from "node:crypto";
import { ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import { type DelegationLimits, executionId, type ExecutionId, type RunId } from "./contract.ts";
import type { TaskEvent } from "./events.ts";
import { outcomeMetadata } from "./outcome.ts";
import type { Registry } from "./registry.ts";
import { readContext } from "./run-context.ts";
import { wellFormed } from "./well-formed.ts";

export const TASK_TOOL = "task";

const argsSchema = z.object({
  description: z.string().describe("A few words for the people watching: what this piece of work is."),
  prompt: z
    .string()
    .describe(
      "The whole assignment. The subagent sees nothing else of this thread: goal, limits, paths, wanted shape.",
    ),
  subagent_type: z.string().describe("Which subagent; one of those named in this tool's description."),
});
type TaskArgs = z.output<typeof argsSchema>;

/** A call of `task`, made sense of. */
interface TaskCall extends TaskArgs {
  readonly taskId: string;
  readonly executionId: ExecutionId;
  readonly runId: RunId;
  readonly emit: (event: TaskEvent) => void;
}
/** What a nested graph takes over from the tool call it runs in. */
type ParentConfig = RunnableConfig & { readonly context?: unknown };
export type RunTask = (call: TaskCall, parent: ParentConfig) => Promise<ToolMessage>;

/** What LangGraph adds to a tool's config; its own types do not say so. */
interface ToolConfig extends RunnableConfig {
  readonly toolCall?: { readonly id?: string };
  readonly context?: unknown;
  readonly writer?: (chunk: unknown) => void;
}

interface TaskToolDeps {
  readonly registry: Registry;
  readonly limits: DelegationLimits;
  readonly runTask: RunTask;
}

export function createTaskTool({ registry, limits, runTask }: TaskToolDeps): StructuredToolInterface {
  return tool(
    (args: TaskArgs, config: ToolConfig) => {
      const taskId = config.toolCall?.id ?? "";
      if (!registry.find(args.subagent_type)) return unknownType(args.subagent_type, registry, taskId);
      const { runId } = readContext(config);
      const emit = (event: TaskEvent) => config.writer?.(event);
      return runTask(
        {
          ...args,
          description: wellFormed(args.description),
          taskId,
          runId,
          executionId: identify(runId, taskId, config),
          emit,
        },
        nestedConfig(config),
      );
    },
    { name: TASK_TOOL, description: describe(registry, limits), schema: argsSchema },
  );
}

/**
 * Ours and unique, where a provider's tool-call id may come again in another turn; the same after a resume, because
 * LangGraph derives a task's checkpoint namespace from the checkpoint it belongs to.
 */
function identify(runId: RunId, taskId: string, config: ToolConfig): ExecutionId {
  const namespace: unknown = config.configurable?.["checkpoint_ns"];
  const hash = createHash("sha256").update(JSON.stringify([runId, namespace, taskId]));
  return executionId(hash.digest("hex").slice(0, 32));
}

/** What a nested graph inherits; its namespace in `configurable`, the context, callbacks and the parent's signal. */
function nestedConfig({ configurable, callbacks, tags, metadata, signal, ...config }: ToolConfig): ParentConfig {
  return {
    ...(configurable && { configurable }),
    ...(callbacks && { callbacks }),
    ...(tags && { tags }),
    ...(metadata && { metadata }),
    ...(signal && { signal }),
    context: config.context,
  };
}

/** Contract A3 and A6: no event, a failed result that names those there are. */
function unknownType(name: string, registry: Registry, taskId: string): ToolMessage {
  const error = `Unknown subagent type '${name}'. Available: ${registry.all.map((one) => one.name).join(", ")}`;
  return new ToolMessage({
    content: error,
    tool_call_id: taskId,
    name: TASK_TOOL,
    status: "error",
    additional_kwargs: outcomeMetadata({ state: "failed", error }, { taskId }),
  });
}

function describe(registry: Registry, { perResponse, perRun }: DelegationLimits): string {
  return [
    "Hands one piece of work to a subagent and returns its report. The call returns only when the subagent has",
    "finished; there is nothing to poll. Several calls in one response run at the same time. Subagents share this",
    "thread's folders: pass paths, not contents.",
    `Limits: ${perResponse} in one response, ${perRun} in one turn; what is over is dropped.`,
    "",
    "Subagents:",
    ...registry.all.map((one) => `- ${one.name}: ${one.description}`),
  ].join("\n");
}
