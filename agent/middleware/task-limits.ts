/**
 * How much the lead agent may delegate: so many tasks in one response, so many in one run. What is over is cut out of the
 * response before it is stored, so that no call is without its result; the prompt asks for the same beforehand.
 *
 * A run's tasks are counted in the ledger, which outlives a crash and a question. When none is left and the model asks for
 * nothing else, it is asked once more without the tool, and told why: the note goes to the model and never to people.
 */
import { AIMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import type { DelegationLimits, Ledger } from "../../subagents/contract.ts";
import { readContext } from "../../subagents/run-context.ts";
import { keepCalls } from "../../subagents/tool-calls.ts";
import { TASK_TOOL } from "../../subagents/task-tool.ts";

interface TaskLimitsDeps {
  readonly ledger: Ledger;
  readonly limits: DelegationLimits;
}

/** On the message with which a run concluded because it may delegate no more. */
const RUN_STOP = { key: "threadline_stop", limited: "subagent_limit_capped" } as const;

export function createTaskLimitsMiddleware({ ledger, limits: { perResponse, perRun } }: TaskLimitsDeps) {
  return createMiddleware({
    name: "task-limits",
    async wrapModelCall(request, handler) {
      const response = await handler(request);
      if (!AIMessage.isInstance(response) || countTasks(response) === 0) return response;
      const left = perRun - delegated(ledger, readContext(request.runtime).runId);
      const kept = keepTasks(response, Math.min(perResponse, left));
      if (left > 0 || (kept.tool_calls ?? []).length > 0) return kept;
      const conclusion = await handler({
        ...request,
        tools: request.tools.filter((tool) => tool["name"] !== TASK_TOOL),
        systemMessage: request.systemMessage.concat(limitNote(perRun)),
      });
      return AIMessage.isInstance(conclusion) ? concluded(keepTasks(conclusion, 0)) : conclusion;
    },
  });
}

/** Those that code inside another tool began count elsewhere. */
function delegated(ledger: Ledger, run: Parameters<Ledger["tasks"]>[0]): number {
  return ledger.tasks(run).filter((task) => task.parentId === undefined).length;
}

function limitNote(perRun: number): string {
  return `\n\n[SUBAGENT LIMIT REACHED] All ${perRun} tasks of this turn are used. Delegate nothing more: answer with what you have, do small things that are missing yourself, and say plainly what stayed open.`;
}

/** Pure. The message with its first `most` task calls and all others. */
export function keepTasks(message: AIMessage, most: number): AIMessage {
  if (countTasks(message) <= most) return message;
  return keepCalls(message, () => {
    let tasks = 0;
    return (tool) => tool !== TASK_TOOL || ++tasks <= most;
  });
}
const countTasks = ({ tool_calls: calls = [] }: AIMessage): number =>
  calls.filter(({ name }) => name === TASK_TOOL).length;

function concluded(message: AIMessage): AIMessage {
  message.additional_kwargs = { ...message.additional_kwargs, [RUN_STOP.key]: RUN_STOP.limited };
  return message;
}
