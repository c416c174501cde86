import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { parseConfig } from "../../gateway/config.ts";
import { startProgram } from "../../gateway/main.ts";
import { createWaits } from "../../gateway/metrics-waits.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { type Claim, slot } from "../../gateway/store-contract.ts";
import { createFigures } from "../../store/figures.ts";
import { threadId } from "../../subagents/contract.ts";
import { message, silentLog, tempFolder, tempStore, until } from "../helpers.ts";
import { createMemoServer, memoKind } from "../memo-platform.ts";
import { asks, delegates, echo } from "../scenarios/scripts.ts";
import { createModelServer } from "../wire/model-server.ts";

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/y;

/** Strict: a line that is no comment and no sample, a sample without help and type, a figure that is none: all throw. */
function parse(text: string): Sample[] {
  const described = new Map<string, Set<string>>();
  return text.split("\n").flatMap((line) => {
    const comment = /^# (HELP|TYPE) (\S+) \S/.exec(line);
    if (comment?.[1] && comment[2]) described.set(comment[2], (described.get(comment[2]) ?? new Set()).add(comment[1]));
    if (line === "" || comment) return [];
    const [, name, inner = "", figure] = SAMPLE.exec(line) ?? [];
    if (name === undefined) throw new Error(`no line of the format: ${line}`);
    const family = [name, name.replace(/_(bucket|sum|count)$/, "")].find((one) => described.get(one)?.size === 2);
    if (family === undefined) throw new Error(`not described: ${line}`);
    const value = figure === "+Inf" ? Infinity : Number(figure);
    // The mean of a loop that was not measured since the last scrape.
    if (Number.isNaN(value) && figure !== "Nan") throw new Error(`no figure: ${line}`);
    return [{ name, labels: labelsOf(inner), value }];
  });
}
function labelsOf(inner: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let at = 0;
  while (at < inner.length) {
    LABEL.lastIndex = at;
    const found = LABEL.exec(inner);
    if (!found) throw new Error(`no labels: ${inner}`);
    labels[found[1] ?? ""] = found[2] ?? "";
    at = LABEL.lastIndex;
  }
  return labels;
}
/** The one sample of this name with these labels; 0 when there is none. */
function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  const found = samples.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`${found.length} samples of ${name} ${JSON.stringify(labels)}`);
  return found[0]?.value ?? 0;
}

