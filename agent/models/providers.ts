/** One client for each provider. The libraries' own retries are off: ours are told apart by cause and seen in the log. */
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelSettings } from "../contract.ts";
import { coalesceEvents } from "./coalesce.ts";

const MAX_RETRIES = 0;

/**
 * `callbacks` see each of its calls. They are given here, since a client that tools are bound to is a copy made of what
 * this one was made with. Throws what the client library throws on bad settings, a missing key for one.
 */
export async function createClient(
  settings: ModelSettings,
  callbacks: BaseCallbackHandler[] = [],
): Promise<BaseChatModel> {
  const { model, apiKey, baseUrl } = settings;
  switch (settings.provider) {
    case "anthropic": {
      const { ChatAnthropic } = await import("@langchain/anthropic");
      return new ChatAnthropic({
        model,
        maxRetries: MAX_RETRIES,
        callbacks,
        clientOptions: { fetch: coalesceEvents(fetch) },
        ...(apiKey && { apiKey }),
        ...(baseUrl && { anthropicApiUrl: baseUrl }),
      });
    }
    case "openai": {
      const { ChatOpenAI } = await import("@langchain/openai");
      // A compatible server of one's own often wants no key; the client insists on having one.
      const key = apiKey ?? (baseUrl ? "none" : undefined);
      return new ChatOpenAI({
        model,
        maxRetries: MAX_RETRIES,
        callbacks,
        streamUsage: true,
        ...(key && { apiKey: key }),
        configuration: { fetch: coalesceEvents(fetch), ...(baseUrl && { baseURL: baseUrl }) },
      });
    }
    case "ollama": {
      const { ChatOllama } = await import("@langchain/ollama");
      return new ChatOllama({ model, maxRetries: MAX_RETRIES, callbacks, ...(baseUrl && { baseUrl }) });
    }
    case "offline": {
      const { OfflineModel } = await import("./offline/offline-model.ts");
      return new OfflineModel({ callbacks });
    }
  }
}
