/** The lead agent: runs a turn on its graph and tells, as values, what happens. */
import { Command } from "@langchain/langgraph";
import { isTerminal, type RunId, type TaskSnapshot } from "../subagents/contract.ts";
import { Detached } from "../subagents/detached.ts";
import { isTaskEvent } from "../subagents/events.ts";
import type { AgentContext } from "../subagents/run-context.ts";
import { unknownTools } from "../subagents/tool-lists.ts";
import type { AgentEvent, LeadAgent, RunInput } from "./contract.ts";
import {
  type Chunk,
  createLeadGraph,
  type GraphCall,
  type GraphDeps,
  type GraphInput,
  type LeadGraph,
} from "./graph.ts";
import { renderInput } from "./input.ts";
import { causes, classify, describeModelError } from "./model-errors.ts";
import { type Beside, Newest, withNewest } from "./newest.ts";
import { findPosition, type Position, turnMessages } from "./position.ts";
import { redact } from "./redact.ts";
import { finalText } from "./reply-text.ts";
import { createNews, fileEvents, type News, questionEvents } from "./run-events.ts";
import { toolNames } from "./tools/tools.ts";
import { orAborted, untilAborted } from "./until-aborted.ts";
import { prepareNoTraces } from "./untraced.ts";

const NO_ANSWER = "The model ended its turn without an answer. Please ask again, perhaps in other words.";

/** Ours: how long a stopped run is waited for, for the last usage of its model calls. A stop is seen within a second. */
const LAST_USAGE_MS = 200;

export function createLeadAgent(deps: GraphDeps): LeadAgent {
  prepareNoTraces();
  sayUnknownTools(deps);
  const graphs = new Map<string, LeadGraph>();
  const graphFor = async (name?: string): Promise<LeadGraph> => {
    const model = await deps.models.get(name);
    const graph = graphs.get(model.name) ?? createLeadGraph(deps, model);
    graphs.set(model.name, graph);
    return graph;
  };
  return {
    defaultModel: deps.models.default.label,
    run: (input, signal) => run(deps, graphFor, input, signal),
  };
}

/** What a subagent's lists name and nobody has is left out; that must not pass in silence. */
function sayUnknownTools({ subagents, log }: GraphDeps): void {
  for (const settings of subagents) {
    const unknown = unknownTools(settings, toolNames);
    if (unknown.length > 0) log.warn({ subagent: settings.name, tools: unknown }, "there are no tools of these names");
  }
}

/** The run from outside: started, what happens, one end. Whatever is thrown inside becomes an `error`. */
async function* run(
  deps: GraphDeps,
  graphFor: () => Promise<LeadGraph>,
  input: RunInput,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  // Stops the graph, resumable, when the caller stops listening.
  const own = new AbortController();
  const either = AbortSignal.any([signal, own.signal]);
  const news = createNews(deps.ledger, input.runId);
  try {
    yield { type: "started", model: deps.models.default.label };
    yield* [...news.tasks(), ...news.usage()];
    const graph = await graphFor();
    if (yield* turn(deps, graph, input, news, either)) return;
  } catch (error) {
    if (!signal.aborted) {
      logFailure(deps, input.runId, error);
      yield* endTasks(deps, input.runId, news, { state: "failed", error: "The run ended with an error." });
      yield { type: "error", message: describeModelError(error) };
      return;
    }
  } finally {
    own.abort(new Detached());
  }
  await deps.watch.callsOver({ run: input.runId }, LAST_USAGE_MS);
  yield* endTasks(deps, input.runId, news, { state: "cancelled" });
  yield { type: "end", outcome: "cancelled" };
}

