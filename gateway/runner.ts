/**
 * One run, from its claim to its end: the agent's events become the wanted state of the thread.
 *
 * Stored at once: questions, files, the end. Kept in memory: the growing progress message, since a run that is resumed
 * says everything again.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import mime from "mime";
import type { Logger } from "pino";
import type { AgentEvent, Clarification, LeadAgent } from "../agent/contract.ts";
import type { Adapter, Clock, ProgressView, View } from "./contract.ts";
import type { Metrics } from "./metrics.ts";
import type { Outbox, Sign } from "./outbox.ts";
import { plainText } from "./plain-text.ts";
import { questionView, tokenKeys } from "./questions.ts";
import { emptyRun, finalSlots, fold, progressView, type RunView } from "./renderer.ts";
import { buildInput, type InputDeps } from "./run-input.ts";
import {
  type Claim,
  type GatewayStore,
  type QuestionId,
  type RunOutcome,
  slot,
  type SlotWrite,
} from "./store-contract.ts";

export interface RunnerDeps {
  readonly store: GatewayStore;
  readonly agent: LeadAgent;
  readonly outbox: Outbox;
  readonly adapter: (platform: string) => Adapter | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly input: Omit<InputDeps, "store">;
  readonly metrics: Metrics;
}

/** Without tasks, the progress message comes after this long; before, there is only presence. */
const PROGRESS_AFTER_MS = 5000;
/** While nothing happens, elapsed times move on at this pace: seldom enough for any platform's limit of edits. */
const HEARTBEAT_MS = 10_000;
/** A run whose process died this often is given up. */
const MAX_ATTEMPTS = 3;

/** Resolves when the run has ended or waits; after `abandon` aborts, without touching anything any more. */
export type Runner = (claim: Claim, signal: AbortSignal, abandon: AbortSignal) => Promise<void>;

export function createRunner(deps: RunnerDeps): Runner {
  return async (claim, signal, abandon) => {
    const known = recall(claim, deps);
    const adapter = deps.adapter(claim.thread.platform);
    if (claim.type === "stopped") return finish(claim, known, "cancelled", deps);
    if (!adapter) throw new Error(`Expected an adapter for ${claim.thread.platform}, which is switched off`);
    if (claim.attempt > MAX_ATTEMPTS) return finish(claim, known, "failed", deps, GIVEN_UP);
    const sign = deps.outbox.present(claim.thread);
    const card = createCard(claim, deps, known, sign);
    deps.metrics.calling(claim.thread.id);
    abandon.addEventListener("abort", card.close);
    try {
      const building = buildInput(claim, adapter, { ...deps.input, store: deps.store });
      const input = await Promise.race([building, whenAborted(signal)]);
      if (abandon.aborted) return;
      if (input === "aborted") return await finish(claim, known, "cancelled", deps);
      for await (const event of deps.agent.run(input, signal)) {
        if (abandon.aborted) return;
        card.fold(event);
        await act(event, claim, card, deps);
      }
    } finally {
      abandon.removeEventListener("abort", card.close);
      sign.end();
      card.close();
    }
  };
}

/** A stop does not wait for a file that comes slowly. */
const whenAborted = (signal: AbortSignal) =>
  new Promise<"aborted">((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });

const GIVEN_UP = `This took me down ${MAX_ATTEMPTS} times, so I have stopped trying. Please ask again, or ask for less at once.`;

/** What the store knows of a run that was begun before. */
function recall({ run, startedAt }: Claim, { store, agent }: RunnerDeps): RunView {
  const tasks = store.tasks(run);
  const { usage } = store.runUsage(run);
  return {
    ...emptyRun(agent.defaultModel, startedAt),
    tasks: new Map(tasks.map((task) => [task.executionId, task])),
    ...(usage && { tokens: usage.total }),
  };
}

async function act(event: AgentEvent, claim: Claim, card: Card, deps: RunnerDeps): Promise<void> {
  switch (event.type) {
    case "question":
      return ask(event.request, claim, card, deps);
    case "file":
      return showFile(event.path, claim, deps);
    case "error":
      card.close();
      return finish(claim, card.view, "failed", deps, event.message);
    case "end":
      if (event.outcome === "waiting") return suspend(claim, card, deps);
      card.close();
      return finish(claim, card.view, event.outcome, deps);
    case "text":
      // Nothing in the card changes by it: an edit would only take the draft's turn.
      return card.isDrafted() ? undefined : card.draw();
    case "started":
    case "task":
    case "usage":
      return card.draw();
  }
}

async function ask(request: Clarification, claim: Claim, card: Card, { store, outbox }: RunnerDeps): Promise<void> {
  const tokens = Object.fromEntries(tokenKeys(request).map((key) => [key, newToken()]));
  const id = `q_${randomUUID()}` as QuestionId;
  card.complete();
  await store.ask(claim.run, { id, request, tokens, view: questionView(request, tokens, claim.principal.name) });
  outbox.wake(claim.thread.id);
  card.wait();
}

