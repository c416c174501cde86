import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { type RunInput } from "../../agent/contract.ts";
import { runId, threadId } from "../../subagents/contract.ts";
import { toolResults } from "../scripted-model.ts";
import { createBench, ofType, questions, reply, subagent } from "./bench.ts";

type Messages = Parameters<typeof toolResults>[0];
const tasks = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: "task",
    args: { description: `piece ${at}`, prompt: "p", subagent_type: "worker" },
  }));
const listings = Array.from({ length: 12 }, () => ({ name: "list_files", args: {} }));
const worker = subagent("worker", { model: "work" });

function warnings(): readonly string[] {
  const names: string[] = [];
  const hear = (warning: Error) => void names.push(warning.name);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  return names;
}

describe("more tasks than may be at work in the process", () => {
  it("all come to their end, never more at once than may be, and without a warning of Node", async () => {
    const warned = warnings();
    let [atWork, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, ++atWork);
      await setTimeout(2);
      atWork -= 1;
    };
    const bench = createBench({
      scripts: {
        lead: (messages: Messages) =>
          toolResults(messages).length ? `${toolResults(messages).length} reports` : { toolCalls: tasks(4) },
        // More calls at once than a signal may have listeners before Node warns.
        work: (messages) =>
          toolResults(messages).length ? { content: "report", until: work() } : { toolCalls: listings },
      },
      subagents: [worker],
      slots: 8,
      limits: { perResponse: 4, perRun: 6 },
    });
    const runs = Array.from({ length: 13 }, (_, at) => {
      const input: RunInput = { ...bench.say("go", `run-${at}`), threadId: threadId(`thread-${at}`) };
      return bench.run(input);
    });
    const replies = (await Promise.all(runs)).map(reply);
    expect(replies).toEqual(replies.map(() => "4 reports"));
    const all = runs.flatMap((_, at) => bench.ledger.tasks(runId(`run-${at}`)));
    expect(all.map(({ state }) => state)).toEqual(Array.from({ length: 52 }, () => "completed"));
    expect(most).toBeLessThanOrEqual(8);
    expect([bench.slots.taken, bench.slots.waiting]).toEqual([0, 0]);
    await setTimeout(10);
    expect(warned).toEqual([]);
  });

  it("are seen to wait until it is their turn, and their time begins then", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages: Messages) => toolResults(messages)[1]?.text ?? { toolCalls: tasks(2) },
        work: () => ({ content: "report", until: setTimeout(100) }),
      },
      subagents: [worker],
      slots: 1,
    });
    const events = ofType(await bench.run(bench.say("go")), "task").map(({ task }) => task);
    const second = events.filter(({ description }) => description === "piece 1");
    expect([...new Set(second.map(({ state }) => state))]).toEqual(["pending", "running", "completed"]);
    const ended = events.findLast(({ description }) => description === "piece 0")?.endedAt ?? 0;
    expect(second.at(-1)?.startedAt).toBeGreaterThanOrEqual(ended);
  });
});

describe("more calls in one response than are at work at once", () => {
  it("are all done once, also beside a question among the first of them", async () => {
    const ask = { name: "ask_clarification", args: { question: "Which?", options: ["Red", "Blue"] } };
    const bench = createBench({
      scripts: {
        lead: (messages: Messages) =>
          toolResults(messages).length ? `${toolResults(messages).length} results` : { toolCalls: [ask, ...listings] },
      },
    });
    const [question] = questions(await bench.run(bench.say("go")));
    const answer = { type: "option", optionId: "option-2", value: "Blue" } as const;
    expect(reply(await bench.run(bench.answer({ [question?.interruptId ?? ""]: answer })))).toBe("13 results");
    expect(bench.ledger.starts.filter(({ tool }) => tool === "list_files")).toHaveLength(12);
  });
});
