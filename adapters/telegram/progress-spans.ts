/** The progress message, always within one Telegram message. */
import type { ViewOf } from "../../gateway/contract.ts";
import { progressText } from "../shared/progress-text.ts";
import type { ProgressRow } from "../shared/progress-text.ts";
import { markdownSpans } from "./markdown-spans.ts";
import { bold, italic, joined, plain, textOf } from "./spans.ts";
import type { Span } from "./spans.ts";
import { MAX_TEXT, shorten, split } from "./split.ts";

/** From the most to the least generous; the last one always fits: 20 rows of at most 154 units, heading and footer. */
const SIZES = [
  { title: 200, rows: 40 },
  { title: 80, rows: 40 },
  { title: 30, rows: 20 },
] as const;
const DETAILS_LENGTH = 120;
const PREVIEW_LENGTH = 1000;
/** Rows take one entity each, names in a title may take more: the preview gets what stays under the limit. */
const PREVIEW_ENTITIES = 40;

export function progressSpans(view: ViewOf<"progress">): Span[] {
  const text = progressText(view);
  const framed = (size: (typeof SIZES)[number]) =>
    joined([[bold(text.heading)], ...rowSpans(text.rows, size), [italic(shorten(text.footer, 200))]], "\n");
  const candidates = SIZES.map(framed);
  const card = candidates.find((spans) => textOf(spans).length <= MAX_TEXT) ?? candidates.at(-1) ?? [];
  return text.preview ? withPreview(card, text.preview) : card;
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

function withPreview(card: readonly Span[], markdown: string): Span[] {
  const room = Math.min(PREVIEW_LENGTH, MAX_TEXT - textOf(card).length - 4);
  if (room < 40) return [...card];
  // Drawn again with every edit: only what can be seen is parsed.
  const start = markdown.slice(0, 3 * PREVIEW_LENGTH);
  const [beginning, ...more] = split(markdownSpans(start), room, PREVIEW_ENTITIES);
  const isCut = more.length > 0 || start.length < markdown.length;
  return beginning ? joined([card, isCut ? [...beginning, plain(" …")] : beginning], "\n\n") : [...card];
}
