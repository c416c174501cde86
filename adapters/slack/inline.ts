/** The elements of a line of rich text. */
import { linkOf } from "../shared/link.ts";
import { withoutLinksOver } from "../shared/long-links.ts";
import { hasMark } from "../shared/spans.ts";
import type { Span } from "../shared/spans.ts";
import type { Fields } from "./part.ts";

/** Slack: an address has at most 3000 characters. */
const MAX_URL = 3000;

export const withoutLongLinks = (spans: readonly Span[]): Span[] => withoutLinksOver(spans, MAX_URL);

export function inline(span: Span): Fields {
  const { text } = span;
  const url = linkOf(span)?.url;
  const style = styleOf(span);
  if (url === undefined) return { type: "text", text, ...style };
  return { type: "link", url, text, ...style };
}

const STYLES = { bold: "bold", italic: "italic", strikethrough: "strike", code: "code" } as const;

function styleOf(span: Span): Fields {
  const names = (Object.keys(STYLES) as (keyof typeof STYLES)[]).filter((mark) => hasMark(span, mark));
  return names.length > 0 ? { style: Object.fromEntries(names.map((mark) => [STYLES[mark], true])) } : {};
}

export function trimmedStart(spans: readonly Span[]): Span[] {
  const [first, ...rest] = spans;
  if (!first) return [];
  const text = first.text.replace(/^\n+/, "");
  return text === "" ? trimmedStart(rest) : [{ ...first, text }, ...rest];
}

export function trimmedEnd(spans: readonly Span[]): Span[] {
  const last = spans.at(-1);
  if (!last) return [];
  const rest = spans.slice(0, -1);
  const text = last.text.replace(/\n+$/, "");
  return text === "" ? trimmedEnd(rest) : [...rest, { ...last, text }];
}
