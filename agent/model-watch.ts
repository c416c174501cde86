/**
 * Sees every model call of every run, the lead agent's and its subagents': writes each finished one to the ledger, and
 * tells the lead agent's growing text.
 *
 * It is a callback of the clients and not of the graphs, where it would cost at each of their steps. What a call belongs
 * to stands in its metadata, which nested graphs inherit.
 */
import { setTimeout as pause } from "node:timers/promises";
import { BaseCallbackHandler, type HandleLLMNewTokenCallbackFields } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { LLMResult } from "@langchain/core/outputs";
import {
  type ExecutionId,
  executionId,
  type ModelCall,
  personId,
  type RunId,
  runId,
  threadId,
  type Usage,
} from "../subagents/contract.ts";
import { CALLER } from "../subagents/create-subagents.ts";
import type { AgentContext } from "../subagents/run-context.ts";
import { mergeReports, normaliseUsage } from "../subagents/usage.ts";
import { createReplyText, type ReplyText } from "./reply-text.ts";

type Tell = (markdown: string) => void;
interface WatchDeps {
  readonly write: (call: ModelCall) => void;
  readonly now: () => number;
}
type Caller = Pick<ModelCall, "runId" | "threadId" | "principal" | "caller" | "model" | "executionId">;
/** A call that is under way. */
interface Running {
  readonly caller: Caller;
  /** Of the lead agent: what people will read. */
  readonly reply: ReplyText | undefined;
  readonly startedAt: number;
  /** What its stream has reported so far. */
  usage?: Usage | undefined;
  reportedModel?: string | undefined;
  /** When it is over, however it ends. */
  readonly over: Promise<void>;
  readonly end: () => void;
  /** When its run ended without it. */
  leftAt?: number;
}
/** By the id of the call, over all clients. */
type Calls = Map<string, Running>;

/** Ours: nobody begins to read before. */
const WORTH_READING_MS = 1500;
const RECENT = 8;
/** Ours: a call that its run has left may still report this long; a client can keep silent for ever. */
const LEFT_MS = 10 * 60_000;

const RUN = {
  id: "threadline_run",
  thread: "threadline_thread",
  person: "threadline_person",
  model: "lead_model",
} as const;

/** For the config of a run's graph. `model` is the configured name of the lead agent's. */
export function runMetadata({ runId: run, threadId: thread, principal }: AgentContext, model: string) {
  return { [RUN.id]: run, [RUN.thread]: thread, [RUN.person]: principal.id, [RUN.model]: model };
}