/** Returns true after its `end` or `error`, false when it was aborted before. Throws what the graph throws. */
async function* turn(
  deps: GraphDeps,
  graph: LeadGraph,
  input: RunInput,
  news: News,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, boolean> {
  const before = await graph.state(input.threadId);
  const position = findPosition(input, before);
  const graphInput = toGraphInput(position, input);
  if (graphInput !== undefined) {
    const context: AgentContext = {
      ...input.context,
      runId: input.runId,
      threadId: input.threadId,
      principal: input.principal,
    };
    const growing = new Newest<string>();
    const endReading = deps.watch.read(input.runId, (markdown) => growing.say(markdown));
    try {
      yield* translate(withNewest(chunksOf(graph, graphInput, { context, signal }), growing), news);
    } finally {
      endReading();
    }
    if (signal.aborted) return false;
  }
  yield* [...news.tasks(), ...news.usage()];
  yield* ending(graph, input, news);
  return true;
}

/** The stream is there with its first chunk only, which is after the first model call; none after an abort. */
async function* chunksOf(graph: LeadGraph, input: GraphInput, call: GraphCall): AsyncGenerator<Chunk> {
  const stream = await orAborted(graph.stream(input, call), call.signal);
  if (stream !== "aborted") yield* untilAborted(stream, call.signal);
}

/** Undefined: nothing is to be run. */
function toGraphInput(position: Position, input: RunInput): GraphInput | undefined {
  switch (position.type) {
    case "start": {
      const messages = input.type === "messages" ? input.messages : [];
      const absent = messages.filter((message) => position.absent.has(message.id));
      return { messages: absent.map((message) => renderInput(message, input.context.audience)) };
    }
    case "resume":
      return new Command({ resume: position.answers });
    case "continue":
      return null;
    case "waiting":
    case "finished":
      return undefined;
  }
}

async function* translate(chunks: AsyncIterable<Beside<Chunk, string>>, news: News): AsyncGenerator<AgentEvent> {
  for await (const one of chunks) {
    if (one.type === "aside") {
      yield { type: "text", markdown: one.aside };
      continue;
    }
    const [namespace, mode, data] = one.item;
    if (mode === "custom" && isTaskEvent(data)) {
      yield* [...news.tasks(), ...news.usage()];
    } else if (mode === "updates") {
      yield* news.usage();
      if (namespace.length === 0) yield* news.questions(interruptsOf(data));
    }
  }
}

/** How the turn ended, from the state alone: the same after a crash. */
async function* ending(graph: LeadGraph, input: RunInput, news: News): AsyncGenerator<AgentEvent> {
  const { messages, pending } = await graph.state(input.threadId);
  const produced = turnMessages(input, messages);
  yield* await fileEvents(produced, input.context.folder);
  yield* news.questions(pending);
  if (pending.length > 0) {
    // One that is no question of ours can be answered by nobody: waiting for it would never end.
    if (questionEvents(pending).length < pending.length) yield { type: "error", message: NO_ANSWER };
    else yield { type: "end", outcome: "waiting" };
    return;
  }
  const markdown = finalText(produced);
  if (markdown === "") {
    yield { type: "error", message: NO_ANSWER };
    return;
  }
  yield { type: "text", markdown };
  yield { type: "end", outcome: "done" };
}

/**
 * Every task that has not ended gets this end in the ledger, with the tokens used so far; what comes later does not
 * count. A ledger that fails here must not keep the run from ending.
 */
function endTasks(
  { ledger, now, log }: GraphDeps,
  runId: RunId,
  news: News,
  end: Pick<TaskSnapshot, "state" | "error">,
): readonly AgentEvent[] {
  try {
    for (const task of ledger.tasks(runId).filter(({ state }) => !isTerminal(state))) {
      ledger.saveTask(runId, { ...task, ...end, endedAt: now() });
    }
    return [...news.tasks(), ...news.usage()];
  } catch (error) {
    log.error({ runId, cause: redact(String(error)) }, "could not store how the tasks ended");
    return [];
  }
}

function interruptsOf(update: unknown) {
  const found = typeof update === "object" && update !== null && "__interrupt__" in update ? update.__interrupt__ : [];
  const interrupts: readonly { id?: unknown; value?: unknown }[] = Array.isArray(found) ? found : [];
  return interrupts.flatMap(({ id, value }) => (typeof id === "string" ? [{ interruptId: id, value }] : []));
}

function logFailure({ log, models }: GraphDeps, runId: RunId, error: unknown): void {
  const cause = causes(error).map(({ name, status, code, text }) => ({
    name,
    status,
    code,
    text: models.redact(text),
  }));
  const named = cause.map(({ name, status, code }) => ({ name, status, code }));
  log.error({ runId, failure: classify(error), cause: named }, "run failed");
  // A provider that refuses a request may quote it.
  log.debug({ runId, cause }, "what the run failed with, in the provider's words");
}
