/**
 * Spans as one block of rich text. Its text is never parsed by Slack, so nothing a model writes can ping anybody or
 * look like a link that it is not. Shapes: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
import { linkOf } from "../shared/link.ts";
import { hasMark } from "../shared/spans.ts";
import type { Span } from "../shared/spans.ts";
import type { Fields } from "./part.ts";

type Container = "rich_text_section" | "rich_text_quote" | "rich_text_preformatted" | "quoted_preformatted";
interface Group {
  readonly container: Container;
  readonly spans: Span[];
}

export function richText(spans: readonly Span[]): Fields {
  const groups = grouped(spans);
  const elements = groups.flatMap((group, index) => element(group, index > 0, index < groups.length - 1));
  return { type: "rich_text", elements };
}

function grouped(spans: readonly Span[]): Group[] {
  const groups: Group[] = [];
  for (const span of spans) {
    const container = containerOf(span);
    const last = groups.at(-1);
    if (last?.container === container) last.spans.push(span);
    else groups.push({ container, spans: [span] });
  }
  return groups;
}

function containerOf(span: Span): Container {
  const quoted = hasMark(span, "quote");
  if (hasMark(span, "pre")) return quoted ? "quoted_preformatted" : "rich_text_preformatted";
  return quoted ? "rich_text_quote" : "rich_text_section";
}

/** Each container begins on a line of its own, so the line breaks around it are not needed. */
function element({ container, spans }: Group, follows: boolean, goesOn: boolean): Fields[] {
  if (container === "rich_text_preformatted") return filled(container, spans);
  if (container === "quoted_preformatted") {
    // A quote holds no code; a border at the side is how Slack quotes.
    return filled("rich_text_preformatted", spans).map((one) => ({ ...one, border: 1 }));
  }
  const from = follows ? trimmedStart(spans) : spans;
  return filled(container, goesOn ? trimmedEnd(from) : from);
}

function filled(type: string, spans: readonly Span[]): Fields[] {
  const elements = spans.filter((span) => span.text !== "").map(inline);
  return elements.length > 0 ? [{ type, elements }] : [];
}

function trimmedStart(spans: readonly Span[]): Span[] {
  const [first, ...rest] = spans;
  if (!first) return [];
  const text = first.text.replace(/^\n+/, "");
  return text === "" ? trimmedStart(rest) : [{ ...first, text }, ...rest];
}

function trimmedEnd(spans: readonly Span[]): Span[] {
  const last = spans.at(-1);
  if (!last) return [];
  const rest = spans.slice(0, -1);
  const text = last.text.replace(/\n+$/, "");
  return text === "" ? trimmedEnd(rest) : [...rest, { ...last, text }];
}

function inline(span: Span): Fields {
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
