import { describe, expect, it } from "vitest";
import { dateLayer } from "../../../agent/prompt/date.ts";
import { buildPrompt } from "../../../agent/prompt/prompt.ts";
import { subagentsLayer } from "../../../agent/prompt/subagents.ts";
import { workingDirectoryLayer } from "../../../agent/prompt/working-directory.ts";
import { generalPurpose } from "../../../subagents/general-purpose.ts";

describe("the prompt", () => {
  it("of the lead agent is, byte by byte, the one that was read and agreed on", async () => {
    const limits = { perResponse: 3, perRun: 6 };
    const prompt = buildPrompt({ name: "Threadline", subagents: [generalPurpose], limits });
    await expect(`${prompt}\n`).toMatchFileSnapshot("./lead-agent.prompt.md");
  });

  it.each([1, 3, 4])("states the limit of %i tasks a response as it is configured", (perResponse) => {
    const layer = subagentsLayer([generalPurpose], { perResponse, perRun: 7 });
    expect(layer).toContain(`at most ${perResponse} task call${perResponse === 1 ? "" : "s"} in one response`);
    expect(layer).toContain("7 in one turn");
  });

  it("of a subagent is, byte by byte, the one that was read and agreed on", async () => {
    const prompt = `${generalPurpose.systemPrompt}\n\n${workingDirectoryLayer()}`;
    await expect(`${prompt}\n`).toMatchFileSnapshot("./general-purpose.prompt.md");
  });

  it("ends with the date where the person is", () => {
    const newYear = Date.UTC(2026, 11, 31, 23, 30);
    expect(dateLayer(newYear, "Europe/Berlin")).toBe("<current_date>2027-01-01, Friday (Europe/Berlin)</current_date>");
    expect(dateLayer(newYear, "America/New_York")).toBe(
      "<current_date>2026-12-31, Thursday (America/New_York)</current_date>",
    );
  });
});
