import { describe, expect, it } from "vitest";
import { render as discord } from "../../../adapters/discord/render.ts";
import { render as slack } from "../../../adapters/slack/render.ts";
import { render as telegram } from "../../../adapters/telegram/render.ts";
import { render as web } from "../../../adapters/web/render.ts";
import type { Part, View } from "../../../gateway/contract.ts";
import { SUBAGENT } from "../../../subagents/contract.ts";
import { aProgress, aTask } from "../web/views.ts";

type Render = (view: View) => readonly Part[];
const PLATFORMS: readonly (readonly [string, Render])[] = [
  ["Slack", slack],
  ["Discord", discord],
  ["Telegram", telegram],
  ["the page", web],
];
const usage = (total: number) => ({ usage: { input: total, output: 0, total }, calls: 1 });

describe.each(PLATFORMS)("a progress message on %s", (_platform, render) => {
  it("has the run's total in its heading, once and beside no row's", () => {
    const tasks = [aTask(usage(100)), aTask(usage(200))];
    const card = JSON.stringify(render(aProgress({ tasks, tokens: 1350 })));
    expect(card).toContain("Working… · 1.4k tokens");
    expect(card.match(/\d tokens|\dk tokens/g)?.length).toBe(card.includes('"blocks"') ? 2 * 3 : 3);
    expect(JSON.stringify(render(aProgress({ tasks: [] })))).not.toContain("token");
  });

  it("says each status in a word of its own", () => {
    const states = ["pending", "running", ...SUBAGENT.statuses] as const;
    const cards = states.map((state) => JSON.stringify(render(aProgress({ tasks: [aTask({ state, ...usage(5) })] }))));
    // The page also says it to who does not see the icon.
    const said = cards.map((card) => /"status":"([^"]+)"/.exec(card)?.[1] ?? card);
    expect(new Set(said).size).toBe(states.length);
  });
});

describe.each(PLATFORMS)("a task on %s", (_platform, render) => {
  const shown = (...tasks: Parameters<typeof aTask>[0][]) =>
    JSON.stringify(render(aProgress({ tasks: tasks.map(aTask) })));

  it.each([
    [1, "1 token"],
    [999, "999 tokens"],
    [12_345, "12.3k tokens"],
    [999_949, "999.9k tokens"],
    [999_950, "1.0M tokens"],
  ])("of %i tokens says %j", (total, words) => {
    expect(shown(usage(total))).toMatch(new RegExp(`[^0-9.]${words}[^s]`));
  });

  it.each([
    [{ calls: 0 }, "collecting…"],
    [{ calls: 1 }, "tokens unavailable"],
    [{ calls: 0, state: "cancelled", endedAt: 2000 }, "tokens unavailable"],
  ] as const)("that nobody reported on says so: %j, %s", (fields, words) => {
    expect(shown(fields)).toContain(words);
  });

  it.each([
    ["token_capped", "token limit reached"],
    ["turn_capped", "turn limit reached"],
    ["loop_capped", "stopped in a loop"],
  ] as const)("that a limit ended does not look complete: %s", (stopReason, words) => {
    const capped = shown({ state: "completed", stopReason, ...usage(5), endedAt: 2000 });
    expect(capped).toContain(`${words} · `);
    expect(capped).not.toContain("✓");
    expect(shown({ state: "failed", stopReason, calls: 1, endedAt: 2000 })).toContain(`failed · ${words} · `);
  });

  it.each(["", " \n "])("has a title also without a description: %j", (description) => {
    expect(shown({ description })).toContain("Untitled task");
    expect(shown({ description, label: "Sum" })).toContain("Sum");
  });
});
