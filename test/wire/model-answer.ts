/**
 * A script's answer → what goes over the wire, streamed or whole. Pure.
 */
import type { WireMessage, WireTool } from "./model-request.ts";

/** What a script is asked. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly WireTool[];
  /** 1 for the first call that was accepted. */
  readonly call: number;
}

export interface ModelAnswer {
  readonly content?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly args: unknown; readonly id?: string }[];
  /**
   * `[input, output]`; null: none is reported; `every_chunk`: input 100 and a cumulative output of 1, 2, 3 … in every
   * chunk, as some servers do. Absent: counted, four characters a token.
   */
  readonly usage?: readonly [number, number] | null | "every_chunk";
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Between two chunks of a stream. */
  readonly chunkDelayMs?: number;
  /** Instead of an answer. */
  readonly error?: {
    readonly status: number;
    readonly body: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** The socket is closed: before the first byte, or after half of the chunks. */
  readonly drop?: "before" | "middle";
  /** The name that is reported instead of the one asked for. */
  readonly model?: string;
}

export interface ReportedUsage {
  readonly input: number;
  readonly output: number;
}
/** One server-sent event or one whole body; `usage` is what a client has been told once it has read it. */
export interface WireChunk {
  readonly text: string;
  readonly usage?: ReportedUsage;
}
/** What is known of one call when it is answered. */
export interface Answering {
  readonly id: string;
  readonly request: ModelRequest;
  readonly created: number;
  readonly includeUsage: boolean;
}

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Server-sent events of a streamed answer, `[DONE]` last. */
export function streamChunks(answer: ModelAnswer, answering: Answering): readonly WireChunk[] {
  const everyChunk = answer.usage === "every_chunk";
  const deltas = deltasOf(answer, answering);
  const finish = { delta: {}, finish_reason: finishReason(answer) };
  const total = usageOf(answer, answering.request, deltas.length + 1);
  const chunks = [...deltas.map((delta) => ({ delta, finish_reason: null })), finish].map((choice, index) => {
    const usage = everyChunk ? { input: 100, output: index + 1 } : undefined;
    return event(
      { ...head(answer, answering, "chat.completion.chunk"), choices: [{ index: 0, logprobs: null, ...choice }] },
      usage,
    );
  });
  const last = answering.includeUsage && total !== undefined && !everyChunk;
  const usageEvent = last ? [event({ ...head(answer, answering, "chat.completion.chunk"), choices: [] }, total)] : [];
  return [...chunks, ...usageEvent, { text: "data: [DONE]\n\n" }];
}

/** The one body of an answer that is not streamed. */
export function wholeBody(answer: ModelAnswer, answering: Answering): WireChunk {
  const calls = wireCalls(answer, answering);
  const usage = usageOf(answer, answering.request, deltasOf(answer, answering).length + 1);
  const message = {
    role: "assistant",
    content: answer.content ?? null,
    refusal: null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const body = {
    ...head(answer, answering, "chat.completion"),
    choices: [{ index: 0, logprobs: null, message, finish_reason: finishReason(answer) }],
    ...(usage === undefined ? {} : { usage: wireUsage(usage) }),
  };
  return usage === undefined ? { text: JSON.stringify(body) } : { text: JSON.stringify(body), usage };
}

function event(body: object, usage: ReportedUsage | undefined): WireChunk {
  const text = `data: ${JSON.stringify({ ...body, usage: usage === undefined ? null : wireUsage(usage) })}\n\n`;
  return usage === undefined ? { text } : { text, usage };
}

const head = (answer: ModelAnswer, { id, request, created }: Answering, object: string) => ({
  id,
  object,
  created,
  model: answer.model ?? request.model,
  system_fingerprint: null,
});

const finishReason = (answer: ModelAnswer): string => ((answer.toolCalls ?? []).length > 0 ? "tool_calls" : "stop");

const wireUsage = ({ input, output }: ReportedUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
});

/** Ids are of the call, so that they never repeat unless the script repeats them. */
const wireCalls = (answer: ModelAnswer, { id }: Answering): readonly WireCall[] =>
  (answer.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${id.replace("chatcmpl-", "")}_${index}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.args) },
  }));

/** Role first, then the text word by word, then each tool call: its name, then its arguments in pieces. */
function deltasOf(answer: ModelAnswer, answering: Answering): readonly object[] {
  const words = (answer.content ?? "").match(/\s*\S+\s*$|\s*\S+/g) ?? [];
  const calls = wireCalls(answer, answering).flatMap((call, index) => [
    { tool_calls: [{ ...call, index, function: { ...call.function, arguments: "" } }] },
    ...(call.function.arguments.match(/[\s\S]{1,24}/g) ?? []).map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  ]);
  return [{ role: "assistant", content: "" }, ...words.map((content) => ({ content })), ...calls];
}

function usageOf(answer: ModelAnswer, request: ModelRequest, chunks: number): ReportedUsage | undefined {
  if (answer.usage === null) return undefined;
  if (answer.usage === "every_chunk") return { input: 100, output: chunks };
  if (answer.usage !== undefined) return { input: answer.usage[0], output: answer.usage[1] };
  const said = (answer.content ?? "") + JSON.stringify(answer.toolCalls ?? "");
  return { input: tokens(JSON.stringify(request.messages)), output: tokens(said) };
}
const tokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4));
