/** The subagent engine, put together from what it shares with the lead agent. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { AgentMiddleware } from "langchain";
import type { DelegationLimits, ExecutionId, Ledger, SubagentSettings, Usage } from "./contract.ts";
import { outcomeMessage } from "./outcome.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { execute } from "./runner.ts";
import type { Slots } from "./slots.ts";
import { createSubagentGraph, type SubagentGraph } from "./subagent-graph.ts";
import { openTaskRecord } from "./task-record.ts";
import { chooseTools } from "./tool-lists.ts";
import { createTaskTool, type RunTask } from "./task-tool.ts";

/** A model, ready to be called. `label` is what cards show. */
interface SubagentModel {
  readonly name: string;
  readonly label: string;
  readonly client: BaseChatModel;
}
export interface SubagentDeps {
  /** Those an operator configured, beside the built-in ones. */
  readonly settings: readonly SubagentSettings[];
  readonly limits: DelegationLimits;
  /** The lead agent's model, for subagents that inherit. */
  readonly parentModel: SubagentModel;
  readonly models: {
    /** Rejects when there is no such model, or none can be made. */
    get(name: string): Promise<SubagentModel>;
    /** What cards show for the model of this name; the name itself where there is none. */
    label(name: string): string;
  };
  /** Without `task`, `ask_clarification` and `present_files`: subagents delegate, ask and present nothing. */
  readonly tools: readonly StructuredToolInterface[];
  readonly middleware: readonly AgentMiddleware[];
  /** What follows each subagent's own prompt: the thread's folders. */
  readonly sharedPrompt: string;
  /** Of the whole process. */
  readonly slots: Slots;
  readonly ledger: Ledger;
  readonly now: () => number;
  readonly describeError: (error: unknown) => string;
  /** Resolves when none of its model calls is under way any more, and after `ms` at the latest. */
  readonly callsOver: (execution: ExecutionId, ms: number) => Promise<void>;
  /** From the execution time-out on; 60 s unless set. */
  readonly watchdogMs?: number;
  /** How long a subagent that was asked to stop is waited for; 200 ms unless set. */
  readonly cancelGraceMs?: number;
}
export interface Subagents {
  readonly task: StructuredToolInterface;
  readonly registry: Registry;
}
/** Which metadata tells a model call's caller apart; read by the usage meter. */
export const CALLER = { name: "caller", executionId: "execution_id", model: "configured_model" } as const;

export function createSubagents(deps: SubagentDeps): Subagents {
  const registry = createRegistry(deps.settings);
  const graphs = new Map<string, SubagentGraph>();

  const build = (settings: SubagentSettings, client: BaseChatModel): SubagentGraph =>
    createSubagentGraph({
      name: settings.name,
      systemPrompt: `${settings.systemPrompt}\n\n${deps.sharedPrompt}`,
      client,
      tools: chooseTools(settings, deps.tools),
      middleware: deps.middleware,
      maxTurns: settings.maxTurns,
      tokensUsed: (execution) => deps.ledger.taskUsage(execution).usage?.total ?? 0,
    });

  /** Its model's client is made when it runs: one that cannot be made is a failure of the task. */
  const graphOf = (settings: SubagentSettings): SubagentGraph => ({
    async run(call, parent) {
      const { name, model } = settings;
      const { client } = model === "inherit" ? deps.parentModel : await deps.models.get(model);
      const graph = graphs.get(name) ?? build(settings, client);
      graphs.set(name, graph);
      return graph.run(call, parent);
    },
  });

  const runTask: RunTask = async (call, parent) => {
    const settings = registry.find(call.subagent_type);
    if (!settings) throw new Error(`Expected one of the registered subagents, got "${call.subagent_type}"`);
    const inherits = settings.model === "inherit";
    const model = inherits ? deps.parentModel : { name: settings.model, label: deps.models.label(settings.model) };
    const { taskId, executionId, runId, description, prompt, emit } = call;
    const identity = { runId, executionId, taskId, description, subagent: settings.name, model: model.label };
    const record = openTaskRecord({ ledger: deps.ledger, now: deps.now, emit }, identity);
    const details = { taskId, modelName: model.label };
    const { earlierEnd } = record;
    if (earlierEnd) return outcomeMessage(earlierEnd.outcome, { ...details, ...usageOf(earlierEnd.snapshot) });
    const { outcome, snapshot } = await execute(
      {
        graph: graphOf(settings),
        record,
        slots: deps.slots,
        clocks: {
          timeoutMs: settings.timeoutMs,
          watchdogMs: deps.watchdogMs ?? 60_000,
          cancelGraceMs: deps.cancelGraceMs ?? 200,
        },
        call: { executionId, prompt, metadata: callerMetadata(settings.name, executionId, model.name) },
        describeError: deps.describeError,
        callsOver: deps.callsOver,
      },
      parent,
    );
    return outcomeMessage(outcome, { ...details, ...usageOf(snapshot) });
  };

  return { task: createTaskTool({ registry, limits: deps.limits, runTask }), registry };
}

function callerMetadata(subagent: string, executionId: string, model: string): Record<string, string> {
  return { [CALLER.name]: `subagent:${subagent}`, [CALLER.executionId]: executionId, [CALLER.model]: model };
}
function usageOf({ usage }: { readonly usage?: Usage }) {
  return usage ? { usage } : {};
}
