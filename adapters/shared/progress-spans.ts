/** The progress message, always within one message of the platform. */
import type { ViewOf } from "../../gateway/contract.ts";
import { progressText } from "./progress-text.ts";
import type { ProgressRow } from "./progress-text.ts";
import { markdownSpans } from "./markdown-spans.ts";
import { shorten } from "./graphemes.ts";
import { fits, takeAll } from "./limit.ts";
import type { Limit } from "./limit.ts";
import { bold, italic, joined, plain } from "./spans.ts";
import type { Span } from "./spans.ts";
import { split } from "./split.ts";

/** From the most to the least generous; the last one fits 2000 units: 8 rows of at most 154, heading and footer. */
const SIZES = [
  { title: 200, rows: 40 },
  { title: 80, rows: 40 },
  { title: 30, rows: 20 },
  { title: 30, rows: 8 },
] as const;
const DETAILS_LENGTH = 120;
const PREVIEW_LENGTH = 1000;
const SEPARATOR = "\n\n";
const ELLIPSIS = " …";

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
  // Drawn again with every edit: only what can be seen is parsed.
  const start = markdown.slice(0, 3 * PREVIEW_LENGTH);
  const whole = markdownSpans(start);
  const beside = (preview: readonly Span[]): Span[] => joined([card, [...preview, plain(ELLIPSIS)]], SEPARATOR);
  const room = besides(beside([]), limit);
  const [beginning, ...more] = split([whole], room);
  // A single character is taken by definition of `split`, also where nothing fits.
  if (!beginning || !fits(beginning, room)) return [...card];
  const isCut = more.length > 0 || start.length < markdown.length;
  return isCut ? beside(beginning) : joined([card, beginning], SEPARATOR);
}

/** The card takes its share; a preview that is too much in any way of counting is cut. */
function besides(card: readonly Span[], limit: Limit): Limit {
  return () => {
    const meter = limit();
    takeAll(meter, card);
    let left = PREVIEW_LENGTH;
    return {
      take(span, start, end) {
        left -= end - start;
        return meter.take(span, start, end) && left >= 0;
      },
    };
  };
}