async function showFile(file: string, claim: Claim, deps: RunnerDeps): Promise<void> {
  const { store, outbox, adapter, log, input } = deps;
  const info = await stat(file).catch(() => undefined);
  if (!info) return log.warn({ run: claim.run }, "a presented file is gone");
  const name = path.basename(file);
  const inThread = path.relative(path.join(input.threadsFolder, claim.thread.id), file);
  const type = mime.getType(name) ?? "application/octet-stream";
  const id = `${claim.run}/${inThread}`;
  const most = adapter(claim.thread.platform)?.limits.uploadBytes ?? 0;
  const view: View =
    info.size <= most
      ? { type: "file", path: file, name, mime: type, sizeBytes: info.size }
      : { type: "notice", markdown: tooLarge(name, most), tone: "warning" };
  await store.show(claim.thread.id, [{ slot: slot(view.type, id), view, final: true }]);
  outbox.wake(claim.thread.id);
}

const tooLarge = (name: string, most: number): string =>
  `The file ${plainText(name)} is larger than the ${Math.floor(most / 1_000_000)} MB that can be shown here.`;

/** The card is kept as it stands now: whoever restarts in the meantime shows that it waits. */
async function suspend(claim: Claim, card: Card, { store, outbox, metrics }: RunnerDeps): Promise<void> {
  const { run, thread } = claim;
  await store.suspend(run, { slot: slot("progress", run), view: card.rest(), final: false, ifPosted: true });
  metrics.suspended(claim);
  outbox.release(thread.id, slot("progress", run));
}

async function finish(
  claim: Claim,
  view: RunView,
  outcome: RunOutcome,
  deps: RunnerDeps,
  failure?: string,
): Promise<void> {
  const { run, thread } = claim;
  // Their buttons would promise what nobody takes up. One that was not posted yet never is.
  const open = (await deps.store.openQuestions(run)).map(({ id, request, tokens, asked }): SlotWrite => {
    const closed = { type: "given_up", reason: "the turn has ended" } as const;
    return {
      slot: slot("question", id),
      view: questionView(request, tokens, asked.name, closed),
      final: true,
      ifPosted: true,
    };
  });
  const slots = [...open, ...finalSlots(run, view, outcome, deps.clock.now(), failure)];
  if ((await deps.store.finish(run, outcome, slots)) === "stopped") return finish(claim, view, "cancelled", deps);
  deps.metrics.ended(claim, outcome, (deps.clock.now() - claim.startedAt) / 1000);
  deps.outbox.release(thread.id, slot("progress", run));
}

const newToken = () => randomBytes(9).toString("base64url");

/** The progress message of one run: nothing at first, then always the newest state. */
interface Card {
  readonly view: RunView;
  /** Something final is about to leave: what it has said is no longer shown as a draft. */
  complete(): void;
  /** What it says is shown by a draft and not by the card. */
  isDrafted(): boolean;
  fold(event: AgentEvent): void;
  draw(): Promise<void>;
  wait(): void;
  /** Closes it; how it looks while the run waits. */
  rest(): ProgressView;
  readonly close: () => void;
}

function createCard(
  { run, thread }: Claim,
  { store, outbox, clock, log }: RunnerDeps,
  known: RunView,
  sign: Sign,
): Card {
  // Not the run's start: the time in which it waited for an answer, or for us, is no time in which it is slow.
  const claimedAt = clock.now();
  let view = known;
  let state: ProgressView["state"] = "working";
  let stopToken: string | undefined;
  let closed = false;
  let cancel: () => void = () => {};

  const isDrafted = () => state === "working" && sign.hasDraft();

  async function draw(): Promise<void> {
    const due = view.tasks.size > 0 || clock.now() - claimedAt >= PROGRESS_AFTER_MS;
    if (closed || !due) return;
    stopToken ??= await store.mint(thread.id, newToken(), { type: "stop", run });
    const shown = isDrafted() ? { ...view, text: "" } : view;
    if (!closed) outbox.show(thread.id, slot("progress", run), progressView(shown, state, clock.now(), stopToken));
  }
  const drawLater = () =>
    void draw().catch((error: unknown) => log.warn({ err: error, run }, "could not draw progress"));
  const beat = (ms: number) => {
    cancel = clock.after(ms, () => {
      drawLater();
      beat(HEARTBEAT_MS);
    });
  };
  const close = () => {
    closed = true;
    cancel();
    sign.complete();
  };
  beat(PROGRESS_AFTER_MS);
  return {
    get view() {
      return view;
    },
    complete: sign.complete,
    isDrafted,
    fold(event) {
      view = fold(view, event);
      if (event.type === "text") sign.grow(view.text);
    },
    draw,
    wait() {
      state = "waiting";
      drawLater();
    },
    rest() {
      close();
      return progressView(view, "waiting", clock.now(), stopToken);
    },
    close,
  };
}
