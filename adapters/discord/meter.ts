/**
 * How Discord counts a message: the length of the markdown that `discordMarkdown` makes, never less and hardly ever
 * more. It is added up unit by unit, because writing the markdown anew for each word would take quadratic time.
 */
import { linkOf } from "../shared/link.ts";
import type { Meter } from "../shared/limit.ts";
import { hasMark } from "../shared/spans.ts";
import type { Span } from "../shared/spans.ts";
import { INLINE, isAddress, linkedAddress, shownLanguage } from "./discord-markdown.ts";
import { meterText } from "./text-meter.ts";
import type { Writing } from "./text-meter.ts";

/** Discord: 1 to 2000 characters of `content` for a bot, markdown included; UTF-16 units are the safe count. */
const MAX_UNITS = 2000;

/** Room for one message. */
export function MESSAGE(): Meter {
  let units = 0;
  let last: Span | undefined;
  let text = meterText("escaped", false);
  /** A link whose address is not written apart from its label so far. */
  let bare: string | undefined;
  const enter = (span: Span) => {
    if (!last || !sameLink(span, last) || entersQuote(span, last)) bare = linkOf(span)?.url;
    units += delimiters(span, last);
    text = meterText(writingOf(span), hasMark(span, "quote"));
  };
  return {
    take(span, start, end) {
      const isNew = span !== last;
      if (isNew) enter(span);
      last = span;
      if (bare !== undefined && !(isNew && start === 0 && end === span.text.length && isAddress(span.text, bare))) {
        units += linkedAddress(bare).length + "[](<>)".length;
        bare = undefined;
      }
      units += text(span.text, start, end);
      return units <= MAX_UNITS;
    },
  };
}

const writingOf = (span: Span): Writing => (hasMark(span, "pre") ? "pre" : hasMark(span, "code") ? "code" : "escaped");

/** What is written around a span that follows `last`, with the line breaks that a block needs around it. */
function delimiters(span: Span, last: Span | undefined): number {
  const quoted = hasMark(span, "quote");
  return (
    torn(span, last) +
    (entersQuote(span, last) ? "\n> \n".length : 0) +
    (fence(span, quoted) ?? inlineMarks(span, last))
  );
}

const STYLES = ["bold", "italic", "strikethrough", "code"] as const;
const isStyled = (span: Span): boolean => STYLES.some((type) => hasMark(span, type));

/** What keeps two delimiters apart, or one from a character that looks like it. */
const torn = (span: Span, last: Span | undefined): number =>
  last && isStyled(span) && (isStyled(last) || /[*~`]$/.test(last.text.slice(-1))) ? 1 : 0;

/** An address without a label stands in these. */
const BARE = "<>".length;
const MARKS = { link: BARE, bold: 4, italic: 2, strikethrough: 4 } as const;

function fence(span: Span, quoted: boolean): number | undefined {
  const pre = span.marks.find((mark) => mark.type === "pre");
  if (!pre) return undefined;
  const lines = "\n```\n\n```\n";
  return lines.length + shownLanguage(pre.language ?? "").length + (quoted ? 4 * "> ".length : 0);
}

/** A mark is opened anew when one around it changes. */
function inlineMarks(span: Span, last: Span | undefined): number {
  let opens = !last || hasMark(last, "pre") || hasMark(last, "quote") !== hasMark(span, "quote");
  let units = hasMark(span, "code") ? "``".length : 0;
  for (const type of INLINE) {
    const has = hasMark(span, type);
    opens ||= has !== (last !== undefined && hasMark(last, type)) || (type === "link" && !sameLink(span, last));
    if (opens && has) units += MARKS[type];
  }
  return units;
}

const entersQuote = (span: Span, last: Span | undefined): boolean =>
  hasMark(span, "quote") && !(last && hasMark(last, "quote"));

const sameLink = (span: Span, last: Span | undefined): boolean => linkOf(span)?.url === (last && linkOf(last)?.url);
