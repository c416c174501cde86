import { describe, expect, it } from "vitest";
import { MESSAGE as DISCORD } from "../../../adapters/discord/meter.ts";
import { fits } from "../../../adapters/shared/limit.ts";
import { progressSpans } from "../../../adapters/shared/progress-spans.ts";
import { textOf } from "../../../adapters/shared/spans.ts";
import type { Span } from "../../../adapters/shared/spans.ts";
import { MESSAGE as SLACK } from "../../../adapters/slack/meter.ts";
import { MESSAGE as TELEGRAM } from "../../../adapters/telegram/meter.ts";
import type { ViewOf } from "../../../gateway/contract.ts";
import { aProgress } from "../web/views.ts";

const PLATFORMS = [
  { platform: "Telegram", limit: TELEGRAM, least: 3600 },
  { platform: "Slack", limit: SLACK, least: 3500 },
  { platform: "Discord", limit: DISCORD, least: 1500 },
];
const asItIs = (spans: readonly Span[]) => spans;
/** Blocks of all kinds, so that there are better and worse places to cut. */
const REPLY = Array.from(
  { length: 12 },
  (_, at) => `## Part ${at}\n\nSome **bold** in part ${at}, ${"and words ".repeat(50)}.\n\n- one\n- two`,
).join("\n\n");

describe.each(PLATFORMS)("the growing reply in the progress message on $platform", ({ limit, least }) => {
  const card = (preview: string, more: Partial<ViewOf<"progress">> = {}) => {
    const spans = progressSpans(aProgress({ preview, ...more }), limit, asItIs);
    expect(fits(spans, limit)).toBe(true);
    return textOf(spans);
  };
  const frame = textOf(progressSpans(aProgress(), limit, asItIs));
  const previewOf = (text: string) => text.slice(frame.length).trim();

  it("grows as far as there is room, stays, and then says that there is more", () => {
    let shown = "";
    for (let end = 90; end < REPLY.length; end += 90) {
      const next = previewOf(card(REPLY.slice(0, end)));
      expect(next.startsWith(shown.replace(/ …$/, ""))).toBe(true);
      if (shown.endsWith("…")) expect(next).toBe(shown);
      shown = next;
    }
    expect(shown.length).toBeGreaterThan(least);
    expect(shown).toMatch(/ …$/);
  });

  it("loses nothing when only the time in the card moves on", () => {
    const at = aProgress().at;
    const after = (ms: number) => card(REPLY, { at: at + ms }).replace(/^[\s\S]*?## |^[\s\S]*?(?=Part 0)/, "");
    expect(after(60_000)).toBe(after(0));
  });
});
