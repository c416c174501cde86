import { describe, expect, it } from "vitest";
import { toolResults } from "../scripted-model.ts";
import { createBench, lastTasks, reply, subagent } from "./bench.ts";

type Messages = Parameters<typeof toolResults>[0];
const delegate = (messages: Messages) =>
  toolResults(messages)[0]?.text ?? {
    toolCalls: [{ name: "task", args: { description: "w", prompt: "p", subagent_type: "worker" } }],
  };
const read = (at: number) => ({ name: "read_file", args: { path: `/workspace/${at}.md` } });
const notesIn = (messages: Messages) => JSON.stringify(messages[0]?.content).match(/\[[A-Z ]+\]/g) ?? [];
const worker = subagent("worker", { model: "work" });
const run = (work: Parameters<typeof createBench>[0]["scripts"][string], settings = worker) => {
  const bench = createBench({ scripts: { lead: delegate, work }, subagents: [settings] });
  return bench.run(bench.say("go")).then((events) => ({ bench, events, task: lastTasks(events).get("worker") }));
};

describe("a subagent with all its turns used", () => {
  it("has made exactly so many model calls, and comes back with what it had said", async () => {
    const { bench, task } = await run(
      ({ length }) => ({ content: `at ${length}`, toolCalls: [read(length)] }),
      subagent("worker", { model: "work", maxTurns: 7 }),
    );
    expect(bench.model("work").requests).toHaveLength(7);
    expect(task).toMatchObject({ state: "completed", stopReason: "turn_capped", result: expect.stringMatching(/^at/) });
  });

  it("has failed when it had said nothing", async () => {
    const { task } = await run(
      ({ length }) => ({ toolCalls: [read(length)] }),
      subagent("worker", { model: "work", maxTurns: 2 }),
    );
    expect(task).toMatchObject({ state: "failed", stopReason: "turn_capped" });
  });
});

describe("a subagent's tokens", () => {
  it("are warned of at seven tenths; with all used it reports once more, without tools", async () => {
    const seen: unknown[] = [];
    const { events, task } = await run((messages, { tools, call }) => {
      seen.push([...notesIn(messages), tools.length > 0]);
      if (tools.length === 0) return { content: "what I have", usage: [10, 5] };
      return { toolCalls: [read(call)], usage: [700_000, 0] };
    });
    expect(seen).toEqual([[true], [true], ["[TOKEN BUDGET]", true], ["[TOKEN BUDGET REACHED]", false]]);
    expect(task).toMatchObject({ state: "completed", stopReason: "token_capped", usage: { total: 2_100_015 } });
    expect(reply(events)).toBe("Task Succeeded (capped: token budget). Result: what I have");
  });

  it("end it also when it asks for tools that it has no more", async () => {
    const { bench, task } = await run(({ length }) => ({ toolCalls: [read(length)], usage: [2_000_000, 0] }));
    expect(bench.model("work").requests).toHaveLength(2);
    expect(task).toMatchObject({ state: "failed", stopReason: "token_capped" });
  });

  it("are counted on after a kill", async () => {
    const bench = createBench({
      scripts: {
        lead: delegate,
        work: (messages, { tools }) =>
          tools.length === 0 ? "all" : { toolCalls: [read(messages.length)], usage: [2_000_000, 0] },
      },
      subagents: [worker],
      dies: ({ type, namespace, step }) => type === "checkpoint" && namespace !== "" && step >= 2,
    });
    await bench.runUntilDead(bench.say("go"));
    bench.restart();
    const events = await bench.run(bench.say("go"));
    expect(bench.model("work").requests).toHaveLength(1);
    expect(lastTasks(events).get("worker")).toMatchObject({ stopReason: "token_capped", result: "all" });
  });
});

describe("a subagent in a loop", () => {
  it("is warned from the third time on and stopped at the fifth, which is not carried out; its words there are its report", async () => {
    const notes: string[][] = [];
    const { events, task } = await run((messages, { call }) => {
      notes.push([...notesIn(messages)]);
      return { content: `try ${call}`, toolCalls: [read(0)] };
    });
    expect(notes).toEqual([[], [], [], ["[LOOP]"], ["[LOOP]"]]);
    expect(task).toMatchObject({ state: "completed", stopReason: "loop_capped", steps: 9, result: "try 4" });
    expect(reply(events)).toBe("Task Succeeded (capped: repeated tool-call loop). Result: try 4");
  });

  it("has failed when it had said nothing", async () => {
    const { task } = await run(() => ({ toolCalls: [read(0)] }));
    expect(task).toMatchObject({ state: "failed", stopReason: "loop_capped" });
  });
});
