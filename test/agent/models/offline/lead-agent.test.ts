/** The offline model in the real lead agent, over the real tools and subagents: what both sides say must fit. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { AgentEvent, InputFile, RunInput } from "../../../../agent/contract.ts";
import { createLeadAgent } from "../../../../agent/lead-agent.ts";
import { createSlots } from "../../../../subagents/slots.ts";
import { personId, runId, threadId } from "../../../../subagents/contract.ts";
import { createMemoryLedger } from "../../memory-ledger.ts";
import { model } from "./offline-agent.ts";
import { tempFolder } from "../../../helpers.ts";
import { watchedModels } from "../../watched-models.ts";

function openThread(files: Readonly<Record<string, string>> = {}, limits = { perResponse: 3, perRun: 6 }) {
  const folder = tempFolder();
  for (const area of ["workspace", "uploads", "outputs"]) mkdirSync(path.join(folder, area));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, "uploads", name), text);
  const ledger = createMemoryLedger();
  const agent = createLeadAgent({
    ...watchedModels(ledger, [{ name: "offline", provider: "offline", model: "offline" }], () => model()),
    subagents: [],
    slots: createSlots(32),
    limits,
    checkpointer: new MemorySaver(),
    ledger,
    log: pino({ level: "silent" }),
    now: () => Date.parse("2026-11-30T12:00:00Z"),
  });
  const base = () => ({
    runId: runId("run"),
    threadId: threadId("thread"),
    principal: { id: personId("ana"), name: "Ana" },
    context: { platform: "web", audience: "shared" as const, folder, timezone: "Asia/Tokyo" },
  });
  const run = async (input: RunInput) => {
    const events: AgentEvent[] = [];
    for await (const event of agent.run(input, new AbortController().signal)) events.push(event);
    return events;
  };
  const stored: InputFile[] = Object.entries(files).map(([name, text]) => ({
    type: "stored",
    name,
    path: `/uploads/${name}`,
    sizeBytes: text.length,
  }));
  return {
    ledger,
    read: (virtual: string) => readFileSync(path.join(folder, virtual), "utf8"),
    say: (text: string) =>
      run({
        ...base(),
        type: "messages",
        messages: [{ id: "m1", type: "request", author: "Ana", text, files: stored }],
      }),
    press: (interrupt: string, value: string) =>
      run({
        ...base(),
        type: "answers",
        byInterrupt: { [interrupt]: { type: "option", optionId: "option-1", value } },
      }),
  };
}
const reply = (events: readonly AgentEvent[]) => events.findLast((event) => event.type === "text")?.markdown;

describe("the offline model in the lead agent", () => {
  it("delegates as many parts as it may, as many at once as it may, and does the others itself", async () => {
    const thread = openThread({}, { perResponse: 1, perRun: 2 });
    expect(reply(await thread.say("1. calculate 1 + 1\n2. calculate 2 + 2\n3. calculate 3 + 3"))).toBe(
      "**1.** 1 + 1 = 2\n\n**2.** 2 + 2 = 4\n\n**3.** 3 + 3 = 6",
    );
    expect(thread.ledger.tasks(runId("run"))).toHaveLength(2);
  });

  it("tells the time where the person is", async () => {
    expect(reply(await openThread().say("what time is it?"))).toBe(
      "It is 21:00 on Monday, 30 November 2026 (Asia/Tokyo).",
    );
  });

  it("asks with options, and goes on with the one that was pressed", async () => {
    const thread = openThread();
    const asked = (await thread.say("convert 100 degrees")).find((event) => event.type === "question")?.request;
    expect(asked?.input).toMatchObject({ options: [{ label: "°C" }, { label: "°F" }] });
    expect(reply(await thread.press(asked?.interruptId ?? "", "°F"))).toBe("100 °F ≈ 37.78 °C");
  });

  it("searches two files by two subagents whose tokens grow from step to step", async () => {
    const thread = openThread({
      "a.md": "# Tea\nTea & milk are sold on Monday.",
      "b.md": "# Coffee\nCoffee is sold on Friday.",
    });
    const events = await thread.say("search for milk in a.md and search for coffee in b.md");
    const tasks = events.flatMap((event) => (event.type === "task" ? [event.task] : []));
    const last = new Map(tasks.map((task) => [task.executionId, task]));
    expect([...last.values()].map(({ state, model: label, calls }) => [state, label, calls])).toEqual([
      ["completed", "offline", 3],
      ["completed", "offline", 3],
    ]);
    for (const id of last.keys()) {
      const totals = tasks.filter((task) => task.executionId === id).map(({ usage }) => usage?.total ?? 0);
      expect(new Set(totals).size).toBeGreaterThan(2);
      expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    }
    expect(reply(events)).toContain("> Tea & milk are sold on Monday.\n\n[citation:a.md](/uploads/a.md)");
    expect(reply(events)).toContain("> Coffee is sold on Friday.");
    expect(events.at(-1)).toEqual({ type: "end", outcome: "done" });
  });

  it("hands over the file that it wrote", async () => {
    const thread = openThread();
    const events = await thread.say("make a markdown list: tea, coffee");
    expect(events.find((event) => event.type === "file")?.path).toMatch(/outputs\/list\.md$/);
    expect(thread.read("/outputs/list.md")).toBe("- tea\n- coffee\n");
  });

  it("tells a tool's refusal as it is", async () => {
    const events = await openThread({ "x.bin": "a\0b" }).say("describe the file");
    expect(reply(events)).toBe(
      "`/uploads/x.bin` could not be read: /uploads/x.bin is not a text file (3 B) and cannot be read.",
    );
  });
});
