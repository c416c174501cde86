/** A markdown tree as styled text. What chats have no type for stays readable as text; nothing is left out. */
import type { BlockContent, DefinitionContent, List, ListItem, PhrasingContent, Root, RootContent, Table } from "mdast";
import { parseMarkdown } from "./markdown.ts";
import { linkSpans, withAddresses } from "./link.ts";
import { joined, marked, plain, textOf } from "./spans.ts";
import type { Span } from "./spans.ts";
import { tableSpans } from "./table.ts";

/** What a node alone does not tell. */
interface Source {
  readonly definitions: ReadonlyMap<string, string>;
}

/**
 * Never throws: what is nested deeper than the stack is shown as it is written. Lone surrogates and carriage returns,
 * which platforms replace or refuse, do not survive.
 */
export function markdownSpans(markdown: string): Span[] {
  const text = Buffer.from(markdown.replaceAll(/\r\n?/g, "\n")).toString();
  try {
    const root = parseMarkdown(text);
    return blocks(root.children, { definitions: definitions(root) }, "\n\n");
  } catch (error) {
    if (error instanceof RangeError) return [plain(text)];
    throw error;
  }
}

/** Addresses of `[text][label]`; the first definition of a label counts, as in CommonMark. */
function definitions(node: Root | RootContent, found = new Map<string, string>()): Map<string, string> {
  if (node.type === "definition" && !found.has(node.identifier)) found.set(node.identifier, node.url);
  if ("children" in node) for (const child of node.children) definitions(child, found);
  return found;
}

type Block = RootContent | BlockContent | DefinitionContent;

function blocks(nodes: readonly Block[], from: Source, separator: string): Span[] {
  const groups = nodes.map((node) => block(node, from)).filter((group) => group.some((span) => span.text !== ""));
  return joined(groups, separator);
}

function block(node: Block, from: Source): Span[] {
  switch (node.type) {
    case "paragraph":
      return inline(node.children, from);
    case "heading":
      return marked(inline(node.children, from), { type: "bold" });
    case "blockquote":
      return marked(blocks(node.children, from, "\n\n"), { type: "quote" });
    case "code":
      return [{ text: node.value, marks: [{ type: "pre", ...language(node.lang) }] }];
    case "list":
      return list(node, from);
    case "listItem":
      return item(node, "• ", from);
    case "table":
      return table(node, from);
    case "thematicBreak":
      return [plain("———")];
    case "html":
    case "yaml":
      return [plain(node.value)];
    case "footnoteDefinition":
      return [plain(`[${node.label ?? node.identifier}]: `), ...blocks(node.children, from, "\n\n")];
    case "definition":
      return [];
    case "tableRow":
    case "tableCell":
      return [plain(textOf(node.children.flatMap((child) => block(child, from))))];
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
      return phrase(node, from);
  }
}

const language = (lang: string | null | undefined): { language?: string } => (lang ? { language: lang } : {});

function list(node: List, from: Source): Span[] {
  const first = node.start ?? 1;
  const items = node.children.map((child, index) => item(child, node.ordered ? `${first + index}. ` : "• ", from));
  return joined(items, node.spread ? "\n\n" : "\n");
}

function item(node: ListItem, bullet: string, from: Source): Span[] {
  const box = node.checked === true ? "☑ " : node.checked === false ? "☐ " : undefined;
  const sign = box && bullet === "• " ? box : bullet + (box ?? "");
  const content = blocks(node.children, from, node.spread ? "\n\n" : "\n");
  return [plain(sign), ...indented(content, "   ")];
}

/** Lines after the first move right; code keeps its own columns. */
function indented(spans: readonly Span[], by: string): Span[] {
  return spans.map((span) =>
    span.marks.some((mark) => mark.type === "pre") ? span : { ...span, text: span.text.replaceAll("\n", `\n${by}`) },
  );
}

function table(node: Table, from: Source): Span[] {
  const cell = (children: readonly PhrasingContent[]) => withAddresses(inline(children, from)).replaceAll("\n", " ");
  const rows = node.children.map((row) => row.children.map((each) => cell(each.children)));
  return tableSpans({ rows, align: node.align ?? [] });
}

function inline(nodes: readonly PhrasingContent[], from: Source): Span[] {
  return nodes.flatMap((node) => phrase(node, from));
}

function phrase(node: PhrasingContent, from: Source): Span[] {
  switch (node.type) {
    case "text":
    case "html":
      return [plain(node.value)];
    case "strong":
      return marked(inline(node.children, from), { type: "bold" });
    case "emphasis":
      return marked(inline(node.children, from), { type: "italic" });
    case "delete":
      return marked(inline(node.children, from), { type: "strikethrough" });
    case "inlineCode":
      return [{ text: node.value, marks: [{ type: "code" }] }];
    case "break":
      return [plain("\n")];
    case "link":
      return linkSpans(inline(node.children, from), node.url);
    case "linkReference":
      return linkSpans(inline(node.children, from), from.definitions.get(node.identifier) ?? "");
    case "image":
      return linkSpans([plain(node.alt || "image")], node.url);
    case "imageReference":
      return linkSpans([plain(node.alt || "image")], from.definitions.get(node.identifier) ?? "");
    case "footnoteReference":
      return [plain(`[${node.label ?? node.identifier}]`)];
  }
}
