/** The progress message, always within one message of the platform. */
import type { ViewOf } from "../../gateway/contract.ts";
import { DRAWINGS, drawRows } from "./progress-rows.ts";
import { progressText } from "./progress-text.ts";
import { shorten } from "./graphemes.ts";
import { growingSpans } from "./growing-spans.ts";
import { fits, takeAll } from "./limit.ts";
import type { Limit } from "./limit.ts";
import { bold, italic, joined, plain, textOf } from "./spans.ts";
import type { Span } from "./spans.ts";

const FOOTER_LENGTH = 200;
const SEPARATOR = "\n\n";
/** The card takes whole pieces of this size, so that a second more in it takes nothing from what was shown below it. */
const CARD_GRAIN = 200;

/** `written`: what the platform makes of the spans before it counts them. */
export function progressSpans(
  view: ViewOf<"progress">,
  limit: Limit,
  written: (spans: readonly Span[]) => readonly Span[],
): Span[] {
  const { heading, rows, footer, preview } = progressText(view);
  let card: Span[] = [];
  for (const drawing of DRAWINGS) {
    const foot = [italic(shorten(footer, FOOTER_LENGTH))];
    card = joined([[bold(heading)], ...drawRows(rows, drawing), foot], "\n");
    if (fits(written(card), limit)) break;
  }
  return preview ? withPreview(card, preview, limit) : card;
}

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
