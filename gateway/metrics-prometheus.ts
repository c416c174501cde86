/**
 * `/metrics`: counts what the gateway tells, reads what the store knows, writes both as Prometheus text.
 *
 * Labels are platforms, event types, outcomes, models and subagents: their number is bounded by the configuration. Never
 * a thread, a person or a text.
 */
import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";
import type { Adapter, MaybePromise } from "./contract.ts";
import type { Metrics } from "./metrics.ts";
import { countCalls } from "./metrics-calls.ts";
import { createFigureMetrics } from "./metrics-figures.ts";
import { named } from "./metrics-name.ts";
import { createWaits } from "./metrics-waits.ts";
import type { Figures } from "./store-contract.ts";

export interface Prometheus extends Metrics {
  /** The same adapters, their calls counted. */
  watch(adapters: ReadonlyMap<string, Adapter>): ReadonlyMap<string, Adapter>;
  scrape(): Promise<Scraped>;
}
export interface Scraped {
  /** Of the text, for the header `content-type`. */
  readonly type: string;
  readonly text: string;
}

/** Upper bounds, seconds. */
const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const WAIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const RUN_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800, 3600];

const monotonic = () => performance.now() / 1000;

/** `readFigures` is called at each scrape. `now`: seconds that only go forward. */
export function createPrometheus(readFigures: () => MaybePromise<Figures>, now: () => number = monotonic): Prometheus {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const publish = createFigureMetrics(registry);
  const metrics = createCounts(registry, now);
  return {
    ...metrics,
    watch: (adapters) =>
      new Map([...adapters].map(([platform, adapter]) => [platform, countCalls(adapter, metrics, now)])),
    async scrape() {
      publish(await readFigures());
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}

/** What only this process knows: it begins at nothing with each start. */
function createCounts(registry: Registry, now: () => number): Metrics {
  const make = <Label extends string>(name: string, help: string, labels: readonly Label[]) =>
    named(registry, name, help, labels);
  const events = new Counter(
    make("events_total", "Events that platforms gave, repeats too.", ["platform", "type", "accepted"]),
  );
  const sends = new Counter(make("sends_total", "Calls that show something.", ["platform", "kind", "result"]));
  const limited = new Counter(make("rate_limited_total", "Calls answered with 429: wait.", ["platform"]));
  const callSeconds = new Histogram({
    ...make("platform_call_duration_seconds", "How long the calls of a platform take.", ["platform", "kind"]),
    buckets: CALL_SECONDS,
  });
  const firstCall = new Histogram({
    ...make("first_call_seconds", "From an event to the first call for it, mostly a sign of life.", ["platform"]),
    buckets: WAIT_SECONDS,
  });
  const reply = new Histogram({
    ...make("reply_seconds", "From an event to the final reply that the platform took.", ["platform"]),
    buckets: WAIT_SECONDS,
  });
  const runSeconds = new Histogram({
    ...make("run_duration_seconds", "From the start of a run to its end, waiting for answers included.", ["outcome"]),
    buckets: RUN_SECONDS,
  });
  const { unanswered, ...waits } = createWaits(now, {
    firstCall: (platform, seconds) => firstCall.observe({ platform }, seconds),
    reply: (platform, seconds) => reply.observe({ platform }, seconds),
  });
  return {
    ...waits,
    event: ({ platform, type }, accepted) => events.inc({ platform, type, accepted: String(accepted) }),
    suspended: unanswered,
    ended(claim, outcome, seconds) {
      runSeconds.observe({ outcome }, seconds);
      if (outcome === "cancelled") unanswered(claim);
    },
    called(platform, kind, result, seconds) {
      callSeconds.observe({ platform, kind }, seconds);
      if (SENDS.has(kind)) sends.inc({ platform, kind, result });
      if (result === "rate_limited") limited.inc({ platform });
    },
  };
}

const SENDS: ReadonlySet<string> = new Set(["send", "edit", "upload", "remove"]);
