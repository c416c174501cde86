/**
 * What delegated work looks like from outside: ids, statuses, snapshots, usage, and the ledger that subagents and the
 * lead agent write to. The lowest contract: `agent/contract.ts` and `gateway/contract.ts` build on it.
 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** One thread of the lead agent: LangGraph's `thread_id`. */
export type ThreadId = Branded<"ThreadId">;
/** One turn of a thread, from its input to its reply. */
export type RunId = Branded<"RunId">;
/** A human across platforms; usage and memory are theirs. */
export type PersonId = Branded<"PersonId">;
/** One execution of a task, ours and unique, where a provider's tool-call id may repeat in another run. */
export type ExecutionId = Branded<"ExecutionId">;

export const threadId = (text: string): ThreadId => text as ThreadId;
export const runId = (text: string): RunId => text as RunId;
export const personId = (text: string): PersonId => text as PersonId;
export const executionId = (text: string): ExecutionId => text as ExecutionId;

/** The words on the wire (metadata, custom events, records). Written only through `isTerminal` and the types below. */
export const SUBAGENT = {
  statuses: ["completed", "failed", "cancelled", "timed_out", "polling_timed_out"],
  stopReasons: ["token_capped", "turn_capped", "loop_capped"],
  keys: {
    status: "subagent_status",
    stopReason: "subagent_stop_reason",
    error: "subagent_error",
    resultBrief: "subagent_result_brief",
    resultSha256: "subagent_result_sha256",
    modelName: "subagent_model_name",
    tokenUsage: "subagent_token_usage",
  },
} as const;

/** Contract A8: what bounds delegation. */
export const LIMITS = {
  /** Tasks that one response of the lead agent may begin, and one run. */
  perResponse: { usual: 3, least: 1, most: 4 },
  perRun: { usual: 6, least: 1, most: 50 },
  /** Subagents at work in one process; ours. */
  slots: 32,
  /** Model calls of one task. */
  turns: { builtIn: 150, custom: 50 },
} as const;

export type TerminalState = (typeof SUBAGENT.statuses)[number];
export type StopReason = (typeof SUBAGENT.stopReasons)[number];
/** pending → running → one terminal state; the first terminal state wins. */
export type TaskState = "pending" | "running" | TerminalState;
export const isTerminal = (state: TaskState): state is TerminalState =>
  (SUBAGENT.statuses as readonly string[]).includes(state);

/** Provider counts, tokens. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly total: number;
  readonly cacheRead?: number;
  readonly reasoning?: number;
}

/** All that is known of a task at one moment; a later snapshot replaces an earlier one. */
export interface TaskSnapshot {
  /** The provider's tool-call id. */
  readonly taskId: string;
  readonly executionId: ExecutionId;
  /** Its place among the tasks of its run, by when they began. */
  readonly order: number;
  /** The eval call that dispatched it, if any. */
  readonly parentId?: string;
  readonly label?: string;
  readonly description: string;
  /** The subagent's name in the registry. */
  readonly subagent: string;
  /** Display name of the model that really runs. */
  readonly model: string;
  readonly state: TaskState;
  readonly stopReason?: StopReason;
  /** Sum of what this task's model calls reported. Absent: nothing so far. */
  readonly usage?: Usage;
  /** Model calls that have finished; with none, a missing `usage` means "collecting", else "unavailable". */
  readonly calls: number;
  /** Assistant and tool messages so far. */
  readonly steps: number;
  /** At most 2000 characters; present when completed. */
  readonly result?: string;
  readonly error?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
}

/**
 * What is stored of a task. Its usage and calls are the sums of its model calls whenever it is read, its order is that in
 * which tasks were first stored.
 */
export type StoredTask = Omit<TaskSnapshot, "usage" | "calls" | "order">;

/** What only the next process needs of a task, which may have to go on with it. */
export interface TaskRest {
  /** How long it had been at work when it was last stored, without the time from a crash to the next start. */
  readonly activeMs: number;
  /** When completed: the whole result. */
  readonly report?: string;
}

/** One call of a model: the unit of accounting. */
export interface ModelCall {
  /** Unique per call; a repeated report of the same call has the same id and counts once. */
  readonly callId: string;
  readonly runId: RunId;
  readonly threadId: ThreadId;
  readonly principal: PersonId;
  /** Present: a subagent's call. */
  readonly executionId?: ExecutionId;
  /** `lead` or `subagent:<name>`. */
  readonly caller: string;
  /** The configured name. */
  readonly model: string;
  /** As the provider reported it; accounting groups by this. */
  readonly reportedModel?: string;
  /** Absent: the provider gave none. */
  readonly usage?: Usage;
  readonly at: number;
}

/** What a repeat of a tool call would do; `once` is for everything that is neither read-only nor idempotent. */
export type Effect = "read_only" | "idempotent" | "once";

export interface ToolStart {
  readonly runId: RunId;
  /** Unique within the run: checkpoint namespace and tool-call id. */
  readonly key: string;
  readonly tool: string;
  readonly effect: Effect;
  readonly at: number;
}

/**
 * What must be written at once, before the step that caused it is checkpointed, so that a crash neither loses nor
 * doubles it. Implemented by the store; each verb is one transaction.
 */
export interface Ledger {
  /** Stores the call, once for each `callId`; a later report adds its usage where the first one had none. */
  modelCall(call: ModelCall): void;
  /** Sum of what was reported, and how many calls have finished. */
  taskUsage(execution: ExecutionId): { readonly usage?: Usage; readonly calls: number };
  runUsage(run: RunId): { readonly usage?: Usage; readonly calls: number };
  /** Upsert by `executionId`; a terminal state is never overwritten. Returns what is stored. Without `rest` that stays. */
  saveTask(run: RunId, task: StoredTask, rest?: TaskRest): TaskSnapshot;
  taskRest(execution: ExecutionId): TaskRest | undefined;
  /** In the order in which they began, each with the usage of all its calls, also of those that ended after it. */
  tasks(run: RunId): readonly TaskSnapshot[];
  /** Marks the start. `repeated`: this call had begun before; LangGraph begins none again whose result it has. */
  toolStarted(start: ToolStart): "first" | "repeated";
  /** Resolves when all that was written so far survives a power failure. */
  safe(): Promise<void>;
}

/** A kind of subagent that the lead agent can delegate to. */
export interface SubagentSettings {
  readonly name: string;
  /** When to use it; the lead agent reads this. */
  readonly description: string;
  readonly systemPrompt: string;
  /** `inherit`: the lead agent's. */
  readonly model: "inherit" | (string & {});
  readonly timeoutMs: number;
  /** Model calls of one task, over all restarts. */
  readonly maxTurns: number;
  /** By name, of those the lead agent has; absent: all of them. */
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
}

/** Tasks that the lead agent may begin; see `LIMITS`. */
export interface DelegationLimits {
  readonly perResponse: number;
  readonly perRun: number;
}
