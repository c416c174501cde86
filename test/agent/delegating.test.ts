import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { isTerminal } from "../../subagents/contract.ts";
import { toolResults } from "../scripted-model.ts";
import { until } from "../helpers.ts";
import { createBench, lastTasks, ofType, questions, reply, subagent } from "./bench.ts";

const task = (name: string, prompt = `do ${name}`) => ({
  name: "task",
  args: { description: `${name} work`, prompt, subagent_type: name },
});
/** Delegates once, then answers with all results. */
const delegating =
  (...names: string[]) =>
  (messages: Parameters<typeof toolResults>[0]) => {
    const results = toolResults(messages);
    return results.length ? results.map((one) => one.text).join(" | ") : { toolCalls: names.map((name) => task(name)) };
  };
const never = new Promise(() => undefined);
const listing = { name: "list_files", args: {} };

describe("delegated work", () => {
  it("comes back as a result with its metadata, and each task ends as a snapshot with its model and tokens", async () => {
    const bench = createBench({
      scripts: { lead: delegating("one", "two"), other: () => ({ content: "from two", usage: [100, 20] }) },
      subagents: [subagent("one", { model: "other" }), subagent("two", { model: "other" })],
    });
    const events = await bench.run(bench.say("go"));
    expect(reply(events)).toBe("Task Succeeded. Result: from two | Task Succeeded. Result: from two");
    const { one, two } = Object.fromEntries(lastTasks(events));
    expect(one).toMatchObject({
      subagent: "one",
      description: "one work",
      model: "other label",
      state: "completed",
      usage: { input: 100, output: 20, total: 120 },
      calls: 1,
      steps: 1,
      result: "from two",
    });
    expect(one?.executionId).not.toBe(two?.executionId);
    expect(toolResults(bench.model("lead").requests.at(-1) ?? [])[0]?.additional_kwargs).toMatchObject({
      subagent_status: "completed",
      subagent_model_name: "other label",
      subagent_token_usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
      subagent_result_brief: "from two",
      subagent_result_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("AGT-08: tokens belong to the model that used them, grow, also when the task fails, and sum up to the run's total", async () => {
    const broken = Object.assign(new Error("bad request"), { status: 400 });
    const bench = createBench({
      scripts: {
        lead: (messages) => ({
          ...(toolResults(messages).length ? { content: "done" } : { toolCalls: [task("s"), task("t")] }),
          usage: [400, 100],
        }),
        S: (messages) =>
          toolResults(messages).length
            ? { content: "ok", usage: [150, 50] }
            : { toolCalls: [listing], usage: [250, 50] },
        T: ({ length }) => (length > 2 ? { error: broken } : { toolCalls: [listing], usage: [40, 10] }),
      },
      subagents: [subagent("s", { model: "S" }), subagent("t", { model: "T" })],
    });
    const events = await bench.run(bench.say("go"));
    const totals = ofType(events, "task")
      .filter((event) => event.task.subagent === "s")
      .map((event) => event.task.usage?.total);
    expect([...new Set(totals)].filter((total) => total !== undefined)).toEqual([300, 500]);
    const { s, t } = Object.fromEntries(lastTasks(events));
    expect(s).toMatchObject({ model: "S label", state: "completed", usage: { total: 500 } });
    expect(t).toMatchObject({ model: "T label", state: "failed", usage: { total: 50 } });
    expect(t?.error).not.toContain("bad request");
    expect(ofType(events, "usage").at(-1)?.tokens).toBe(1000 + 500 + 50);
    const callers = bench.ledger.calls.map(({ caller, model }) => `${caller} ${model}`).toSorted();
    expect(callers).toEqual(["lead lead", "lead lead", "subagent:s S", "subagent:s S", "subagent:t T"]);
  });

  it("AGT-04: a subagent that never answers is timed out, and the other one's result is used", async () => {
    let aborted = false;
    const bench = createBench({
      scripts: {
        lead: delegating("slow", "quick"),
        deaf: (_messages, { signal }) => {
          signal?.addEventListener("abort", () => (aborted = true));
          return { until: never };
        },
        fine: () => "quick result",
      },
      subagents: [subagent("slow", { model: "deaf", timeoutMs: 300 }), subagent("quick", { model: "fine" })],
    });
    const began = Date.now();
    const events = await bench.run(bench.say("go"));
    expect(Date.now() - began).toBeLessThan(2000);
    expect(aborted).toBe(true);
    expect(lastTasks(events).get("slow")).toMatchObject({ state: "timed_out", calls: 0 });
    expect(lastTasks(events).get("slow")).not.toHaveProperty("usage");
    expect(reply(events)).toBe(
      "Task timed out. Error: No result after 0.3 seconds. | Task Succeeded. Result: quick result",
    );
    expect(events.at(-1)).toEqual({ type: "end", outcome: "done" });
  });

  it("that is timed out has its model call aborted at once, not at the end of the run", async () => {
    let aborted = false;
    const bench = createBench({
      scripts: {
        lead: (messages) => (toolResults(messages).length ? `aborted: ${aborted}` : { toolCalls: [task("slow")] }),
        silent: (_messages, { signal }) => {
          signal?.addEventListener("abort", () => (aborted = true));
          return { until: never };
        },
      },
      subagents: [subagent("slow", { model: "silent", timeoutMs: 100 })],
    });
    expect(reply(await bench.run(bench.say("go")))).toBe("aborted: true");
  });

  it("of an unknown kind fails with the names of those there are, and without a task", async () => {
    const bench = createBench({ scripts: { lead: delegating("nobody") }, subagents: [subagent("helper")] });
    const events = await bench.run(bench.say("go"));
    expect(reply(events)).toBe("Unknown subagent type 'nobody'. Available: general-purpose, helper");
    expect(ofType(events, "task")).toEqual([]);
  });

  it("whose model cannot be made fails with a row of its own and its metadata", async () => {
    const bench = createBench({
      scripts: { lead: delegating("keyless", "helper"), other: () => "fine" },
      subagents: [subagent("keyless", { model: "nobody" }), subagent("helper", { model: "other" })],
    });
    const events = await bench.run(bench.say("go"));
    expect(lastTasks(events).get("keyless")).toMatchObject({ state: "failed", model: "nobody", calls: 0 });
    expect(lastTasks(events).get("helper")).toMatchObject({ state: "completed" });
    const [result] = toolResults(bench.model("lead").requests.at(-1) ?? []);
    expect(result?.additional_kwargs).toMatchObject({
      subagent_status: "failed",
      subagent_error: "The subagent failed for an unexpected reason.",
      subagent_model_name: "nobody",
    });
  });

  it.each([
    [
      "has arguments that do not fit",
      { prompt: "p", subagent_type: "helper" },
      "The arguments do not fit the schema of task.",
    ],
    ["meets a ledger that fails", task("helper").args, "task failed."],
  ])("that %s fails with its status", async (which, args, words) => {
    const bench = createBench({
      scripts: {
        lead: (messages) => toolResults(messages)[0]?.text ?? { toolCalls: [{ name: "task", args }] },
        other: () => "fine",
      },
      subagents: [subagent("helper", { model: "other" })],
    });
    if (which.includes("ledger"))
      bench.ledger.saveTask = () => {
        throw new Error("disk full");
      };
    await bench.run(bench.say("go"));
    const [result] = toolResults(bench.model("lead").requests.at(-1) ?? []);
    expect(result?.text).toContain(words);
    expect(result?.additional_kwargs).toMatchObject({
      subagent_status: "failed",
      subagent_error: expect.stringContaining(words),
    });
  });

  it("that is more than the subagent's model can read is said in words about the subagent", async () => {
    const overflow = Object.assign(new Error("maximum context length is 128000"), { status: 400 });
    const bench = createBench({
      scripts: { lead: delegating("reader"), small: () => ({ error: overflow }) },
      subagents: [subagent("reader", { model: "small" })],
    });
    const said = reply(await bench.run(bench.say("go")));
    expect(said).toContain("Task failed. Error: The subagent has read or written more than its model can hold.");
    expect(said).not.toContain("/new");
  });

  it("is done without the tools that delegate, ask or present", async () => {
    const names: string[] = [];
    const bench = createBench({
      scripts: {
        lead: delegating("general-purpose"),
      },
    });
    bench.restart({
      lead: (messages, context) => {
        if (messages.some((message) => message.text === "do general-purpose")) {
          for (const tool of context.tools) names.push((tool as { function: { name: string } }).function.name);
          return "report";
        }
        return delegating("general-purpose")(messages);
      },
    });
    expect(reply(await bench.run(bench.say("go")))).toBe("Task Succeeded. Result: report");
    expect(names.toSorted()).toEqual(["edit_file", "list_files", "read_file", "search_files", "write_file"]);
  });

  it("is done with the tools on the subagent's list that the lead agent has too; a name that nobody has is told at start", async () => {
    let offered: unknown[] = [];
    const bench = createBench({
      scripts: {
        lead: delegating("reader"),
        other: (_messages, { tools }) => ((offered = [...tools]), "report"),
      },
      subagents: [
        subagent("reader", {
          model: "other",
          tools: ["read_file", "write_file", "task", "present_files", "nope"],
          disallowedTools: ["write_file"],
        }),
      ],
    });
    expect(bench.logged.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ level: 40, subagent: "reader", tools: ["nope"] }),
    );
    await bench.run(bench.say("go"));
    expect(offered).toMatchObject([{ function: { name: "read_file" } }]);
  });

  it("is called by its description without what no platform takes", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) =>
          toolResults(messages).length
            ? "done"
            : { toolCalls: [{ ...task("worker"), args: { ...task("worker").args, description: "x\ud83d\r" } }] },
        worker: () => "report",
      },
      subagents: [subagent("worker", { model: "worker" })],
    });
    const events = await bench.run(bench.say("go"));
    expect(ofType(events, "task").map((event) => event.task.description)).not.toContain("x\ud83d\r");
    expect(ofType(events, "task").at(-1)?.task).toMatchObject({ description: "x\ufffd\n", state: "completed" });
  });

  it("AGT-12: keeps its thinking and its words out of the reply", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) =>
          toolResults(messages).length
            ? { chunks: [{ content: "<thi" }, { content: "nk>X2</th" }, { content: "ink>Y" }] }
            : {
                chunks: [{ content: [{ type: "thinking", thinking: "X1" }] }, { content: "so " }],
                toolCalls: [task("helper")],
              },
        other: () => ({
          content: [
            { type: "thinking", thinking: "X3" },
            { type: "text", text: "inner words" },
          ],
        }),
      },
      subagents: [subagent("helper", { model: "other" })],
    });
    const events = await bench.run(bench.say("go"));
    const texts = ofType(events, "text").map((event) => event.markdown);
    expect([...new Set(texts)]).toEqual(["so", "Y"]);
    expect(lastTasks(events).get("helper")?.result).toBe("inner words");
    expect(JSON.stringify(events)).not.toMatch(/X[123]/);
  });
});

