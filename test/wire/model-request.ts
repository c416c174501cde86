/**
 * What a provider of the OpenAI kind takes at POST /v1/chat/completions, and the words with which it refuses the rest.
 * Sources: OpenAI's published API description (shapes, names, 128 tools); the sentences about tool calls as many public
 * issues quote them. Stricter than some compatible servers, so that what passes here passes there.
 */
import { z } from "zod";

export interface WireError {
  readonly status: number;
  readonly body: unknown;
}

/** The error body of the OpenAI API. */
export const wireError = (
  status: number,
  message: string,
  param: string | null = null,
  code: string | null = null,
) => ({
  status,
  body: { error: { message, type: "invalid_request_error", param, code } },
});

const part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: z.string() }) }),
]);
const content = z.union([z.string(), z.array(part).min(1)]);
const name = z.string().min(1).optional();
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.strictObject({ name: toolName, arguments: z.string() }),
});
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "developer"]), content, name }),
  z.strictObject({ role: z.literal("user"), content, name }),
  z.strictObject({
    role: z.literal("assistant"),
    content: content.nullish(),
    name,
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
  }),
  z.strictObject({ role: z.literal("tool"), content, tool_call_id: z.string().min(1), name }),
]);
const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: toolName,
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
});
const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string() }) }),
]);
const ignored = z.unknown().optional();

const body = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z.array(tool).min(1).max(128).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).optional(),
  max_tokens: z.int().min(1).optional(),
  max_completion_tokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  n: z.literal(1).optional(),
  // Accepted by the API and without meaning for a script.
  stop: ignored,
  user: ignored,
  seed: ignored,
  metadata: ignored,
  response_format: ignored,
  reasoning_effort: ignored,
  frequency_penalty: ignored,
  presence_penalty: ignored,
  logprobs: ignored,
  logit_bias: ignored,
  service_tier: ignored,
  store: ignored,
  verbosity: ignored,
});

export type WireRequest = z.infer<typeof body>;
export type WireMessage = WireRequest["messages"][number];
export type WireTool = NonNullable<WireRequest["tools"]>[number];

/** The parsed request, or what the provider would answer instead. */
export function readRequest(
  raw: string,
):
  | { readonly type: "request"; readonly request: WireRequest }
  | { readonly type: "refused"; readonly error: WireError } {
  const json = parseJson(raw);
  if (json === undefined)
    return { type: "refused", error: wireError(400, "We could not parse the JSON body of your request.") };
  const parsed = body.safeParse(json);
  if (!parsed.success) return { type: "refused", error: shapeError(parsed.error) };
  const error = messagesError(parsed.data.messages) ?? toolsError(parsed.data);
  return error === undefined ? { type: "request", request: parsed.data } : { type: "refused", error };
}

function shapeError(error: z.ZodError): WireError {
  const issue = error.issues[0];
  if (issue?.code === "unrecognized_keys" && issue.path.length === 0) {
    return wireError(400, `Unrecognized request argument supplied: ${issue.keys.join(", ")}`);
  }
  const param = (issue?.path ?? []).map((key) => (typeof key === "number" ? `[${key}]` : String(key))).join(".");
  return wireError(400, `Invalid value for '${param}': ${issue?.message ?? "unknown"}`, param);
}

/** Every tool call is answered once, by the messages right after it, and nothing is answered that was not called. */
function messagesError(messages: readonly WireMessage[]): WireError | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const at = `messages.[${index}]`;
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) return notCalled(at);
      continue;
    }
    if (open.size > 0) return unanswered(open, at);
    if (message.role !== "assistant") continue;
    const calls = message.tool_calls ?? [];
    if (calls.length === 0 && (message.content ?? null) === null) {
      return wireError(400, "Invalid value for 'content': expected a string, got null.", `${at}.content`);
    }
    open = new Set(calls.map((call) => call.id));
    if (open.size < calls.length) return wireError(400, `Duplicate value for 'tool_call_id' in message ${index}.`, at);
    const broken = calls.find((call) => parseJson(call.function.arguments) === undefined);
    if (broken !== undefined) {
      return wireError(400, `Invalid 'tool_calls' arguments of '${broken.id}': expected JSON.`, `${at}.tool_calls`);
    }
  }
  return open.size > 0 ? unanswered(open, `messages.[${messages.length}]`) : undefined;
}

const notCalled = (at: string): WireError =>
  wireError(
    400,
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    `${at}.role`,
  );
const unanswered = (ids: ReadonlySet<string>, at: string): WireError =>
  wireError(
    400,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`,
    `${at}.role`,
  );

function toolsError({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
  stream,
  stream_options,
}: WireRequest) {
  if (stream_options !== undefined && stream !== true) {
    return wireError(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options");
  }
  if (tools === undefined) {
    const needless =
      choice === undefined ? (parallel === undefined ? undefined : "parallel_tool_calls") : "tool_choice";
    return needless && wireError(400, `'${needless}' is only allowed when 'tools' are specified.`, needless);
  }
  const names = tools.map((one) => one.function.name);
  if (new Set(names).size < names.length) return wireError(400, "Tool names must be unique.", "tools");
  if (typeof choice === "object" && !names.includes(choice.function.name)) {
    return wireError(400, `Tool choice '${choice.function.name}' not found in 'tools' parameter.`, "tool_choice");
  }
  for (const [index, { function: fn }] of tools.entries()) {
    const defect = fn.parameters && schemaDefect(fn.parameters);
    if (defect) {
      const text = `Invalid schema for function '${fn.name}': ${defect}`;
      return wireError(400, text, `tools[${index}].function.parameters`, "invalid_function_parameters");
    }
  }
  return undefined;
}

/** The two mistakes in tool schemas that the provider names: the root is no object, an array says nothing of its items. */
function schemaDefect(schema: Readonly<Record<string, unknown>>): string | undefined {
  if (schema["type"] !== "object") {
    const got = typeof schema["type"] === "string" ? schema["type"] : "None";
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`;
  }
  return bareArray(schema) ? "In context=(), array schema missing items." : undefined;
}

function bareArray(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  if ("type" in schema && schema.type === "array" && !("items" in schema)) return true;
  return Object.values(schema).some(bareArray);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
