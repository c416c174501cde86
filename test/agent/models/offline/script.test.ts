import { describe, expect, it } from "vitest";
import { callOne, replay, type Script, type Step } from "../../../../agent/models/offline/script.ts";

async function* readTwice(): Script {
  const first = yield* callOne("read_file", { path: "/a" });
  const second = yield* callOne("read_file", { path: "/b" });
  return `${first.text} and ${second.text}`;
}
const step = (tool: string, text: string): Step => ({
  calls: [{ tool, args: {} }],
  results: [{ text, failed: false }],
});

describe("replaying a script", () => {
  it("goes on where the messages stop", async () => {
    expect(await replay(readTwice(), [])).toEqual({
      type: "call",
      calls: [{ tool: "read_file", args: { path: "/a" } }],
    });
    expect(await replay(readTwice(), [step("read_file", "A")])).toMatchObject({ calls: [{ args: { path: "/b" } }] });
    expect(await replay(readTwice(), [step("read_file", "A"), step("read_file", "B")])).toEqual({
      type: "say",
      text: "A and B",
    });
  });

  it("passes over steps that another model took in the same turn", async () => {
    const steps = [step("web_search", "x"), step("read_file", "A"), step("write_file", "y"), step("read_file", "B")];
    expect(await replay(readTwice(), steps)).toEqual({ type: "say", text: "A and B" });
  });

  it("stops when the steps do not end", async () => {
    const steps = Array.from({ length: 61 }, () => step("web_search", "x"));
    expect(await replay(readTwice(), steps)).toEqual({ type: "say", text: "I stopped after 60 steps without an end." });
  });
});
