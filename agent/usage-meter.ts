/** Sees every model call of a run, the lead agent's and its subagents', and writes each finished one to the ledger. */
import { BaseCallbackHandler, type HandleLLMNewTokenCallbackFields } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import { executionId, type ModelCall, type Usage } from "../subagents/contract.ts";
import { CALLER } from "../subagents/create-subagents.ts";
import type { AgentContext } from "../subagents/run-context.ts";
import { mergeReports, normaliseUsage } from "../subagents/usage.ts";

interface MeterDeps {
  readonly context: AgentContext;
  /** The configured name of the lead agent's model. */
  readonly model: string;
  readonly write: (call: ModelCall) => void;
  readonly now: () => number;
}
/** A call that is under way. */
interface Running {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What its stream has reported so far. */
  usage?: Usage;
}

/**
 * Given once per run as a callback; nested graphs inherit it, and metadata tells whose call it is. Awaited, so that a
 * call is stored before the step it belongs to is checkpointed.
 */
export class UsageMeter extends BaseCallbackHandler {
  override readonly name = "usage-meter";
  override awaitHandlers = true;
  // An error here must fail the step: accounting that gets lost in silence is worse.
  override raiseError = true;
  readonly #running = new Map<string, Running>();
  readonly #deps: MeterDeps;

  constructor(deps: MeterDeps) {
    super();
    this.#deps = deps;
  }

  override handleChatModelStart(
    _model: Serialized,
    _messages: BaseMessage[][],
    callId: string,
    _parent?: string,
    _extra?: Record<string, unknown>,
    _tags?: string[],
    metadata: Record<string, unknown> = {},
  ): void {
    this.#running.set(callId, { metadata });
  }

  /** Some providers report usage on many chunks, each time whole; the library would add them up. */
  override handleLLMNewToken(
    _token: string,
    _index: unknown,
    callId: string,
    _parent?: string,
    _tags?: string[],
    fields?: HandleLLMNewTokenCallbackFields,
  ): void {
    const running = this.#running.get(callId);
    const chunk = fields?.chunk;
    const message = chunk && "message" in chunk ? chunk.message : undefined;
    const usage = AIMessage.isInstance(message) ? normaliseUsage(message.usage_metadata) : undefined;
    if (running && usage) running.usage = mergeReports(running.usage, usage);
  }

  override handleLLMEnd(output: LLMResult, callId: string): void {
    const running = this.#running.get(callId);
    if (!running) return;
    this.#running.delete(callId);
    this.#deps.write(this.#finished(callId, running, output));
  }

  override handleLLMError(_error: unknown, callId: string): void {
    this.#running.delete(callId);
  }

  #finished(callId: string, { metadata, usage: streamed }: Running, output: LLMResult): ModelCall {
    const { context, model, now } = this.#deps;
    const message = finalMessage(output);
    const usage = streamed ?? normaliseUsage(message?.usage_metadata);
    const execution = text(metadata[CALLER.executionId]);
    const reportedModel = reported(output, message);
    return {
      callId,
      runId: context.runId,
      threadId: context.threadId,
      principal: context.principal.id,
      caller: text(metadata[CALLER.name]) ?? "lead",
      model: text(metadata[CALLER.model]) ?? model,
      at: now(),
      ...(execution && { executionId: executionId(execution) }),
      ...(reportedModel && { reportedModel }),
      ...(usage && { usage }),
    };
  }
}

function finalMessage(output: LLMResult): AIMessage | undefined {
  const generation = output.generations[0]?.[0];
  const message = generation && "message" in generation ? generation.message : undefined;
  return AIMessage.isInstance(message) ? message : undefined;
}
/** Where each provider's client leaves the model's name; a stream leaves it in other places than a plain answer. */
function reported(output: LLMResult, message: AIMessage | undefined): string | undefined {
  const metadata: Record<string, unknown> = message?.response_metadata ?? {};
  const generation: Record<string, unknown> = output.generations[0]?.[0]?.generationInfo ?? {};
  const names = [
    metadata["model_name"],
    generation["model_name"],
    metadata["model"],
    message?.additional_kwargs["model"],
  ];
  return names.map(text).find((name) => name !== undefined);
}
function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
