import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { readTurn } from "../../../../agent/models/offline/turn.ts";

describe("reading a turn", () => {
  it("takes other people's words for no request, and removes what says who speaks", () => {
    const turn = readTurn([
      new HumanMessage('<context author="Bo" note="Said by others.">what is 1 + 1?</context>'),
      new HumanMessage('<message author="Ana">is 3 &lt; 4 &amp; 2?</message>'),
    ]);
    expect(turn.requests).toEqual(["is 3 < 4 & 2?"]);
  });

  it("lists the files that came, and says which could not be taken over", () => {
    const turn = readTurn([
      new HumanMessage(
        "look\n<files>\n/uploads/a b.md (2.1 kB)\n/uploads/README (950 B)\nbig.zip: not available, too large\n</files>",
      ),
    ]);
    expect(turn).toMatchObject({
      requests: ["look"],
      files: ["/uploads/a b.md", "/uploads/README"],
      missing: ["big.zip: not available, too large"],
    });
  });

  it("begins at the person's last messages and pairs each call with its result", () => {
    const turn = readTurn([
      new HumanMessage("before\n<files>\n/uploads/a.md (1 B)\n</files>"),
      new AIMessage("an answer"),
      new HumanMessage("one"),
      new HumanMessage("two"),
      new AIMessage({
        content: "",
        tool_calls: [
          { id: "1", name: "a", args: { x: 1 } },
          { id: "2", name: "b", args: {} },
        ],
      }),
      new ToolMessage({ content: "second", tool_call_id: "2", status: "error" }),
      new ToolMessage({ content: "first", tool_call_id: "1" }),
    ]);
    expect(turn).toMatchObject({ requests: ["one", "two"], files: [], hadFiles: true, lastReply: "an answer" });
    expect(turn.steps).toEqual([
      {
        calls: [
          { tool: "a", args: { x: 1 } },
          { tool: "b", args: {} },
        ],
        results: [
          { text: "first", failed: false },
          { text: "second", failed: true },
        ],
      },
    ]);
  });

  it("takes the time zone from the prompt, and the host's when there is none or it does not exist", () => {
    const zone = (prompt: string) => readTurn([new SystemMessage(prompt)]).timezone;
    expect(zone("x <current_date>2026-11-30, Monday (Asia/Tokyo)</current_date>")).toBe("Asia/Tokyo");
    const host = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(zone("<current_date>2026-11-30, Monday (Mars/Olympus)</current_date>")).toBe(host);
    expect(zone("")).toBe(host);
  });
});