describe("cancelling a run", () => {
  it("ends its subagents' cards as cancelled with the tokens used so far, within a second", async () => {
    const bench = createBench({
      scripts: {
        lead: delegating("worker"),
        slow: (messages) =>
          toolResults(messages).length ? { until: never, deaf: true } : { toolCalls: [listing], usage: [70, 7] },
      },
      subagents: [subagent("worker", { model: "slow" })],
    });
    const stop = new AbortController();
    const events = [];
    let stopped = 0;
    for await (const event of bench.start(bench.say("go"), stop.signal)) {
      events.push(event);
      if (event.type === "task" && event.task.steps === 2 && stopped === 0) {
        stopped = Date.now();
        stop.abort();
      }
    }
    expect(Date.now() - stopped).toBeLessThan(1000);
    expect(lastTasks(events).get("worker")).toMatchObject({ state: "cancelled", usage: { total: 77 } });
    expect(events.at(-1)).toEqual({ type: "end", outcome: "cancelled" });
    expect(bench.ledger.tasks(bench.say("go").runId).every(({ state }) => isTerminal(state))).toBe(true);
  });
});

describe("a model call that ends after its task was cancelled", () => {
  it("counts for its task and for the run alike", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const bench = createBench({
      scripts: {
        lead: delegating("worker"),
        slow: (messages) =>
          toolResults(messages).length
            ? { content: "late", usage: [500, 50], until: held, deaf: true }
            : { toolCalls: [listing], usage: [70, 7] },
      },
      subagents: [subagent("worker", { model: "slow" })],
    });
    const stop = new AbortController();
    const isAsked = () => bench.model("slow").requests.length === 2;
    for await (const event of bench.start(bench.say("go"), stop.signal))
      if (event.type === "task" && event.task.steps === 2)
        void until("the second call", isAsked).then(() => stop.abort());
    release();
    const { runId } = bench.say("go");
    await until("the late call", () => bench.ledger.calls.length === 3);
    expect(bench.ledger.tasks(runId)).toMatchObject([{ state: "cancelled", calls: 2, usage: { total: 627 } }]);
    expect(bench.ledger.runUsage(runId).usage?.total).toBe(15 + 627);
  });
});

