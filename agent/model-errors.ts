/** What a failed model call means: whether trying again can help, and what to tell people. Pure. */

export type ModelFailure =
  | "auth"
  | "quota"
  | "rate_limited"
  | "busy"
  | "no_connection"
  | "model_not_found"
  | "context_too_long"
  | "turn_limit"
  | "unknown";

const SENTENCES: Record<ModelFailure, string> = {
  auth: "The API key of the model is missing or was refused. Whoever runs this bot must check it.",
  quota: "The account at the model's provider has no credit left. Whoever runs this bot must top it up.",
  rate_limited: "The model's provider is getting too many requests at the moment. Please try again in a minute.",
  busy: "The model's provider is overloaded or has a fault. Please try again in a few minutes.",
  no_connection: "The model cannot be reached. Whoever runs this bot should check its address and the network.",
  model_not_found: "The provider does not know the configured model. Whoever runs this bot must correct its name.",
  context_too_long: "This thread has become longer than the model can read. Start a new one with /new.",
  turn_limit: "I stopped, because this took more steps than one turn may take. Tell me how to go on.",
  unknown: "The model's answer failed for an unexpected reason. Please try again; the log has the details.",
};
/** The same of a subagent's model: for the lead agent, which cannot wait or begin a thread, and can delegate otherwise. */
const SUBAGENT_SENTENCES: Record<ModelFailure, string> = {
  auth: "The API key of the subagent's model is missing or was refused. Whoever runs this bot must check it.",
  quota:
    "The account at the provider of the subagent's model has no credit left. Whoever runs this bot must top it up.",
  rate_limited: "The provider of the subagent's model is getting too many requests at the moment.",
  busy: "The provider of the subagent's model is overloaded or has a fault.",
  no_connection:
    "The subagent's model cannot be reached. Whoever runs this bot should check its address and the network.",
  model_not_found: "The provider does not know the subagent's model. Whoever runs this bot must correct its name.",
  context_too_long:
    "The subagent has read or written more than its model can hold. Give it a smaller piece of the work.",
  turn_limit: "The subagent took more steps than it may.",
  unknown: "The subagent failed for an unexpected reason.",
};
/** Causes that pass by themselves. */
const TRANSIENT: ReadonlySet<ModelFailure> = new Set(["rate_limited", "busy", "no_connection"]);
const NETWORK_CODES = /^(ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOST|ENET|UND_ERR)/;
/** What the client libraries say when they are made without a key. */
const NO_KEY = /api key not found|missing credentials|api[_ ]key.*must be (?:set|provided)/i;
const NETWORK_TEXT = /fetch failed|connection error|socket hang up|network error|terminated|request timed out/i;

export const isTransient = (error: unknown): boolean => TRANSIENT.has(classify(error));
export const describeModelError = (error: unknown): string => SENTENCES[classify(error)];
export const describeSubagentError = (error: unknown): string => SUBAGENT_SENTENCES[classify(error)];

/** Reads status, code and text of the error and of its causes; LangChain wraps what its middleware lets through. */
export function classify(error: unknown): ModelFailure {
  const found = causes(error).map(classifyOne);
  return found.find((one) => one !== "unknown") ?? "unknown";
}

function classifyOne(error: Facts): ModelFailure {
  const { name, status, code, text } = error;
  if (name === "GraphRecursionError") return "turn_limit";
  if (name === "ContextOverflowError" || isOverflow(text)) return "context_too_long";
  if (status === 402 || /insufficient_quota|credit balance|billing/i.test(`${code} ${text}`)) return "quota";
  if (status === 401 || status === 403 || code === "invalid_api_key" || NO_KEY.test(text)) return "auth";
  if (status === 404 || code === "model_not_found") return "model_not_found";
  if (status === 429) return "rate_limited";
  // 529: Anthropic is overloaded; 408 and 409 ask for a repeat.
  if (status !== undefined && (status >= 500 || status === 408 || status === 409)) return "busy";
  if (/overloaded/i.test(text)) return "busy";
  if (NETWORK_CODES.test(code) || NETWORK_TEXT.test(text) || name === "APIConnectionError") return "no_connection";
  return "unknown";
}

function isOverflow(text: string): boolean {
  return /context[_ ]length|maximum context|context window|prompt is too long|too many tokens/i.test(text);
}

interface Facts {
  readonly name: string;
  readonly status?: number;
  readonly code: string;
  readonly text: string;
}
/** The error and what caused it, at most twenty deep: LangChain wraps it once for each middleware that it passes. */
export function causes(error: unknown): readonly Facts[] {
  const found: Facts[] = [];
  for (let one = error; one instanceof Error && found.length < 20; one = one.cause) found.push(facts(one));
  return found;
}
function facts(error: Error): Facts {
  // The clients' error classes differ; these optional properties are what they share.
  const { status, status_code, code } = error as Error & Partial<Record<"status" | "status_code" | "code", unknown>>;
  const http = [status, status_code].find((one) => typeof one === "number");
  return {
    name: error.name,
    code: typeof code === "string" ? code : "",
    text: error.message,
    ...(typeof http === "number" && { status: http }),
  };
}
