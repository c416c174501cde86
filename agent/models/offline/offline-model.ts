/** The model that answers when none is connected: plain rules over the same tools, in the same shape as any other. */
import { setTimeout as wait } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { answerTurn } from "./answer-turn.ts";
import { replay, type Decision } from "./script.ts";
import { countInput, countOutput } from "./token-count.ts";
import { isSubagent, readToolset } from "./toolset.ts";
import { readTurn } from "./turn.ts";

export interface OfflineModelOptions extends BaseChatModelParams {
  /** Each step of a subagent waits this long, so that a person can see its card move. Default 250; 0 in tests. */
  readonly stepDelayMs?: number;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}
interface CallOptions extends BaseChatModelCallOptions {
  tools?: unknown[];
}

/**
 * Stateless: what to do follows from messages and bound tools (`answerTurn`). Usage counts a token for every four
 * characters begun (`token-count.ts`). Rejects with the signal's reason when aborted.
 */
export class OfflineModel extends BaseChatModel<CallOptions> {
  override lc_serializable = false;
  readonly model = "offline";
  readonly #stepDelayMs: number;
  readonly #now: () => Date;

  constructor({ stepDelayMs = 250, now = () => new Date(), ...options }: OfflineModelOptions = {}) {
    super(options);
    this.#stepDelayMs = stepDelayMs;
    this.#now = now;
  }

  override _llmType(): string {
    return "offline";
  }

  override bindTools(
    tools: BindToolsInput[],
    options?: Partial<CallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, CallOptions> {
    return this.withConfig({ ...options, tools: tools.map((tool) => convertToOpenAITool(tool)) });
  }

  override withStructuredOutput(): never {
    throw new Error(
      "Expected a language model, got `offline`, which follows plain rules and fills no schema. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, start Ollama, or list a model under `models:`.",
    );
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const decision = await this.#decide(messages, options);
    const text = decision.type === "say" ? decision.text : "";
    const message = new AIMessage({ content: text, tool_calls: toolCalls(decision), ...metadata(messages, decision) });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const decision = await this.#decide(messages, options);
    for (const chunk of chunksOf(messages, decision)) {
      options.signal?.throwIfAborted();
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  async #decide(messages: BaseMessage[], { tools: bound = [], signal }: this["ParsedCallOptions"]): Promise<Decision> {
    signal?.throwIfAborted();
    const [tools, turn] = [readToolset(bound), readTurn(messages)];
    if (isSubagent(tools) && this.#stepDelayMs > 0) await wait(this.#stepDelayMs, undefined, signal && { signal });
    const decision = await replay(answerTurn({ turn, tools, now: this.#now() }), turn.steps);
    signal?.throwIfAborted();
    return decision;
  }
}

/** Words, then one last chunk with what belongs to the whole message. */
function* chunksOf(messages: readonly BaseMessage[], decision: Decision): Generator<ChatGenerationChunk> {
  const words = decision.type === "say" ? (decision.text.match(/\s*\S+\s*/g) ?? []) : [];
  for (const text of words) yield new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
  const chunks = toolCalls(decision).map(({ id, name, args }, index) => ({
    type: "tool_call_chunk" as const,
    id,
    name,
    args: JSON.stringify(args),
    index,
  }));
  const last = { content: "", tool_call_chunks: chunks, ...metadata(messages, decision) };
  yield new ChatGenerationChunk({ text: "", message: new AIMessageChunk(last) });
}

function toolCalls(decision: Decision) {
  if (decision.type === "say") return [];
  return decision.calls.map(({ tool, args }) => ({
    type: "tool_call" as const,
    id: `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`,
    name: tool,
    args: { ...args },
  }));
}

/** Typed as `object`: the library's generics resolve `usage_metadata` to `never`. */
function metadata(messages: readonly BaseMessage[], decision: Decision): object {
  const [input, output] = [countInput(messages), countOutput(decision)];
  return {
    response_metadata: { model_name: "offline" },
    usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  };
}