describe("a model call that breaks off after its provider has reported usage", () => {
  const reporting = (after: () => Promise<unknown>) => ({
    chunks: [
      { content: "half ", usage: [100, 1] as const },
      { content: "an answer", usage: [100, 2] as const },
    ],
    after,
  });
  /** As over a network: the client hears of the abort a moment later. */
  const cutOff = (signal: AbortSignal | undefined) => () =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => void setTimeout(40).then(() => reject(new Error("cut off"))));
    });
  const fault = (status: number) => () => Promise.reject(Object.assign(new Error("broken"), { status }));

  it("by a time-out counts for the task, in its result and in the run's total", async () => {
    const bench = createBench({
      scripts: { lead: delegating("worker"), slow: (_messages, { signal }) => reporting(cutOff(signal)) },
      subagents: [subagent("worker", { model: "slow", timeoutMs: 300 })],
    });
    const events = await bench.run(bench.say("go"));
    expect(lastTasks(events).get("worker")).toMatchObject({ state: "timed_out", calls: 1, usage: { total: 102 } });
    const [result] = toolResults(bench.model("lead").requests.at(-1) ?? []);
    expect(result?.additional_kwargs["subagent_token_usage"]).toMatchObject({ total_tokens: 102 });
    expect(ofType(events, "usage").at(-1)?.tokens).toBe(2 * 15 + 102);
  });

  it("by a stop is on the card that ends as cancelled, within a second", async () => {
    const stop = new AbortController();
    let stopped = 0;
    const pressStop = () => {
      stopped = Date.now();
      stop.abort();
    };
    const bench = createBench({
      scripts: {
        lead: delegating("worker"),
        slow: (_messages, { signal }) => reporting(() => (setImmediate(pressStop), cutOff(signal)())),
      },
      subagents: [subagent("worker", { model: "slow" })],
    });
    const events = await bench.run(bench.say("go"), stop.signal);
    expect(Date.now() - stopped).toBeLessThan(1000);
    expect(lastTasks(events).get("worker")).toMatchObject({ state: "cancelled", usage: { total: 102 } });
    expect(ofType(events, "usage").at(-1)?.tokens).toBe(15 + 102);
    expect(events.at(-1)).toEqual({ type: "end", outcome: "cancelled" });
  });

  it("by a fault of the provider counts beside the call that is tried again, and when all fails", async () => {
    const bench = createBench({
      scripts: {
        lead: delegating("tries", "fails"),
        once: (_messages, { call }) => (call === 0 ? reporting(fault(500)) : { content: "report", usage: [10, 1] }),
        bad: () => reporting(fault(400)),
      },
      subagents: [subagent("tries", { model: "once" }), subagent("fails", { model: "bad" })],
    });
    const tasks = lastTasks(await bench.run(bench.say("go")));
    expect(tasks.get("tries")).toMatchObject({ state: "completed", calls: 2, usage: { total: 102 + 11 } });
    expect(tasks.get("fails")).toMatchObject({ state: "failed", calls: 1, usage: { total: 102 } });
  });
});

