import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { TaskState } from "../../subagents/contract.ts";
import { type Script, toolResults } from "../scripted-model.ts";
import { createBench, subagent } from "./bench.ts";

const delegate: Script = (messages) =>
  toolResults(messages)[0]?.text ?? {
    toolCalls: [{ name: "task", args: { description: "w", prompt: "p", subagent_type: "worker" } }],
  };
const never = new Promise<never>(() => undefined);
const broken = Object.assign(new Error("bad request"), { status: 400 });

/** What is left over when a run is over whose task ended in this way. */
async function leftOver(work: Script, leave?: "stop" | "detach") {
  const stop = new AbortController();
  const bench = createBench({
    scripts: { lead: delegate, work },
    subagents: [subagent("worker", { model: "work", timeoutMs: 400 })],
  });
  for await (const event of bench.start(bench.say("go"), stop.signal)) {
    if (event.type !== "task" || event.task.state !== "running") continue;
    if (leave === "detach") break;
    if (leave === "stop") stop.abort();
  }
  await setTimeout(300);
  const [task] = bench.ledger.tasks(bench.say("go").runId);
  return { state: task?.state, left: [bench.slots.taken, bench.callsUnderWay()] };
}

describe("a run that is over", () => {
  it.each<[TaskState, Script, ("stop" | "detach")?]>([
    ["completed", () => "report"],
    ["failed", () => ({ error: broken })],
    ["cancelled", () => ({ until: never }), "stop"],
    ["timed_out", () => ({ until: never })],
    ["running", () => ({ until: never }), "detach"],
  ])("with a task that is %s has no slot and no model call left", async (state, work, leave) => {
    expect(await leftOver(work, leave)).toEqual({ state, left: [0, 0] });
  });

  it("forgets a call whose client keeps silent for ever, ten minutes later", async () => {
    let now = 0;
    const bench = createBench({
      scripts: {
        lead: (messages, context) => (messages.at(-1)?.text === "again" ? "hello" : delegate(messages, context)),
        work: () => ({ until: never, deaf: true }),
      },
      subagents: [subagent("worker", { model: "work", timeoutMs: 50 })],
      now: () => now,
    });
    await bench.run(bench.say("go"));
    expect(bench.callsUnderWay()).toBe(1);
    now += 11 * 60_000;
    await bench.run(bench.say("again", "run-2"));
    expect(bench.callsUnderWay()).toBe(0);
  });
});
