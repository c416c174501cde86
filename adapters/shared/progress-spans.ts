/** The progress message, always within one message of the platform. */
import type { ViewOf } from "../../gateway/contract.ts";
import { progressText } from "./progress-text.ts";
import type { ProgressRow } from "./progress-text.ts";
import { shorten } from "./graphemes.ts";
import { growingSpans } from "./growing-spans.ts";
import { fits, takeAll } from "./limit.ts";
import type { Limit } from "./limit.ts";
import { bold, italic, joined, plain, textOf } from "./spans.ts";
import type { Span } from "./spans.ts";

/** From the most to the least generous; the last one fits 2000 units: 8 rows of at most 154, heading and footer. */
const SIZES = [
  { title: 200, rows: 40 },
  { title: 80, rows: 40 },
  { title: 30, rows: 20 },
  { title: 30, rows: 8 },
] as const;
const DETAILS_LENGTH = 120;
const SEPARATOR = "\n\n";
/** The card takes whole pieces of this size, so that a second more in it takes nothing from what was shown below it. */
const CARD_GRAIN = 200;

export function progressSpans(view: ViewOf<"progress">, limit: Limit): Span[] {
  const text = progressText(view);
  const framed = (size: (typeof SIZES)[number]) =>
    joined([[bold(text.heading)], ...rowSpans(text.rows, size), [italic(shorten(text.footer, 200))]], "\n");
  const candidates = SIZES.map(framed);
  const card = candidates.find((spans) => fits(spans, limit)) ?? candidates.at(-1) ?? [];
  return text.preview ? withPreview(card, text.preview, limit) : card;
}

/** The newest rows; how many earlier ones there were is said. */
function rowSpans(rows: readonly ProgressRow[], size: (typeof SIZES)[number]): Span[][] {
  const hidden = Math.max(0, rows.length - size.rows);
  const shown = rows
    .slice(hidden)
    .map(({ icon, title, details }) => [
      plain(`${icon} ${shorten(oneLine(title), size.title)}\n`),
      italic(shorten(details, DETAILS_LENGTH)),
    ]);
  return hidden > 0 ? [[plain(`… ${hidden} earlier`)], ...shown] : shown;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function withPreview(card: readonly Span[], markdown: string, limit: Limit): Span[] {
  const preview = growingSpans(markdown, besides(card, limit));
  return preview.length > 0 ? joined([card, preview], SEPARATOR) : [...card];
}

/** What the card leaves. */
function besides(card: readonly Span[], limit: Limit): Limit {
  const filler = plain(SEPARATOR.padEnd(CARD_GRAIN - (textOf(card).length % CARD_GRAIN), "x"));
  return () => {
    const meter = limit();
    takeAll(meter, [...card, filler]);
    return meter;
  };
}
