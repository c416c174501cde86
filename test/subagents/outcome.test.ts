import { createHash } from "node:crypto";
import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { TerminalState } from "../../subagents/contract.ts";
import { endedEvent, runningEvent } from "../../subagents/events.ts";
import { brief, outcomeMessage, outcomeMetadata, outcomeText } from "../../subagents/outcome.ts";
import { executionId } from "../../subagents/contract.ts";

const running = {
  taskId: "t",
  executionId: executionId("e"),
  order: 1,
  description: "d",
  subagent: "s",
  model: "M",
  state: "running" as const,
  calls: 0,
  steps: 0,
  startedAt: 0,
};

describe("the text of a result", () => {
  it.each([
    [{ state: "completed", result: "R" }, "Task Succeeded. Result: R"],
    [{ state: "completed", result: "R", stopReason: "turn_capped" }, "Task Succeeded (capped: turn budget). Result: R"],
    [{ state: "failed", error: "E" }, "Task failed. Error: E"],
    [{ state: "failed" }, "Task failed."],
    [{ state: "failed", error: "E", stopReason: "token_capped" }, "Task failed (capped: token budget). Error: E"],
    [{ state: "failed", stopReason: "loop_capped" }, "Task failed (capped: repeated tool-call loop)."],
    [{ state: "cancelled" }, "Task cancelled by user."],
    [{ state: "cancelled", error: "E" }, "Task cancelled by user. Error: E"],
    [{ state: "timed_out", error: "E" }, "Task timed out. Error: E"],
    [{ state: "timed_out" }, "Task timed out."],
    [{ state: "polling_timed_out" }, "Task polling timed out."],
  ] as const)("%j reads %j", (outcome, text) => {
    expect(outcomeText(outcome)).toBe(text);
  });
});

describe("the metadata of a result", () => {
  it("has all seven keys when all is known", () => {
    const result = "ü".repeat(3000);
    const usage = { input: 1, output: 2, total: 3 };
    const full = outcomeMetadata(
      { state: "completed", result, stopReason: "turn_capped" },
      { taskId: "t", modelName: " M ", usage },
    );
    expect(full).toEqual({
      subagent_status: "completed",
      subagent_stop_reason: "turn_capped",
      subagent_result_brief: brief(result),
      subagent_result_sha256: createHash("sha256").update(result, "utf8").digest("hex"),
      subagent_model_name: "M",
      subagent_token_usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
    const failed = outcomeMetadata({ state: "failed", error: ` ${"e".repeat(3000)}` }, { taskId: "t" });
    expect(failed).toEqual({ subagent_status: "failed", subagent_error: "e".repeat(2000) });
  });

  it("leaves out what is blank", () => {
    expect(outcomeMetadata({ state: "completed", result: " " }, { taskId: "t", modelName: " " })).toEqual({
      subagent_status: "completed",
    });
  });

  it("is never made with a status or stop reason that the contract does not know", () => {
    const typo = JSON.parse('"complete"') as TerminalState;
    expect(() => outcomeMessage({ state: typo }, { taskId: "t" })).toThrow('got "complete"');
    const reason = JSON.parse('"capped"') as "turn_capped";
    expect(() => outcomeMetadata({ state: "failed", stopReason: reason }, { taskId: "t" })).toThrow('got "capped"');
  });

  it("shortens a long result to its first two thirds and its tail", () => {
    const short = brief(`${"a".repeat(2000)}${"b".repeat(2000)}`);
    expect(short).toHaveLength(2000);
    expect(short).toMatch(/^a{1333}\n\.\.\.\nb{662}$/);
    expect(brief("short")).toBe("short");
  });

  it.each(["", "x"])("never cuts a text inside a character: after %j", (before) => {
    const faces = `${before}${"😀".repeat(3000)}`;
    const failed = outcomeMetadata({ state: "failed", error: faces }, { taskId: "t" });
    const event = runningEvent({ ...running, steps: 1 }, new AIMessage(faces), 1);
    const texts = [brief(faces), failed["subagent_error"], event.type === "task_running" ? event.message.text : ""];
    for (const text of texts) {
      expect(String(text).length).toBeGreaterThan(1990);
      expect(encodeURIComponent(String(text))).not.toBe(""); // throws for half a pair
    }
  });
});

describe("the last event of a task", () => {
  it("tells the two clocks apart, and has no invented usage", () => {
    expect(endedEvent({ ...running, state: "polling_timed_out", error: "x" })).toEqual({
      type: "task_timed_out",
      status: "polling_timed_out",
      task_id: "t",
      model_name: "M",
      usage: null,
    });
    expect(endedEvent({ ...running, state: "timed_out", error: "x" })).toMatchObject({
      type: "task_timed_out",
      status: "timed_out",
      error: "x",
    });
    expect(endedEvent({ ...running, state: "running" })).toBeUndefined();
  });
});
