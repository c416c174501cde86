/**
 * Spans as one block of rich text. Its text is never parsed by Slack, so nothing a model writes can ping anybody or
 * look like a link that it is not. Shapes: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
import { hasMark } from "../shared/spans.ts";
import type { Item, Span } from "../shared/spans.ts";
import { inline, trimmedEnd, trimmedStart } from "./inline.ts";
import { goesOn, isBetweenItems, listed, listOf, oneList } from "./list.ts";
import type { Fields } from "./part.ts";

type Container = "rich_text_section" | "rich_text_quote" | "rich_text_preformatted" | "quoted_preformatted";
type Group =
  | { readonly type: "text"; readonly container: Container; readonly spans: Span[] }
  | { readonly type: "list"; readonly list: Fields; readonly item: Item; readonly spans: Span[] };

export function richText(spans: readonly Span[]): Fields {
  const groups = grouped(spans);
  const elements = groups.flatMap((group, index) => {
    if (group.type === "list")
      return [{ ...group.list, elements: [{ type: "rich_text_section", elements: listed(group) }] }];
    return element(group, index > 0, index < groups.length - 1);
  });
  return { type: "rich_text", elements: oneList(elements) };
}

function grouped(spans: readonly Span[]): Group[] {
  const groups: Group[] = [];
  for (const [index, span] of spans.entries()) {
    const last = groups.at(-1);
    const container = containerOf(span);
    if (span.item && span.starts)
      groups.push({ type: "list", list: listOf(span, span.item), item: span.item, spans: [span] });
    else if (isBetweenItems(span, spans[index + 1])) continue;
    else if (last?.type === "list" && goesOn(last, span)) last.spans.push(span);
    else if (last?.type === "text" && last.container === container) last.spans.push(span);
    else groups.push({ type: "text", container, spans: [span] });
  }
  return groups;
}

function containerOf(span: Span): Container {
  const quoted = hasMark(span, "quote");
  if (hasMark(span, "pre")) return quoted ? "quoted_preformatted" : "rich_text_preformatted";
  return quoted ? "rich_text_quote" : "rich_text_section";
}

/** Each container begins on a line of its own, so the line breaks around it are not needed. */
function element({ container, spans }: Extract<Group, { type: "text" }>, follows: boolean, goesOn: boolean): Fields[] {
  if (container === "rich_text_preformatted")
    return filled(container, spans).map((one) => ({ ...one, ...language(spans) }));
  if (container === "quoted_preformatted") {
    // A quote holds no code; a border at the side is how Slack quotes.
    return filled("rich_text_preformatted", spans).map((one) => ({ ...one, border: 1, ...language(spans) }));
  }
  const from = follows ? trimmedStart(spans) : spans;
  return filled(container, goesOn ? trimmedEnd(from) : from);
}

function filled(type: string, spans: readonly Span[]): Fields[] {
  const elements = spans.filter((span) => span.text !== "").map(inline);
  return elements.length > 0 ? [{ type, elements }] : [];
}

/** https://docs.slack.dev/reference/block-kit/block-elements/rich-text-preformatted-element */
function language([first]: readonly Span[]): Fields {
  const pre = first?.marks.find((mark) => mark.type === "pre");
  return pre?.language !== undefined && /^[\w+#.-]{1,30}$/.test(pre.language) ? { language: pre.language } : {};
}
