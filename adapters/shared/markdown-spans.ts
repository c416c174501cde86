/** A markdown tree as styled text. What chats have no type for stays readable as text; nothing is left out. */
import type { BlockContent, DefinitionContent, List, ListItem, PhrasingContent, RootContent, Table } from "mdast";
import { markdownBlocks } from "./markdown.ts";
import { labelOr, linkSpans } from "./link.ts";
import { hasMark, INDENT, joined, marked, plain, textOf } from "./spans.ts";
import type { Item, Span } from "./spans.ts";
import { tableSpans } from "./table.ts";

/** Never throws. What platforms replace or refuse does not survive: see `markdownSource`. */
export function markdownSpans(markdown: string): Span[] {
  return Array.from(spanBlocks(markdown)).flat();
}

/** The same block by block, each but the first with what separates it from the one before. */
export function spanBlocks(markdown: string): Generator<Span[]> {
  return blockSpans(markdownBlocks(markdown));
}

export function* blockSpans(nodes: Iterable<RootContent>): Generator<Span[]> {
  let isFirst = true;
  for (const node of nodes) {
    const spans = block(node);
    if (!isShown(spans)) continue;
    yield isFirst ? spans : [plain("\n\n"), ...spans];
    isFirst = false;
  }
}

const isShown = (spans: readonly Span[]): boolean => spans.some((span) => span.text !== "");

type Block = RootContent | BlockContent | DefinitionContent;

function blocks(nodes: readonly Block[], separator: string): Span[] {
  return joined(nodes.map((node) => block(node)).filter(isShown), separator);
}

function block(node: Block): Span[] {
  switch (node.type) {
    case "paragraph":
      return inline(node.children);
    case "heading":
      return marked(inline(node.children), { type: "bold" });
    case "blockquote":
      return marked(blocks(node.children, "\n\n"), { type: "quote" });
    case "code":
      return [{ text: node.value, marks: [{ type: "pre", ...language(node.lang) }] }];
    case "list":
      return list(node);
    case "listItem":
      return item(node, undefined);
    case "table":
      return table(node);
    case "thematicBreak":
      return [plain("———")];
    case "html":
    case "yaml":
      return [plain(node.value)];
    case "footnoteDefinition":
      return [plain(`[${node.label ?? node.identifier}]: `), ...blocks(node.children, "\n\n")];
    case "definition":
      return [];
    case "tableRow":
    case "tableCell":
      return [plain(textOf(node.children.flatMap((child) => block(child))))];
    case "text":
    case "strong":
    case "emphasis":
    case "delete":
    case "inlineCode":
    case "break":
    case "link":
    case "linkReference":
    case "image":
    case "imageReference":
    case "footnoteReference":
      return phrase(node);
  }
}

const language = (lang: string | null | undefined): { language?: string } => (lang ? { language: lang } : {});

function list(node: List): Span[] {
  const first = node.start ?? 1;
  const items = node.children.map((child, index) => item(child, node.ordered ? first + index : undefined));
  return joined(items, node.spread ? "\n\n" : "\n");
}

function item(node: ListItem, number: number | undefined): Span[] {
  const box = node.checked === true ? "☑ " : node.checked === false ? "☐ " : undefined;
  const sign = number === undefined ? (box ?? "• ") : `${number}. ${box ?? ""}`;
  const own: Item = { depth: 0, ...(number !== undefined && { number }) };
  const content = blocks(node.children, node.spread ? "\n\n" : "\n");
  return [{ ...plain(sign), item: own, starts: "item" }, ...indented(content, INDENT).map((span) => within(own, span))];
}

const within = (item: Item, span: Span): Span => ({
  ...span,
  item: span.item ? { ...span.item, depth: span.item.depth + 1 } : item,
});

/** Lines after the first move right; code keeps its own columns, and empty lines stay empty. */
function indented(spans: readonly Span[], by: string): Span[] {
  return spans.map((span, index) => {
    if (hasMark(span, "pre")) return span;
    const next = spans[index + 1];
    const goesOn = span.text.endsWith("\n") && next && !hasMark(next, "pre") && !next.text.startsWith("\n");
    return { ...span, text: span.text.replaceAll(/\n(?=[^\n])/g, `\n${by}`) + (goesOn ? by : "") };
  });
}

function table(node: Table): Span[] {
  const rows = node.children.map((row) => row.children.map((cell) => inline(cell.children)));
  return tableSpans({ rows, align: node.align ?? [] });
}

/** What a reader sees of words. */
export const visibleWords = (nodes: readonly PhrasingContent[]): string => textOf(inline(nodes));

function inline(nodes: readonly PhrasingContent[]): Span[] {
  return nodes.flatMap((node) => phrase(node));
}

function phrase(node: PhrasingContent): Span[] {
  switch (node.type) {
    case "text":
    case "html":
      return [plain(node.value)];
    case "strong":
      return marked(inline(node.children), { type: "bold" });
    case "emphasis":
      return marked(inline(node.children), { type: "italic" });
    case "delete":
      return marked(inline(node.children), { type: "strikethrough" });
    case "inlineCode":
      return [{ text: node.value, marks: [{ type: "code" }] }];
    case "break":
      return [plain("\n")];
    case "link":
      return linkSpans(inline(node.children), node.url);
    case "linkReference":
      return inline(node.children);
    case "image":
      return linkSpans([plain(labelOr(node.alt))], node.url);
    case "imageReference":
      return [plain(labelOr(node.alt))];
    case "footnoteReference":
      return [plain(`[${node.label ?? node.identifier}]`)];
  }
}