describe("a run that is stopped after the time-out of a subagent that does not listen", () => {
  it("leaves the task timed out: what ended it first wins", async () => {
    const stop = new AbortController();
    const bench = createBench({
      scripts: {
        lead: delegating("worker"),
        deaf: (_messages, { signal }) => {
          signal?.addEventListener("abort", () => void setTimeout(30).then(() => stop.abort()), { once: true });
          return { until: never, deaf: true };
        },
      },
      subagents: [subagent("worker", { model: "deaf", timeoutMs: 50 })],
    });
    const tasks = lastTasks(await bench.run(bench.say("go"), stop.signal));
    expect(tasks.get("worker")?.state).toBe("timed_out");
  });
});

describe("after a cancelled run", () => {
  it("the next message starts afresh, with a sound history and nothing of the old work", async () => {
    const stop = new AbortController();
    const bench = createBench({
      scripts: {
        lead: (messages) => (messages.at(-1)?.text === "again" ? "new answer" : { toolCalls: [task("worker")] }),
        slow: () => ({ until: never }),
      },
      subagents: [subagent("worker", { model: "slow" })],
    });
    for await (const event of bench.start(bench.say("go"), stop.signal)) if (event.type === "task") stop.abort();
    const asked = bench.model("slow").requests.length;
    const next = await bench.run(bench.say("again", "run-2"));
    expect(reply(next)).toBe("new answer");
    expect(ofType(next, "task")).toEqual([]);
    expect(bench.model("slow").requests).toHaveLength(asked);
    const kinds = bench
      .model("lead")
      .requests.at(-1)
      ?.map((message) => message.getType());
    expect(kinds).toEqual(["system", "human", "ai", "tool", "human"]);
  });
});