/** The real program on the memo platform and a model server with two models. */
async function createBot() {
  const models = await createModelServer();
  onTestFinished(() => models.close());
  const server = createMemoServer();
  const kinds = [memoKind(server)];
  const model = (name: string) => ({
    name,
    provider: "openai",
    model: name,
    api_key: models.apiKey,
    base_url: models.url,
  });
  const yaml = stringify({
    data_dir: path.join(tempFolder(), "data"),
    http: { port: 0 },
    models: [model("big"), model("small")],
    subagents: { custom: { scout: { description: "Looks things up", system_prompt: "Scout.", model: "small" } } },
  });
  const start = async () => {
    const config = parseConfig(yaml, {}, kinds);
    const program = await startProgram({ config, kinds, clock: systemClock, log: silentLog, env: {} });
    onTestFinished(() => program.stop());
    const scrape = async () => {
      const response = await fetch(`${program.http.origin}/metrics`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
      const text = await response.text();
      return { text, samples: parse(text) };
    };
    return { program, scrape };
  };
  const say = async (text: string) => void (await server.deliver?.(message(text)));
  const posted = (text: string) => until(text, () => server.posts.some((post) => post.text.includes(text)));
  return { models, server, start, say, posted };
}

describe("/metrics", () => {
  it("counts a run with two tasks: events, runs, tasks, tokens, sends, waits, sizes, loop lag", async () => {
    const { models, server, start, say, posted } = await createBot();
    models.script(delegates({ stepMs: 30, steps: 2 }));
    server.faults.push({ call: "send", code: "rate_limited", retryAfterMs: 50, times: 1 });
    const { scrape } = await start();
    await say("compare them");
    await posted("Both are done");
    const samples = await until("the end", async () => {
      const scraped = await scrape();
      return valueOf(scraped.samples, "threadline_reply_seconds_count") === 1 && scraped.samples;
    });
    const value = (name: string, labels: Record<string, string> = {}) => valueOf(samples, `threadline_${name}`, labels);

    expect(value("events_total", { platform: "memo", type: "message", accepted: "true" })).toBe(1);
    expect(value("runs_started_total")).toBe(1);
    expect(value("runs_ended_total", { outcome: "done" })).toBe(1);
    expect(value("runs", { state: "running" })).toBe(0);
    expect(value("queue_messages")).toBe(0);
    expect(value("threads_busy")).toBe(0);
    expect(value("run_duration_seconds_count", { outcome: "done" })).toBe(1);
    expect(value("run_duration_seconds_sum", { outcome: "done" })).toBeGreaterThan(0.03);
    for (const subagent of ["scout", "general-purpose"]) {
      expect(value("tasks_started_total", { subagent })).toBe(1);
      expect(value("tasks_ended_total", { subagent, state: "completed" })).toBe(1);
      expect(value("tasks", { subagent })).toBe(0);
    }
    const small = { model: "small", caller: "subagent:scout" };
    expect(value("model_calls_total", small)).toBe(2);
    expect(value("tokens_total", { ...small, type: "input" })).toBe(150);
    expect(value("tokens_total", { ...small, type: "output" })).toBe(15);
    const tokens = samples.filter(
      ({ name, labels }) => name === "threadline_tokens_total" && ["input", "output"].includes(labels["type"] ?? ""),
    );
    const reported = Object.values(models.totals()).map((one) => one.input + one.output);
    expect(tokens.reduce((sum, one) => sum + one.value, 0)).toBe(reported.reduce((sum, one) => sum + one, 0));

    const calls = (call: string) => server.calls.filter((one) => one.call === call).length;
    expect(value("sends_total", { platform: "memo", kind: "send", result: "rate_limited" })).toBe(1);
    expect(value("sends_total", { platform: "memo", kind: "send", result: "ok" })).toBe(calls("send") - 1);
    expect(value("platform_call_duration_seconds_count", { platform: "memo", kind: "send" })).toBe(calls("send"));
    expect(value("rate_limited_total", { platform: "memo" })).toBe(1);
    expect(value("first_call_seconds_count", { platform: "memo" })).toBe(1);
    expect(value("reply_seconds_sum", { platform: "memo" })).toBeGreaterThan(
      value("first_call_seconds_sum", { platform: "memo" }),
    );
    expect(value("database_bytes", { part: "database" }) + value("database_bytes", { part: "wal" })).toBeGreaterThan(
      50_000,
    );
    for (const table of ["graph_checkpoints", "graph_pieces"]) {
      expect(value("checkpoint_rows", { table })).toBeGreaterThan(3);
      expect(value("checkpoint_bytes", { table })).toBeGreaterThan(1000);
    }
    expect(valueOf(samples, "nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0);
  });

  it("shows what is going on: a run at work and its task, a message that waits, a run that waits for an answer", async () => {
    const { models, start, say, posted } = await createBot();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const delegating = delegates({ stepMs: 0, steps: 1 });
    models.script(async (request) => {
      const last = JSON.stringify(request.messages.at(-1));
      if (last.includes("ask me")) return asks(request);
      if (!request.tools.some((tool) => tool.function.name === "task")) await held;
      return delegating(request);
    });
    const { scrape } = await start();
    await say("compare them");
    const going = async (what: string, name: string, labels: Record<string, string>, value: number) =>
      until(what, async () => {
        const { samples } = await scrape();
        return valueOf(samples, `threadline_${name}`, labels) === value && samples;
      });
    await going("the task", "tasks", { subagent: "scout", state: "running" }, 1);
    await say("ask me");
    const busy = await going("the message", "queue_messages", {}, 1);
    expect(valueOf(busy, "threadline_runs", { state: "running" })).toBe(1);
    expect(valueOf(busy, "threadline_threads_busy")).toBe(1);
    release();
    await posted("Both are done");
    const waiting = await going("the question", "runs", { state: "waiting" }, 1);
    expect(valueOf(waiting, "threadline_runs_started_total")).toBe(2);
    expect(valueOf(waiting, "threadline_tasks", { subagent: "scout" })).toBe(0);
    expect(valueOf(waiting, "threadline_reply_seconds_count", { platform: "memo" })).toBe(1);
  });

  it("keeps its totals over a restart, and counts on from there", async () => {
    const { models, start, say, posted } = await createBot();
    models.script(delegates({ stepMs: 0, steps: 1 }));
    const totals = (samples: readonly Sample[]) =>
      samples.filter(({ name }) =>
        /^threadline_(runs_started|runs_ended|tasks_started|tasks_ended|model_calls|tokens)_total$/.test(name),
      );
    const first = await start();
    await say("compare them");
    await posted("Both are done");
    const before = await until("the end", async () => {
      const { samples } = await first.scrape();
      return valueOf(samples, "threadline_runs_ended_total", { outcome: "done" }) === 1 && samples;
    });
    await first.program.stop();
    const second = await start();
    const after = (await second.scrape()).samples;
    expect(totals(after)).toEqual(totals(before));
    expect(totals(after).length).toBeGreaterThan(10);
    models.script(echo);
    await say("and now?");
    await posted("You said: ");
    const now = (await second.scrape()).samples;
    expect(valueOf(now, "threadline_runs_started_total")).toBe(2);
    const lead = { model: "big", caller: "lead" };
    expect(valueOf(now, "threadline_model_calls_total", lead)).toBe(
      valueOf(before, "threadline_model_calls_total", lead) + 1,
    );
  });

  it("tells no text, name, id or key, and has units in its names and few labels", async () => {
    const { models, start, say, posted } = await createBot();
    models.script(delegates({ stepMs: 0, steps: 1 }));
    const { scrape } = await start();
    await say("a very private sentence");
    await posted("Both are done");
    const { text, samples } = await scrape();
    for (const secret of ["private", "apples", "Ana", "ana", models.apiKey, "memo:dm", "post-", models.url])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/[trxq]_[0-9a-f]{8}-/);
    const ours = samples.filter(({ name }) => name.startsWith("threadline_"));
    expect(ours.length).toBeGreaterThan(30);
    const labels = new Set(ours.flatMap((one) => Object.keys(one.labels)));
    const known = "accepted caller kind le model outcome part platform result state subagent table type".split(" ");
    expect(known).toEqual(expect.arrayContaining([...labels]));
    for (const [, name = "", type] of text.matchAll(/^# TYPE (threadline_\w+) (\w+)$/gm)) {
      if (type === "counter") expect(name).toMatch(/_total$/);
      if (type === "histogram") expect(name).toMatch(/_seconds$/);
    }
  });
});

describe("how long people wait", () => {
  const thread = threadId("t1");
  /** Claims of a real store, one for each call. */
  function createTurns() {
    const { store } = tempStore();
    let now = 0;
    const ended: string[] = [];
    const waits = createWaits(() => now, {
      firstCall: (platform, seconds) => ended.push(`${platform} first ${seconds}`),
      reply: (platform, seconds) => ended.push(`${platform} reply ${seconds}`),
    });
    const claim = async (): Promise<Claim> => {
      const { wake } = await store.accept(message("x"), () => ({ rule: "", effects: [{ type: "queue" }] }));
      const [id = thread] = wake;
      const claimed = await store.claim(id);
      if (!claimed) throw new Error("nothing to claim");
      await store.finish(claimed.run, "done", []);
      return { ...claimed, thread: { ...claimed.thread, id: thread } };
    };
    const at = (seconds: number) => (now = seconds);
    return { waits, ended, claim, at };
  }
  const replyOf = (claim: Claim) => slot("reply", claim.run);

  it("is counted from the first event that a turn answers, once, to the first call and to the reply", async () => {
    const { waits, ended, claim, at } = createTurns();
    waits.asked(thread, "memo");
    at(1);
    waits.asked(thread, "memo");
    const turn = await claim();
    waits.claimed(turn);
    at(2);
    waits.calling(thread);
    waits.calling(thread);
    at(5);
    waits.shown(slot("progress", turn.run));
    waits.shown(replyOf(turn));
    waits.shown(replyOf(turn));
    expect(ended).toEqual(["memo first 2", "memo reply 5"]);
  });

  it("keeps two turns of a thread apart, also when the first reply leaves late", async () => {
    const { waits, ended, claim, at } = createTurns();
    const [one, two] = [await claim(), await claim()];
    waits.asked(thread, "memo");
    waits.claimed(one);
    waits.calling(thread);
    at(10);
    waits.asked(thread, "memo");
    waits.calling(thread);
    waits.claimed(two);
    at(11);
    waits.calling(thread);
    at(12);
    waits.shown(replyOf(one));
    at(13);
    waits.shown(replyOf(two));
    expect(ended).toEqual(["memo first 0", "memo first 1", "memo reply 12", "memo reply 3"]);
  });

  it("ends without a figure when nothing runs, or the turn ends without a reply", async () => {
    const { waits, ended, claim } = createTurns();
    waits.asked(thread, "memo");
    waits.idle(thread);
    waits.calling(thread);
    const turn = await claim();
    waits.asked(thread, "memo");
    waits.claimed(turn);
    waits.unanswered(turn);
    waits.shown(replyOf(turn));
    expect(ended).toEqual([]);
  });
});

describe("with 100 000 turns in the store", () => {
  const ROWS = 100_000;

  it("a scrape reads as quickly as with 100", async () => {
    const measure = async (rows: number) => {
      const { db } = tempStore();
      const read = createFigures(db);
      // Every run has ended, had one message and one task, and made one model call.
      db.exec(`
        create temp table n as with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select i from n;
        insert into runs(id, thread, person, state, attempt, input, started_at, outcome)
          select 'r' || i, 't' || i % 100, 'p', 'ended', 1, '{}', i, 'done' from n;
        insert into inbox(id, platform, account, event, thread, person, author, state, addressed, event_json, received_at)
          select 'i' || i, 'memo', 'bot', i, 't' || i % 100, 'p', 'Ana', 'done', 1, '{}', i from n;
        insert into tasks(execution, run, ended, snapshot, seq)
          select 'x' || i, 'r' || i, 1, '{"subagent":"scout","state":"completed"}', 1 from n;
        insert into usage(call, run, thread, person, caller, model, input, output, total, at)
          select 'c' || i, 'r' || i, 't', 'p', iif(i % 3, 'lead', 'subagent:scout'), 'm' || i % 4, 10, 5, 15, i from n`);
      const times: number[] = [];
      for (let round = 0; round < 15; round += 1) {
        const since = performance.now();
        await read();
        times.push(performance.now() - since);
      }
      return { least: Math.min(...times), figures: await read() };
    };
    const few = await measure(100);
    const many = await measure(ROWS);
    expect(many.figures.usage.reduce((sum, one) => sum + one.calls, 0)).toBe(ROWS);
    expect(many.figures.usage.reduce((sum, one) => sum + one.input, 0)).toBe(10 * ROWS);
    expect(many.figures.taskTotals).toContainEqual({ subagent: "scout", state: "started", count: ROWS });
    expect(many.least / few.least).toBeLessThan(5);
  });
});
