/** A chat model that plays a script: the tests drive the real graph with it, without a key, a network or a delay. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, type ContentBlock } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";

/** Text, or blocks as a provider with thinking sends them. */
type Content = string | ContentBlock[];
/** Input and output tokens. */
type Tokens = readonly [input: number, output: number];

export interface Answer {
  /** Of the message, as a provider gives it. */
  readonly id?: string;
  readonly content?: Content;
  /** Streamed one by one; instead of `content`. Each may report usage of its own, as some providers do. */
  readonly chunks?: readonly { readonly content: Content; readonly usage?: Tokens }[];
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly args: Record<string, unknown>;
    readonly id?: string;
  }[];
  /** `null`: the provider reports none. */
  readonly usage?: Tokens | null;
  /** Waited for before the answer; ends with the signal. */
  readonly until?: Promise<unknown>;
  /** The model is deaf: it waits for `until` whatever the signal says. */
  readonly deaf?: boolean;
  readonly error?: Error;
  /** Waited for when the chunks are out, whatever the signal says. The stream breaks off when it rejects. */
  readonly after?: () => Promise<unknown>;
}
interface ScriptContext {
  readonly tools: readonly unknown[];
  /** 0 for the first call of this model. */
  readonly call: number;
  readonly signal: AbortSignal | undefined;
}
export type Script = (messages: readonly BaseMessage[], context: ScriptContext) => string | Answer;

interface CallOptions extends BaseChatModelCallOptions {
  tools?: unknown[];
}

export class ScriptedModel extends BaseChatModel<CallOptions> {
  override lc_serializable = false;
  /** The history of each call, as the provider would get it. */
  readonly requests: (readonly BaseMessage[])[] = [];
  readonly modelName: string;
  readonly #script: Script;

  constructor(modelName: string, script: Script) {
    super({});
    this.modelName = modelName;
    this.#script = script;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[], options?: Partial<CallOptions>) {
    return this.withConfig({ ...options, tools: tools.map((one) => convertToOpenAITool(one)) });
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const message = this.#message(await this.#play(messages, options));
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const answer = await this.#play(messages, options);
    const chunks = this.#chunks(answer);
    for (const message of chunks) {
      if (message === chunks.at(-1) && answer.after) await answer.after();
      await nextTurn(); // as over a network: what is said is heard before the next word
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  async #play(messages: readonly BaseMessage[], options: this["ParsedCallOptions"]): Promise<Answer> {
    const call = this.requests.push([...messages]) - 1;
    const played = this.#script(messages, { tools: options.tools ?? [], call, signal: options.signal });
    const answer: Answer = typeof played === "string" ? { content: played } : played;
    if (answer.until) await waitFor(answer.until, answer.deaf ? undefined : options.signal);
    if (answer.error) throw answer.error;
    return answer;
  }

  #chunks(answer: Answer): AIMessageChunk[] {
    const { tool_calls, response_metadata } = this.#message(answer);
    const calls = tool_calls?.map(({ id, name, args }, index) => ({
      type: "tool_call_chunk" as const,
      name,
      args: JSON.stringify(args),
      index,
      ...(id !== undefined && { id }),
    }));
    const parts = answer.chunks ?? words(answer.content ?? "").map((word) => ({ content: word }));
    const reportsEarly = answer.chunks?.some((part) => part.usage);
    return [
      ...parts.map((part) => {
        const chunk = new AIMessageChunk({ content: part.content, ...(answer.id !== undefined && { id: answer.id }) });
        return withUsage(chunk, "usage" in part && part.usage ? part.usage : null);
      }),
      withUsage(
        new AIMessageChunk({ content: "", response_metadata, ...(calls && { tool_call_chunks: calls }) }),
        reportsEarly ? null : answer.usage,
      ),
    ];
  }

  #message({ id, chunks = [], content = wholeOf(chunks), toolCalls = [], usage }: Answer): AIMessage {
    const call = this.requests.length - 1;
    const message = new AIMessage({
      ...(id !== undefined && { id }),
      content,
      tool_calls: toolCalls.map(({ id, name, args }, index) => ({
        type: "tool_call" as const,
        id: id ?? `call_${this.modelName}_${call}_${index}`,
        name,
        args,
      })),
      response_metadata: { model_name: `${this.modelName}-2026` },
    });
    return withUsage(message, usage);
  }
}

/** The tool results since the last message of a person: what most scripts branch on. */
export function toolResults(messages: readonly BaseMessage[]): BaseMessage[] {
  const turn = messages.slice(messages.findLastIndex((message) => message.getType() === "human") + 1);
  return turn.filter((message) => message.getType() === "tool");
}

/** What the chunks say, for who does not stream. */
function wholeOf(chunks: NonNullable<Answer["chunks"]>): Content {
  const texts = chunks.map(({ content }) => content);
  if (texts.every((text) => typeof text === "string")) return texts.join("");
  return texts.flatMap((text) => (typeof text === "string" ? [{ type: "text" as const, text }] : text));
}

function words(content: Content): Content[] {
  return typeof content === "string" ? (content.match(/\S+\s*/g) ?? []) : [content];
}
/** Set afterwards: the library's types of the constructor's fields have no usage. */
function withUsage<Message extends AIMessage | AIMessageChunk>(
  message: Message,
  usage: Tokens | null = [10, 5],
): Message {
  if (!usage) return message;
  const [input, output] = usage;
  return Object.assign(message, {
    usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  });
}
async function waitFor(until: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return void (await until);
  await Promise.race([
    until,
    new Promise((_, reject) => {
      const stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
    }),
  ]);
}
