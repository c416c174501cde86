/**
 * What the gateway asks of the lead agent, and what comes back: values only.
 */
import type { PersonId, RunId, TaskSnapshot, ThreadId } from "../subagents/contract.ts";

/** Whose run it is: budget, memory and rights are this person's. */
export interface Principal {
  readonly id: PersonId;
  readonly name: string;
}

/** Rebuilt from the store at each run and resume; never in a checkpoint. */
export interface RunContext {
  readonly platform: string;
  /** `shared`: others can read this thread. */
  readonly audience: "direct" | "shared";
  /** Absolute path; holds `workspace`, `uploads` and `outputs`. */
  readonly folder: string;
  readonly timezone: string;
}

/** A message of the turn. `context`: said by others or before, to be known and not obeyed. */
export interface InputMessage {
  /** The inbound's id: becomes the message's id, which makes a repeated run recognisable. */
  readonly id: string;
  readonly type: "request" | "context";
  readonly author: string;
  readonly text: string;
  readonly files: readonly InputFile[];
}
export type InputFile =
  /** `path` as the agent sees it: `/uploads/report.pdf`. */
  | { readonly type: "stored"; readonly name: string; readonly path: string; readonly sizeBytes: number }
  | { readonly type: "missing"; readonly name: string; readonly reason: string };

/** What a person said to a question. */
export type Answer =
  | { readonly type: "option"; readonly optionId: string; readonly value: string }
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "form"; readonly values: Readonly<Record<string, string | number | boolean | readonly string[]>> };

export type RunInput = {
  readonly runId: RunId;
  readonly threadId: ThreadId;
  readonly principal: Principal;
  readonly context: RunContext;
} & (
  | { readonly type: "messages"; readonly messages: readonly InputMessage[] }
  /** Strict resume, keyed by interrupt id. */
  | { readonly type: "answers"; readonly byInterrupt: Readonly<Record<string, Answer>> }
);

export const CLARIFICATION_TYPES = [
  "missing_info",
  "ambiguous_requirement",
  "approach_choice",
  "risk_confirmation",
  "suggestion",
] as const;

/** A normalised question: every option has a value, a form has at least one field. */
export interface Clarification {
  readonly type: "clarification";
  /** What a resume must name. */
  readonly interruptId: string;
  /** `clarification:<tool call id>`: a repeated call is the same question. */
  readonly requestId: string;
  /** One of CLARIFICATION_TYPES, or whatever the model invented. */
  readonly clarificationType: string;
  readonly question: string;
  readonly context?: string;
  readonly input:
    | { readonly type: "free_text" }
    | { readonly type: "choice_with_other"; readonly options: readonly ChoiceOption[] }
    | { readonly type: "form"; readonly fields: readonly QuestionField[] };
}
export interface ChoiceOption {
  readonly id: string;
  readonly label: string;
  readonly value: string;
}
export type QuestionField = {
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  readonly placeholder?: string;
} & (
  | { readonly type: "text" | "textarea" | "number" | "checkbox" | "date" }
  | { readonly type: "select" | "multi_select"; readonly options: readonly ChoiceOption[] }
);

export type AgentEvent =
  /** First of all, also after a resume. `model` is the display name of the model that really runs. */
  | { readonly type: "started"; readonly model: string }
  /** The reply so far, whole, never a delta. The last one before `end: done` is the reply. */
  | { readonly type: "text"; readonly markdown: string }
  | { readonly type: "task"; readonly task: TaskSnapshot }
  /** Total of the run so far, each model call once. */
  | { readonly type: "usage"; readonly tokens: number }
  /** A file for the people in the thread; absolute path. */
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "question"; readonly request: Clarification }
  | { readonly type: "end"; readonly outcome: "done" | "waiting" | "cancelled" }
  /** `message` is for people: what went wrong and what they can do. */
  | { readonly type: "error"; readonly message: string };

export interface LeadAgent {
  /** Display name of the model that answers unless something else is asked for. */
  readonly defaultModel: string;
  /**
   * Never throws. Exactly one `end` or `error` comes last. Idempotent by run: it reads the thread's state first. A
   * message id that is absent is put in; one that is present means go on; an interrupt that is no longer pending means
   * go on; a finished graph that holds this run's input yields the stored text and `end` without a model call.
   */
  run(input: RunInput, signal: AbortSignal): AsyncIterable<AgentEvent>;
}

/** A model an operator configured. The first one is the default. */
export interface ModelSettings {
  /** Unique; what people and configs call it. */
  readonly name: string;
  /** What cards show; the name when absent. */
  readonly displayName?: string;
  readonly provider: "anthropic" | "openai" | "ollama" | "offline";
  /** The provider's own id. */
  readonly model: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
}
