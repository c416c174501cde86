/** For `doctor`: does a model's server answer, and does it know the model? Costs no tokens. */
import type { ModelSettings } from "../contract.ts";

interface Finding {
  readonly ok: boolean;
  readonly text: string;
}
const TIMEOUT_MS = 5000;

/** One line for each model; never throws, never shows a key. */
export async function checkModel(settings: ModelSettings, fetcher: typeof fetch): Promise<Finding> {
  const name = settings.displayName ?? settings.name;
  const request = listRequest(settings);
  if (!request)
    return { ok: true, text: `${name}: embedded, follows plain rules; set a key or list models for a real one` };
  try {
    const response = await fetcher(request.url, { headers: request.headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { ok: response.ok, text: `${name}: ${verdict(response.status, new URL(request.url).origin)}` };
  } catch {
    return {
      ok: false,
      text: `${name}: no answer from ${new URL(request.url).origin}; is the server running and base_url right?`,
    };
  }
}

/** Every provider lists its models for free. */
function listRequest({
  provider,
  apiKey = "",
  baseUrl,
}: ModelSettings): { url: string; headers: Record<string, string> } | undefined {
  switch (provider) {
    case "offline":
      return undefined;
    case "openai":
      return {
        url: `${baseUrl ?? "https://api.openai.com/v1"}/models`,
        headers: { authorization: `Bearer ${apiKey}` },
      };
    case "anthropic":
      return {
        url: `${baseUrl ?? "https://api.anthropic.com"}/v1/models`,
        headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
      };
    case "ollama":
      return { url: `${baseUrl ?? "http://127.0.0.1:11434"}/api/tags`, headers: {} };
  }
}

function verdict(status: number, origin: string): string {
  if (status === 401 || status === 403) return `${origin} refuses the key; check api_key`;
  return status < 400 ? `${origin} answers` : `${origin} answers ${status}; check base_url`;
}