export class ModelWatch {
  readonly #readers = new Map<RunId, Tell>();
  readonly #calls: Calls = new Map();
  readonly #deps: WatchDeps;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
  }

  /** For one client. */
  callbacks(): BaseCallbackHandler[] {
    return [new ClientWatch(this.#deps, this.#calls, (run, markdown) => this.#readers.get(run)?.(markdown))];
  }

  /**
   * Resolves when no call of these is under way any more, and after `ms` at the latest. Who aborts a call hears of that at
   * once, and its client, which has the last usage, a moment later.
   */
  async callsOver(of: { readonly run: RunId } | { readonly execution: ExecutionId }, ms: number): Promise<void> {
    const isMeant = ({ caller }: Running) =>
      "run" in of ? caller.runId === of.run : caller.executionId === of.execution;
    const open = [...this.#calls.values()].filter(isMeant);
    if (open.length === 0) return;
    const timer = new AbortController();
    await Promise.race([
      Promise.all(open.map(({ over }) => over)),
      pause(ms, undefined, { signal: timer.signal }).catch(() => undefined),
    ]);
    timer.abort();
  }

  /** `tell` gets the lead agent's reply so far, whole, whenever it has grown. Returns what to call when the run is over. */
  read(run: RunId, tell: Tell): () => void {
    this.#readers.set(run, tell);
    return () => {
      this.#readers.delete(run);
      for (const call of this.#calls.values()) if (call.caller.runId === run) call.leftAt = this.#deps.now();
    };
  }

  /** How many calls have not reported their end. */
  get underWay(): number {
    return this.#calls.size;
  }
}

/** Calls that belong to no run are left alone. */
class ClientWatch extends BaseCallbackHandler {
  override readonly name = "model-watch";
  // A call is stored before the step it belongs to is checkpointed.
  override awaitHandlers = true;
  // An error here must fail the step: accounting that gets lost in silence is worse.
  override raiseError = true;
  readonly #calls: Calls;
  readonly #deps: WatchDeps;
  readonly #tell: (run: RunId, markdown: string) => void;
  /** How long the last calls took, ms. */
  #recent: readonly number[] = [];

  constructor(deps: WatchDeps, calls: Calls, tell: (run: RunId, markdown: string) => void) {
    super();
    this.#deps = deps;
    this.#calls = calls;
    this.#tell = tell;
  }

  /**
   * The library asks a client to stream when one of its callbacks has this. A stream costs about as much again as the call,
   * and is worth it where an answer takes long enough to be read while it grows: for a model that has been quick of late it
   * is left out.
   */
  get lc_prefer_streaming(): boolean {
    return this.#recent.length === 0 || this.#recent.some((ms) => ms >= WORTH_READING_MS);
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
    const caller = callerOf(metadata);
    if (!caller) return;
    const reply = caller.executionId ? undefined : createReplyText();
    this.#forgetSilent();
    let end = () => {};
    const over = new Promise<void>((resolve) => (end = resolve));
    this.#calls.set(callId, { caller, reply, startedAt: this.#deps.now(), over, end });
  }

  override handleLLMNewToken(
    _token: string,
    _index: unknown,
    callId: string,
    _parent?: string,
    _tags?: string[],
    fields?: HandleLLMNewTokenCallbackFields,
  ): void {
    const running = this.#calls.get(callId);
    const chunk = fields?.chunk;
    const message = chunk && "message" in chunk ? chunk.message : undefined;
    if (!running || !AIMessage.isInstance(message)) return;
    // Some providers report usage on many chunks, each time whole; the library would add them up.
    const usage = normaliseUsage(message.usage_metadata);
    if (usage) {
      running.usage = mergeReports(running.usage, usage);
      running.reportedModel ??= reported(chunk?.generationInfo, message);
    }
    const markdown = running.reply?.add(message.text);
    if (markdown !== undefined) this.#tell(running.caller.runId, markdown);
  }

  override handleLLMEnd(output: LLMResult, callId: string): void {
    const running = this.#calls.get(callId);
    if (!running) return;
    const at = this.#deps.now();
    this.#recent = [...this.#recent, at - running.startedAt].slice(-RECENT);
    const message = finalMessage(output);
    const usage = running.usage ?? normaliseUsage(message?.usage_metadata);
    const reportedModel = reported(output.generations[0]?.[0]?.generationInfo, message);
    this.#end(callId, running, {
      ...running.caller,
      callId,
      at,
      ...(reportedModel && { reportedModel }),
      ...(usage && { usage }),
    });
  }

  /**
   * What the provider has reported of a call is paid for, also when the call breaks off. OpenAI's client passes usage on at
   * the end of a stream only, whatever the server has told before.
   */
  override handleLLMError(_error: unknown, callId: string): void {
    const running = this.#calls.get(callId);
    if (!running) return;
    const { usage, reportedModel } = running;
    const at = this.#deps.now();
    const reported = usage && { ...running.caller, callId, at, usage, ...(reportedModel && { reportedModel }) };
    this.#end(callId, running, reported);
  }

  #forgetSilent(): void {
    const before = this.#deps.now() - LEFT_MS;
    for (const [callId, { leftAt }] of this.#calls)
      if (leftAt !== undefined && leftAt < before) this.#calls.delete(callId);
  }

  #end(callId: string, { end }: Running, call: ModelCall | undefined): void {
    this.#calls.delete(callId);
    try {
      if (call) this.#deps.write(call);
    } finally {
      end();
    }
  }
}

function callerOf(metadata: Readonly<Record<string, unknown>>): Caller | undefined {
  const [run, thread, person, model] = [RUN.id, RUN.thread, RUN.person, RUN.model].map((key) => text(metadata[key]));
  if (!run || !thread || !person || !model) return undefined;
  const execution = text(metadata[CALLER.executionId]);
  return {
    runId: runId(run),
    threadId: threadId(thread),
    principal: personId(person),
    caller: text(metadata[CALLER.name]) ?? "lead",
    model: text(metadata[CALLER.model]) ?? model,
    ...(execution && { executionId: executionId(execution) }),
  };
}

function finalMessage(output: LLMResult): AIMessage | undefined {
  const generation = output.generations[0]?.[0];
  const message = generation && "message" in generation ? generation.message : undefined;
  return AIMessage.isInstance(message) ? message : undefined;
}
/** Where each provider's client leaves the model's name; a stream leaves it in other places than a plain answer. */
function reported(
  generation: Readonly<Record<string, unknown>> = {},
  message: AIMessage | undefined,
): string | undefined {
  const metadata: Record<string, unknown> = message?.response_metadata ?? {};
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
