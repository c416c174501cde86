/** A tool that fails does not end the run: the model gets a sentence and can try something else. */
import { ToolInputParsingException } from "@langchain/core/tools";
import { ToolMessage } from "@langchain/core/messages";
import { isGraphBubbleUp } from "@langchain/langgraph";
import { createMiddleware } from "langchain";
import type { Logger } from "pino";
import { outcomeMetadata } from "../../subagents/outcome.ts";
import { TASK_TOOL } from "../../subagents/task-tool.ts";
import { redact } from "../redact.ts";
import { ToolRefusal } from "../tools/agent-tool.ts";

/** Interrupts of LangGraph and the run's own abort pass untouched. */
export function createToolErrorsMiddleware(log: Logger) {
  return createMiddleware({
    name: "tool-errors",
    async wrapToolCall(request, handler) {
      try {
        return await handler(request);
      } catch (error) {
        if (isGraphBubbleUp(error) || request.runtime.signal?.aborted) throw error;
        const { id: callId = "", name } = request.toolCall;
        const content = explain(error, name);
        if (!(rootOf(error) instanceof ToolRefusal)) logFailure(log, name, rootOf(error));
        // Contract A2: every result of a `task` call has its status.
        const metadata =
          name === TASK_TOOL ? outcomeMetadata({ state: "failed", error: content }, { taskId: callId }) : {};
        return new ToolMessage({
          content,
          tool_call_id: callId,
          name,
          status: "error",
          additional_kwargs: metadata,
        });
      }
    },
  });
}

/** What a tool's error says can hold its arguments, which are people's words: that is for `debug`. */
function logFailure(log: Logger, tool: string, root: unknown): void {
  const failure = root instanceof Error ? root.name : typeof root;
  const code = root instanceof Error && "code" in root ? String(root.code) : undefined;
  log.warn({ tool, failure, ...(code !== undefined && { code }) }, "tool failed");
  log.debug({ tool, cause: redact(String(root)) }, "tool failed");
}

function explain(error: unknown, tool: string): string {
  const root = rootOf(error);
  if (root instanceof ToolRefusal) return root.message;
  if (root instanceof ToolInputParsingException) {
    return `The arguments do not fit the schema of ${tool}. Read the tool's description and call it again. ${root.message}`;
  }
  const code = root instanceof Error && "code" in root ? ` (${String(root.code)})` : "";
  return `${tool} failed${code}. Try another way, or tell the person.`;
}

/** LangChain wraps what passes its middleware, and what its schemas refuse. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error) {
    const inner: unknown = "toolError" in root ? root.toolError : root.cause;
    if (!(inner instanceof Error) || root instanceof ToolInputParsingException) break;
    root = inner;
  }
  return root;
}
