/**
 * Which model answers when no file lists any. Decided once at start and told to people; nothing here is tried again in
 * the middle of a thread.
 */
import { z } from "zod";
import type { ModelSettings } from "../contract.ts";

export interface Detected {
  /** At least one; the first is the default. */
  readonly models: readonly ModelSettings[];
  /** Why, for people: `ANTHROPIC_API_KEY is set`. Names variables, never values. */
  readonly because: string;
}
export interface DetectDeps {
  readonly fetch: typeof fetch;
  /** For each answer of a server on the way. 400 ms is plenty for one on this machine. */
  readonly timeoutMs: number;
  /** Another address of Ollama than its usual one; only loopback is ever asked. */
  readonly ollamaUrl?: string;
}
type Environment = Readonly<Record<string, string | undefined>>;

/** Ollama's documented default address. No other port is tried: 8080 and 8000 are anybody's. */
const OLLAMA = "http://127.0.0.1:11434";

/**
 * What a bare key is used with. Both ids call tools, are served by the plain chat APIs, and have a profile (context
 * window) in the libraries: sonnet is Anthropic's middle model, gpt-4o-mini OpenAI's small and cheap one, so that a key
 * alone never runs up the bill of a large model.
 */
const BY_KEY = {
  anthropic: { name: "claude-sonnet-4-6", displayName: "Claude Sonnet 4.6", model: "claude-sonnet-4-6" },
  openai: { name: "gpt-4o-mini", model: "gpt-4o-mini" },
} as const;
const KEY_VARIABLES = { anthropic: "ANTHROPIC_API_KEY", openai: "OPENAI_API_KEY" } as const;

/**
 * In this order: THREADLINE_MODEL (`provider:model`), OPENAI_BASE_URL, ANTHROPIC_API_KEY, OPENAI_API_KEY, Ollama on this
 * machine with a model that can call tools, the embedded offline model. What was asked for and cannot be had throws an
 * Error that names the variable and what to do: another model than the wanted one would be a surprise.
 */
export async function detectModels(env: Environment, deps: DetectDeps): Promise<Detected> {
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const chosen = read("THREADLINE_MODEL");
  if (chosen !== undefined) return one(fromChoice(chosen, read, deps), "THREADLINE_MODEL is set");

  const baseUrl = read("OPENAI_BASE_URL")?.replace(/\/+$/, "");
  if (baseUrl !== undefined) return one(await fromServer(baseUrl, read, deps), "OPENAI_BASE_URL is set");

  for (const provider of ["anthropic", "openai"] as const) {
    const apiKey = read(KEY_VARIABLES[provider]);
    if (apiKey !== undefined) {
      return one({ ...BY_KEY[provider], provider, apiKey }, `${KEY_VARIABLES[provider]} is set`);
    }
  }
  const local = await fromOllama(deps);
  if (local !== undefined) return one(local, "Ollama on this machine has a model that can call tools");
  return one(
    { name: "offline", provider: "offline", model: "offline" },
    "no key is set and no Ollama with tools answers",
  );
}

const one = (model: ModelSettings, because: string): Detected => ({ models: [model], because });

function fromChoice(choice: string, read: (name: string) => string | undefined, deps: DetectDeps): ModelSettings {
  const [, provider, model] = /^(anthropic|openai|ollama|offline)(?::(.+))?$/.exec(choice) ?? [];
  if (provider === "offline") return { name: "offline", provider, model: "offline" };
  if (model === undefined) {
    throw new Error(
      "THREADLINE_MODEL: expected provider:model with anthropic, openai or ollama (or offline), got another form; " +
        "write for example anthropic:claude-sonnet-4-6",
    );
  }
  if (provider === "ollama") return { name: model, provider, model, baseUrl: deps.ollamaUrl ?? OLLAMA };
  const known = provider === "anthropic" ? "anthropic" : "openai";
  const baseUrl = known === "openai" ? read("OPENAI_BASE_URL")?.replace(/\/+$/, "") : undefined;
  const apiKey = read(KEY_VARIABLES[known]);
  if (apiKey === undefined && baseUrl === undefined) {
    throw new Error(`THREADLINE_MODEL: expected ${KEY_VARIABLES[known]} to be set for ${known}, got none; set it too`);
  }
  return { name: model, provider: known, model, ...(apiKey && { apiKey }), ...(baseUrl && { baseUrl }) };
}

/** `OPENAI_MODEL`, or the first model the server lists. */
async function fromServer(
  baseUrl: string,
  read: (name: string) => string | undefined,
  deps: DetectDeps,
): Promise<ModelSettings> {
  const apiKey = read("OPENAI_API_KEY");
  const model = read("OPENAI_MODEL") ?? (await firstListed(baseUrl, apiKey, deps));
  if (model === undefined) {
    throw new Error(
      "OPENAI_BASE_URL: expected a list of models at its /models, got none; start that server, check the address " +
        "(most end in /v1) and OPENAI_API_KEY, or name the model in OPENAI_MODEL",
    );
  }
  return { name: model, provider: "openai", model, baseUrl, ...(apiKey && { apiKey }) };
}

const listing = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });
async function firstListed(baseUrl: string, apiKey: string | undefined, deps: DetectDeps): Promise<string | undefined> {
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const found = await ask(`${baseUrl}/models`, { headers }, listing, deps);
  return found?.data[0]?.id;
}

const tags = z.object({ models: z.array(z.object({ name: z.string().min(1) })) });
const shown = z.object({ capabilities: z.array(z.string()).default([]) });

/** The first of Ollama's models, newest first as it lists them, that says it can call tools. */
async function fromOllama(deps: DetectDeps): Promise<ModelSettings | undefined> {
  const baseUrl = deps.ollamaUrl ?? OLLAMA;
  if (!isLoopback(baseUrl)) return undefined;
  const names = (await ask(`${baseUrl}/api/tags`, {}, tags, deps))?.models.map((model) => model.name) ?? [];
  const able = await Promise.all(names.map((name) => canCallTools(baseUrl, name, deps)));
  const model = names.find((_, index) => able[index]);
  return model === undefined ? undefined : { name: model, provider: "ollama", model, baseUrl };
}

async function canCallTools(baseUrl: string, model: string, deps: DetectDeps): Promise<boolean> {
  const answer = await ask(`${baseUrl}/api/show`, { method: "POST", body: JSON.stringify({ model }) }, shown, deps);
  return answer?.capabilities.includes("tools") ?? false;
}

/** Undefined for whatever is no timely, well-formed answer: nobody there is an ordinary finding here. */
async function ask<T>(url: string, init: RequestInit, schema: z.ZodType<T>, deps: DetectDeps): Promise<T | undefined> {
  try {
    const response = await deps.fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(deps.timeoutMs) });
    return response.ok ? schema.parse(await response.json()) : undefined;
  } catch {
    return undefined;
  }
}

const isLoopback = (url: string): boolean =>
  URL.canParse(url) && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
