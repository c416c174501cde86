/** A model that costs nothing: it asks for one `lookup`, then answers. */
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { answerText, queryText } from "./turn-text.ts";

interface CallOptions extends BaseChatModelCallOptions {
  tools?: unknown[];
}

export interface ModelOptions {
  /** How long a call takes; at once unless set. */
  readonly delayMs?: number;
  /** Called as a call ends, with its number. */
  readonly onCall?: (call: number) => void;
}

export class InstantModel extends BaseChatModel<CallOptions> {
  override lc_serializable = false;
  readonly #options: ModelOptions;
  #calls = 0;

  constructor(options: ModelOptions = {}) {
    super({});
    this.#options = options;
  }

  /** So large that nobody summarises: what is measured is keeping a history, not shortening it. */
  override get profile() {
    return { maxInputTokens: 1e9 };
  }

  override _llmType(): string {
    return "instant";
  }

  override bindTools(tools: BindToolsInput[], options?: Partial<CallOptions>) {
    return this.withConfig({ ...options, tools: tools.map((one) => convertToOpenAITool(one)) });
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const call = this.#calls++;
    const { delayMs, onCall } = this.#options;
    if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
    onCall?.(call);
    const message = messages.at(-1)?.type === "human" ? askForLookup(call) : answer(call);
    return { generations: [{ text: message.text, message }] };
  }
}

const response_metadata = { model_name: "instant" };

function askForLookup(call: number): AIMessage {
  const args = { query: queryText(call) };
  const tool_calls = [{ type: "tool_call" as const, id: `call_instant_${call}`, name: "lookup", args }];
  return new AIMessage({ content: "", tool_calls, response_metadata });
}

function answer(call: number): AIMessage {
  return new AIMessage({ content: answerText(call), response_metadata });
}
