/** What the store says of itself, as Prometheus metrics. */
import { Counter, Gauge, type Registry } from "prom-client";
import { named } from "./metrics-name.ts";
import type { Figures } from "./store-contract.ts";

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Makes them in this registry; what is returned sets all of them. */
export function createFigureMetrics(registry: Registry): (figures: Figures) => void {
  /** A state that nothing is in any more is no longer named. */
  const gauge = (name: string, help: string, ...labelNames: string[]) => {
    const made = new Gauge(named(registry, name, help, labelNames));
    return (samples: readonly Sample[]) => {
      made.reset();
      for (const [labels, value] of samples) made.set(labels, value);
    };
  };
  /** Its totals are kept by the store. */
  const counter = (name: string, help: string, ...labelNames: string[]) => {
    const made = new Counter(named(registry, name, help, labelNames));
    return (samples: readonly Sample[]) => {
      made.reset();
      for (const [labels, value] of samples) made.inc(labels, value);
    };
  };

  const queued = gauge("queue_messages", "Messages that wait for a turn.");
  const busy = gauge("threads_busy", "Threads with a run under way or messages that wait.");
  const runs = gauge("runs", "Runs that have not ended, by state.", "state");
  const runsStarted = counter("runs_started_total", "Runs begun.");
  const runsEnded = counter("runs_ended_total", "Runs ended, by outcome.", "outcome");
  const tasks = gauge("tasks", "Tasks of live runs that have not ended, by state.", "subagent", "state");
  const tasksStarted = counter("tasks_started_total", "Tasks given to subagents.", "subagent");
  const tasksEnded = counter("tasks_ended_total", "Tasks ended, by their last state.", "subagent", "state");
  const calls = counter("model_calls_total", "Model calls that have finished.", "model", "caller");
  const tokens = counter(
    "tokens_total",
    "Tokens as reported by the provider; cached is part of input, reasoning is part of output.",
    "model",
    "caller",
    "type",
  );
  const file = gauge("database_bytes", "Size of the database: its file, the wal, and what is free in it.", "part");
  const rows = gauge("checkpoint_rows", "Rows of a checkpoint table, when last counted through.", "table");
  const bytes = gauge(
    "checkpoint_bytes",
    "Bytes in the rows of a checkpoint table, when last counted through.",
    "table",
  );

  return (figures) => {
    const started = figures.runTotals.filter(({ state }) => state === "started");
    const tasksBegun = figures.taskTotals.filter(({ state }) => state === "started");
    queued([[{}, figures.queuedMessages]]);
    busy([[{}, figures.busyThreads]]);
    runs(LIVE.map((state) => [{ state }, figures.runs.find((one) => one.state === state)?.count ?? 0]));
    runsStarted(started.map(({ count }) => [{}, count]));
    runsEnded(others(figures.runTotals).map(({ state, count }) => [{ outcome: state }, count]));
    tasks(figures.tasks.map(({ subagent, state, count }) => [{ subagent, state }, count]));
    tasksStarted(tasksBegun.map(({ subagent, count }) => [{ subagent }, count]));
    tasksEnded(others(figures.taskTotals).map(({ subagent, state, count }) => [{ subagent, state }, count]));
    calls(figures.usage.map((one) => [{ model: one.model, caller: one.caller }, one.calls]));
    tokens(
      figures.usage.flatMap((one) =>
        TOKENS.map((type): Sample => [{ model: one.model, caller: one.caller, type }, one[type]]),
      ),
    );
    file(PARTS.map((part) => [{ part }, figures.bytes[part]]));
    rows(figures.checkpoints.map((one) => [{ table: one.table }, one.rows]));
    bytes(figures.checkpoints.map((one) => [{ table: one.table }, one.bytes]));
  };
}

const LIVE = ["running", "waiting", "stopping"] as const;
const TOKENS = ["input", "output", "cached", "reasoning"] as const;
const PARTS = ["database", "wal", "free"] as const;

function others<Total extends { readonly state: string }>(totals: readonly Total[]): readonly Total[] {
  return totals.filter(({ state }) => state !== "started");
}
