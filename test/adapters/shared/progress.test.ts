import fc from "fast-check";
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

/** The lines that a person reads, whatever the platform makes of them. */
function linesOf(part: Part | undefined): string[] {
  const text = (value: unknown): string => {
    if (typeof value === "string") return "";
    if (Array.isArray(value)) return value.map(text).join("");
    if (typeof value !== "object" || value === null) return "";
    return "text" in value && typeof value.text === "string" ? value.text : Object.values(value).map(text).join("");
  };
  const { blocks, content, text: plain } = part ?? {};
  const words = blocks === undefined ? text({ text: content ?? plain }) : text(blocks);
  return words.split("\n");
}
const LIVE_OR_FAILED = ["pending", "running", "failed", "timed_out", "polling_timed_out"] as const;
const ICONS = { pending: "◌", running: "⏳", failed: "✗", timed_out: "⏱", polling_timed_out: "⏱" } as const;
const CHATS = PLATFORMS.filter(([name]) => name !== "the page");

describe.each(CHATS)("fifty tasks on %s", (_platform, render) => {
  const words = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 90 }),
    fc
      .constantFrom("*@name* ", "~|<>_` ", "界面 ", "😀", "https://example.org/a_b ", "\n# ")
      .map((one) => one.repeat(30)),
  );
  const task = fc
    .record({
      description: words.map((one) => `t${one}`),
      subagent: fc.constantFrom("researcher", "general-purpose"),
      model: fc.oneof({ weight: 6, arbitrary: fc.constantFrom("Claude Sonnet", "GPT", "M_".repeat(99)) }, words),
      state: fc.constantFrom("pending", "running", ...SUBAGENT.statuses),
      total: fc.option(fc.nat(3_000_000), { nil: undefined }),
      endedAt: fc.nat(9_000_000),
    })
    .map(({ total, ...fields }) => aTask({ ...fields, ...(total !== undefined && usage(total)) }));

  it("are one message within the platform's limits that hides none which is queued, runs, failed or ran out of time", () => {
    fc.assert(
      fc.property(fc.array(task, { minLength: 50, maxLength: 50 }), words, (tasks, preview) => {
        const parts = render(aProgress({ tasks, tokens: 617_250, preview, stopToken: "t-stop" }));
        expect(parts).toHaveLength(1);
        const lines = linesOf(parts[0]);
        expect(lines.some((line) => line.includes("Claude Opus · 4 s"))).toBe(true);
        for (const state of LIVE_OR_FAILED) {
          const icon = ICONS[state];
          const expected = tasks.filter(
            (one) => state in ICONS && ICONS[one.state as keyof typeof ICONS] === icon,
          ).length;
          expect(lines.filter((line) => line.startsWith(`${icon} t`))).toHaveLength(expected);
        }
        const summed = lines.flatMap((line) => /^[✓◼] (\d+) (?:done|cancelled)/.exec(line)?.[1] ?? []).map(Number);
        const own = lines.filter((line) => /^[✓◼] t/.test(line)).length;
        const ended = tasks.filter(({ state }) => state === "completed" || state === "cancelled").length;
        expect(summed.reduce((sum, one) => sum + one, own)).toBe(ended);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  }, 60_000);

  it("keep two lines each where there is room, and else the four that run stay in sight", () => {
    const done = Array.from({ length: 46 }, (_, index) =>
      aTask({ state: "completed", endedAt: 5000, description: `Read chapter ${index}`, ...usage(12_345) }),
    );
    const live = Array.from({ length: 4 }, (_, index) => aTask({ description: `Compare part ${index}` }));
    const few = linesOf(render(aProgress({ tasks: [...live, ...done.slice(0, 2)] }))[0]);
    expect(few).toHaveLength(1 + 2 * 6 + 1);
    const many = linesOf(render(aProgress({ tasks: [...live, ...done], tokens: 617_250 }))[0]);
    expect(many[0]).toContain("Working… · 617.3k tokens");
    for (const { description } of live) expect(many.some((line) => line.includes(description))).toBe(true);
  });

  it("that end with one model are one line with their tokens, when there are hundreds", () => {
    const done = Array.from({ length: 400 }, () => aTask({ state: "completed", endedAt: 5000, ...usage(1000) }));
    const lines = linesOf(render(aProgress({ tasks: [aTask({ description: "Go on" }), ...done] }))[0]);
    expect(lines).toContain("✓ 400 done · Claude Sonnet · 400.0k tokens");
    expect(lines).toContain("⏳ Go on");
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
