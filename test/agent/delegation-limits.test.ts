import { describe, expect, it } from "vitest";
import { toolResults } from "../scripted-model.ts";
import { createBench, ofType, questions, reply, subagent } from "./bench.ts";

type Messages = Parameters<typeof toolResults>[0];
const task = (at: number | string) => ({
  name: "task",
  args: { description: `piece ${at}`, prompt: `do ${at}`, subagent_type: "helper" },
});
const tasks = (count: number) => Array.from({ length: count }, (_, at) => task(at));
const listing = { name: "list_files", args: {} };
const isTold = (messages: Messages) => JSON.stringify(messages[0]?.content).includes("[SUBAGENT LIMIT REACHED]");
/** Asks for one batch after the other, for ever; answers only when it is told to. */
const insatiable = (size: number) => (messages: Messages) =>
  isTold(messages) ? `concluded with ${toolResults(messages).length}` : { content: "more", toolCalls: tasks(size) };
const helper = subagent("helper", { model: "help" });
const help = () => "report";
const offered = (tools: readonly unknown[]) => JSON.stringify(tools).includes('"name":"task"');

describe("a response that asks for more tasks than it may begin", () => {
  it("begins the first ones, and does everything else it asked for", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) =>
          toolResults(messages).length
            ? toolResults(messages)
                .map(({ name }) => name)
                .join()
            : { toolCalls: [...tasks(5), listing] },
        help,
      },
      subagents: [helper],
    });
    const events = await bench.run(bench.say("go"));
    expect(reply(events)).toBe("task,task,task,list_files");
    expect(bench.ledger.tasks(bench.say("go").runId).map(({ description }) => description)).toEqual([
      "piece 0",
      "piece 1",
      "piece 2",
    ]);
  });
});

describe("a run that has begun as many tasks as it may", () => {
  it("begins no other, and concludes by itself with one more model call that has no tool for it", async () => {
    const withTool: boolean[] = [];
    const bench = createBench({
      scripts: {
        lead: (messages, { tools }) => {
          withTool.push(offered(tools));
          return insatiable(3)(messages);
        },
        help,
      },
      subagents: [helper],
    });
    const events = await bench.run(bench.say("go"));
    expect(bench.ledger.tasks(bench.say("go").runId)).toHaveLength(6);
    expect(withTool).toEqual([true, true, true, false]);
    expect(reply(events)).toBe("concluded with 6");
    expect(JSON.stringify(events)).not.toContain("LIMIT REACHED");
  });

  it("keeps with its answer why it stopped, and says nothing of it to the next turn, which has all its tasks again", async () => {
    const bench = createBench({ scripts: { lead: insatiable(3), help }, subagents: [helper] });
    await bench.run(bench.say("go"));
    const next = await bench.run(bench.say("again", "run-2"));
    expect(reply(next)).toBe("concluded with 6");
    expect(bench.ledger.tasks(bench.say("again", "run-2").runId)).toHaveLength(6);
    const seen = bench.model("lead").requests.at(-1) ?? [];
    expect(seen.map((message) => message.additional_kwargs["threadline_stop"]).filter(Boolean)).toEqual([
      "subagent_limit_capped",
    ]);
  });

  it("still does the rest of a response that asks for other things too", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) => {
          const done = toolResults(messages).map(({ name }) => name);
          return done.includes("list_files") ? done.join() : { toolCalls: done.length ? [task(9), listing] : tasks(1) };
        },
        help,
      },
      subagents: [helper],
      limits: { perResponse: 3, perRun: 1 },
    });
    expect(reply(await bench.run(bench.say("go")))).toBe("task,list_files");
  });

  it("has none left after a kill in the middle either", async () => {
    const bench = createBench({
      scripts: { lead: insatiable(2), help },
      subagents: [helper],
      limits: { perResponse: 2, perRun: 3 },
      dies: ({ type, namespace }) =>
        type === "writes" && namespace === "" && bench.ledger.tasks(bench.say("go").runId).length === 2,
    });
    await bench.runUntilDead(bench.say("go"));
    bench.restart();
    expect(reply(await bench.run(bench.say("go")))).toBe("concluded with 3");
    expect(bench.ledger.tasks(bench.say("go").runId)).toHaveLength(3);
  });

  it("has none left after an answered question of the same run either", async () => {
    const ask = { name: "ask_clarification", args: { question: "Which?", options: ["Red", "Blue"] } };
    const bench = createBench({
      scripts: {
        lead: (messages) => {
          if (isTold(messages)) return "concluded";
          return { toolCalls: toolResults(messages).length === 2 ? [ask] : tasks(2) };
        },
        help,
      },
      subagents: [helper],
      limits: { perResponse: 2, perRun: 2 },
    });
    const [question] = questions(await bench.run(bench.say("go")));
    const answer = { type: "option", optionId: "option-2", value: "Blue" } as const;
    const events = await bench.run(bench.answer({ [question?.interruptId ?? ""]: answer }));
    expect(reply(events)).toBe("concluded");
    expect(ofType(events, "end")).toMatchObject([{ outcome: "done" }]);
    expect(bench.ledger.tasks(bench.say("go").runId)).toHaveLength(2);
  });
});
