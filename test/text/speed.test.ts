/** How long a huge answer keeps everybody else waiting: 10 MB of mixed markdown as Telegram's, Slack's and Discord's parts. */
import { expect, test } from "vitest";
import { MESSAGE as DISCORD } from "../../adapters/discord/meter.ts";
import { discordMarkdown, withoutLongLinks } from "../../adapters/discord/discord-markdown.ts";
import { markdownSpans } from "../../adapters/shared/markdown-spans.ts";
import type { Span } from "../../adapters/shared/spans.ts";
import { split } from "../../adapters/shared/split.ts";
import { MESSAGE as SLACK } from "../../adapters/slack/meter.ts";
import { richText } from "../../adapters/slack/rich-text.ts";
import { toEntities } from "../../adapters/telegram/entities.ts";
import { MESSAGE as TELEGRAM } from "../../adapters/telegram/meter.ts";
import { unpinged } from "../../adapters/telegram/unpinged.ts";

const LONG = process.env["THREADLINE_LONG"] !== undefined;

const MIXED = `## Findings of the week

Some **bold** words, a [link](https://e.example/a/b), \`code\` and *more* of it: prose that goes on for a while, as
answers do, with (brackets), numbers such as 1.5 and names like @someone.

- one item with **weight**
- another one
  1. nested, once
  2. nested, twice

| name | value |
|---|---|
| alpha | 12 |
| beta | 345 |

\`\`\`ts
const answer = compute(6, 7);

console.log(answer);
\`\`\`

> said once, and quoted

漢字かな交じり文の段落もある。

`;

const PLATFORMS = {
  telegram: (spans: readonly Span[]) => Array.from(split([unpinged(spans)], TELEGRAM), toEntities),
  slack: (spans: readonly Span[]) => Array.from(split([spans], SLACK), richText),
  discord: (spans: readonly Span[]) =>
    Array.from(split([withoutLongLinks(spans)], DISCORD), (part) => discordMarkdown(part)),
};

/** Seconds of this process's own work, whatever else the machine does. */
function seconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const spansOf = (bytes: number): Span[] => {
  const once = markdownSpans(MIXED);
  return Array.from({ length: Math.ceil(bytes / Buffer.byteLength(MIXED)) }).flatMap(() =>
    once.map((span) => ({ ...span })),
  );
};

test.each(["telegram", "slack", "discord"] as const)(
  "an answer for %s four times as long takes about four times as long to cut",
  (platform) => {
    const cut = (bytes: number) => {
      const spans = spansOf(bytes);
      return Math.min(...[1, 2, 3].map(() => seconds(() => void PLATFORMS[platform](spans))));
    };
    cut(100_000);
    // Quadratic time would be sixteen times as long.
    expect(cut(800_000) / cut(200_000)).toBeLessThan(10);
  },
  60_000,
);

test.skipIf(!LONG)(
  "10 MB are split and drawn for each platform in under 5 s (only with THREADLINE_LONG=1: half a minute)",
  () => {
    const spans = spansOf(10_000_000);
    for (const [platform, draw] of Object.entries(PLATFORMS)) {
      const taken = seconds(() => void draw(spans));
      console.log(`${platform}: 10 MB split and drawn in ${taken.toFixed(1)} s`);
      expect(taken).toBeLessThan(5);
    }
  },
  180_000,
);