describe("a caller that stops listening", () => {
  it("leaves the run resumable: its task is not ended, and goes on after the next start", async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const bench = createBench({
      scripts: {
        lead: delegating("worker"),
        slow: (messages) =>
          toolResults(messages).length ? { content: "report", until: gate } : { toolCalls: [listing] },
      },
      subagents: [subagent("worker", { model: "slow" })],
    });
    for await (const event of bench.start(bench.say("go"))) {
      if (event.type === "task" && event.task.steps === 2) break;
    }
    await setTimeout(300);
    expect(bench.ledger.tasks(bench.say("go").runId)).toMatchObject([{ state: "running" }]);
    open();
    bench.restart();
    const events = await bench.run(bench.say("go"));
    expect(reply(events)).toBe("Task Succeeded. Result: report");
    expect(bench.model("slow").requests).toHaveLength(1);
  });
});

describe("a process that dies", () => {
  const stepping = (steps: number, log: string[]) => (messages: Parameters<typeof toolResults>[0]) => {
    const done = toolResults(messages).length;
    log.push(`after ${done}`);
    if (done === steps) return "all steps done";
    return {
      toolCalls: [{ name: "write_file", args: { path: `/workspace/${done}.md`, content: "x" } }],
      usage: [10, 1] as const,
    };
  };

  it("inside a subagent resumes there: finished steps and the finished sibling are not repeated, tokens go on growing", async () => {
    const log: string[] = [];
    const scripts = { lead: delegating("worker", "sibling"), steps: stepping(4, log), quick: () => "sibling done" };
    const bench = createBench({
      scripts,
      subagents: [subagent("worker", { model: "steps" }), subagent("sibling", { model: "quick" })],
      // Nested checkpoints of the worker: it dies when its second tool result is to be stored.
      dies: ({ type, namespace, step }) => type === "checkpoint" && namespace !== "" && step >= 4,
    });
    await bench.runUntilDead(bench.say("go"));
    const [before] = bench.ledger.tasks(bench.say("go").runId);
    expect(before).toMatchObject({ subagent: "worker", state: "running" });
    log.length = 0;
    bench.restart();
    const events = await bench.run(bench.say("go"));
    expect(events.at(-1)).toEqual({ type: "end", outcome: "done" });
    expect(reply(events)).toBe("Task Succeeded. Result: all steps done | Task Succeeded. Result: sibling done");
    expect(log[0]).not.toBe("after 0");
    expect(log.at(-1)).toBe("after 4");
    expect(bench.model("quick").requests).toHaveLength(0);
    const worker = lastTasks(events).get("worker");
    expect(worker).toMatchObject({ executionId: before?.executionId, startedAt: before?.startedAt, steps: 9 });
    const calls = bench.ledger.calls.filter((call) => call.executionId === worker?.executionId);
    expect(worker?.usage?.total).toBe(calls.reduce((sum, call) => sum + (call.usage?.total ?? 0), 0));
    expect(bench.ledger.tasks(bench.say("go").runId)).toHaveLength(2);
  });

  it("after a subagent's end, before its result is stored, gives that result without asking the subagent again", async () => {
    const report = "r".repeat(5000);
    const bench = createBench({
      scripts: { lead: delegating("worker"), quick: () => report },
      subagents: [subagent("worker", { model: "quick" })],
      dies: ({ type, namespace }) =>
        type === "writes" && namespace === "" && bench.ledger.tasks(bench.say("go").runId)[0]?.state === "completed",
    });
    await bench.runUntilDead(bench.say("go"));
    bench.restart();
    const events = await bench.run(bench.say("go"));
    expect(reply(events)).toBe(`Task Succeeded. Result: ${report}`);
    expect(bench.model("quick").requests).toHaveLength(0);
    expect(lastTasks(events).get("worker")).toMatchObject({ state: "completed", calls: 1, usage: { total: 15 } });
  });

  const aloud = `thinking aloud ${"…".repeat(3000)}`;
  const endless = ({ length }: Parameters<typeof toolResults>[0]) => ({
    content: aloud,
    toolCalls: [{ name: "read_file", args: { path: `/workspace/${length}.md` } }],
  });

  it("after a subagent was stopped at its turn limit does not run it on, and gives what it had come to, whole", async () => {
    const bench = createBench({
      scripts: { lead: delegating("worker"), endless },
      subagents: [subagent("worker", { model: "endless", maxTurns: 3 })],
      dies: ({ type, namespace }) =>
        type === "writes" && namespace === "" && bench.ledger.tasks(bench.say("go").runId)[0]?.state === "completed",
    });
    await bench.runUntilDead(bench.say("go"));
    expect(bench.model("endless").requests).toHaveLength(3);
    bench.restart();
    const events = await bench.run(bench.say("go"));
    expect(bench.model("endless").requests).toHaveLength(0);
    expect(reply(events)).toBe(`Task Succeeded (capped: turn budget). Result: ${aloud}`);
    expect(lastTasks(events).get("worker")).toMatchObject({ state: "completed", stopReason: "turn_capped", calls: 3 });
  });

  it("inside a subagent goes on with the turns that are left of its limit", async () => {
    const bench = createBench({
      scripts: { lead: delegating("worker"), endless },
      subagents: [subagent("worker", { model: "endless", maxTurns: 5 })],
      // When the result of its third turn is to be stored.
      dies: ({ type, namespace, step }) => type === "checkpoint" && namespace !== "" && step >= 6,
    });
    await bench.runUntilDead(bench.say("go"));
    bench.restart();
    const tasks = lastTasks(await bench.run(bench.say("go")));
    expect(tasks.get("worker")).toMatchObject({ state: "completed", stopReason: "turn_capped", steps: 10 });
    expect(bench.model("endless").requests).toHaveLength(2);
  });

  it("inside a subagent goes on with the time that is left of its time-out", async () => {
    const bench = createBench({
      scripts: {
        lead: delegating("worker"),
        slow: (messages) =>
          toolResults(messages).length ? { until: never } : { toolCalls: [listing], until: setTimeout(2000) },
      },
      subagents: [subagent("worker", { model: "slow", timeoutMs: 3000 })],
      dies: ({ type, namespace, step }) => type === "checkpoint" && namespace !== "" && step >= 2,
    });
    await bench.runUntilDead(bench.say("go"));
    bench.restart();
    const began = Date.now();
    const events = await bench.run(bench.say("go"));
    expect(lastTasks(events).get("worker")?.state).toBe("timed_out");
    expect(Date.now() - began).toBeLessThan(2500);
  });

  it("beside an open question goes on with the subagent, and the question stays the same one", async () => {
    const scripts = {
      lead: (messages: Parameters<typeof toolResults>[0]) => {
        if (toolResults(messages).length > 0)
          return toolResults(messages)
            .map(({ text }) => text)
            .join(" | ");
        const ask = { name: "ask_clarification", args: { question: "Which?", options: ["Red", "Blue"] } };
        const task = { name: "task", args: { description: "look", prompt: "p", subagent_type: "worker" } };
        return { toolCalls: [ask, task] };
      },
      steps: stepping(2, []),
    };
    const bench = createBench({
      scripts,
      subagents: [subagent("worker", { model: "steps" })],
      dies: ({ type, namespace, step }) => type === "checkpoint" && namespace !== "" && step >= 2,
    });
    await bench.runUntilDead(bench.say("go"));
    bench.restart();
    const events = await bench.run(bench.say("go"));
    expect(lastTasks(events).get("worker")).toMatchObject({ state: "completed", result: "all steps done" });
    expect(events.at(-1)).toEqual({ type: "end", outcome: "waiting" });
    const [question, ...more] = questions(events);
    expect(more).toEqual([]);
    const answer = { type: "option", optionId: "option-2", value: "Blue" } as const;
    const after = await bench.run(bench.answer({ [question?.interruptId ?? ""]: answer }));
    expect(reply(after)).toMatch(/my answer is: Blue \| Task Succeeded. Result: all steps done$/);
  });

  it("between a tool's result and the next checkpoint goes on with that result", async () => {
    const scripts = {
      lead: (messages: Parameters<typeof toolResults>[0]) =>
        toolResults(messages)[0]?.text ?? {
          toolCalls: [{ name: "write_file", args: { path: "/outputs/a.md", content: "x" } }],
        },
    };
    const bench = createBench({ scripts, dies: ({ type, step }) => type === "checkpoint" && step >= 2 });
    await bench.runUntilDead(bench.say("go"));
    bench.restart();
    const events = await bench.run(bench.say("go"));
    expect(reply(events)).toBe("Wrote /outputs/a.md (1 B).");
    expect(events.at(-1)).toEqual({ type: "end", outcome: "done" });
    expect(bench.ledger.starts).toHaveLength(1);
  });

  it("in the middle of an edit does not run it again: the model is told that its outcome is unknown", async () => {
    const scripts = {
      lead: (messages: Parameters<typeof toolResults>[0]) => {
        const results = toolResults(messages);
        if (results.length === 0)
          return { toolCalls: [{ name: "write_file", args: { path: "/outputs/a.md", content: "1" } }] };
        if (results.length > 1) return results[1]?.text ?? "";
        return { toolCalls: [{ name: "edit_file", args: { path: "/outputs/a.md", old_text: "1", new_text: "11" } }] };
      },
    };
    const bench = createBench({
      scripts,
      // When the result of the edit is to be stored.
      dies: ({ type }) => type === "writes" && bench.ledger.starts.some((start) => start.tool === "edit_file"),
    });
    await bench.runUntilDead(bench.say("go"));
    bench.restart();
    const events = await bench.run(bench.say("go"));
    expect(reply(events)).toContain("its outcome is unknown");
    expect(readFileSync(path.join(bench.folder, "outputs/a.md"), "utf8")).toBe("11");
  });
});
