/** The parser's flat list of tokens as a tree. */
import type { Token } from "markdown-it";
import type { BlockContent, FootnoteDefinition, ListItem, Root, Table, TableRow } from "mdast";
import { phrasing } from "./markdown-phrasing.ts";

type Block = BlockContent | FootnoteDefinition;

interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
  /** The line behind the last one that showed something: a next one further down stands behind a blank line. */
  end: number;
}

export function toTree(tokens: readonly Token[]): Root {
  return { type: "root", children: children({ tokens, at: 0, end: 0 }, block).nodes };
}

const take = (from: Cursor): Token | undefined => from.tokens[from.at++];

/** All up to the token that closes; `spread` when blank lines stand between two of them. */
function children<T>(from: Cursor, read: (token: Token, from: Cursor) => T): { nodes: T[]; spread: boolean } {
  const nodes: T[] = [];
  let spread = false;
  for (let token = take(from); token && token.nesting !== -1; token = take(from)) {
    if (nodes.length > 0 && token.map && token.map[0] > from.end) spread = true;
    if (token.map) from.end = Math.max(from.end, token.nesting === 1 ? token.map[0] + 1 : token.map[1]);
    nodes.push(read(token, from));
  }
  return { nodes, spread };
}

function block(token: Token, from: Cursor): Block {
  switch (token.type) {
    case "paragraph_open":
      return { type: "paragraph", children: line(from) };
    case "heading_open":
      return { type: "heading", depth: depth(token), children: line(from) };
    case "blockquote_open":
      return { type: "blockquote", children: children(from, block).nodes };
    case "bullet_list_open":
    case "ordered_list_open":
      return list(token, from);
    case "table_open":
      return table(token, from);
    case "footnote_open": {
      const label = String(token.meta);
      return {
        type: "footnoteDefinition",
        identifier: label.toLowerCase(),
        label,
        children: children(from, block).nodes,
      };
    }
    case "fence":
    case "code_block":
      return code(token);
    case "hr":
      return { type: "thematicBreak" };
    default:
      return words(token.content);
  }
}

/** The words of what has nothing but words, up to its closing token. */
function line(from: Cursor) {
  const { nodes } = children(from, (token) => phrasing(token.children ?? []));
  return nodes.flat();
}

function depth({ tag }: Token): 1 | 2 | 3 | 4 | 5 | 6 {
  return ([1, 2, 3, 4, 5] as const).find((each) => tag === `h${each}`) ?? 6;
}

/** What stands beside the language is for renderers. Where there is no code, it is what somebody wanted to say. */
function code({ info, markup, content }: Token): Block {
  const [language = ""] = info.trim().split(/\s+/, 1);
  if (content === "" && info.trim() !== "") return words(`${markup}${info}`);
  return { type: "code", ...(language !== "" && { lang: language }), value: content.replace(/\n$/, "") };
}

const words = (value: string): Block => ({ type: "paragraph", children: [{ type: "text", value }] });

function list(token: Token, from: Cursor): BlockContent {
  const ordered = token.type === "ordered_list_open";
  const { nodes, spread } = children(from, item);
  return {
    type: "list",
    ordered,
    ...(ordered && { start: Number(token.attrGet("start") ?? 1) }),
    spread,
    children: nodes,
  };
}

function item(_token: Token, from: Cursor): ListItem {
  const box = /^\[([ xX])\]\s+(?=\S)/.exec(firstWords(from));
  const { nodes, spread } = children(from, block);
  const [first] = nodes;
  if (!box || first?.type !== "paragraph") return { type: "listItem", spread, children: nodes };
  const [text] = first.children;
  if (text?.type === "text") text.value = text.value.replace(/^\[[ xX]\]\s+/, "");
  return { type: "listItem", spread, checked: box[1] !== " ", children: nodes };
}

/** Of the paragraph that an item begins with. */
function firstWords({ tokens, at }: Cursor): string {
  return tokens[at]?.type === "paragraph_open" ? (tokens[at + 1]?.content ?? "").slice(0, 8) : "";
}

function table(token: Token, from: Cursor): Table {
  const align: Table["align"] = token.meta as NonNullable<Table["align"]>;
  const { nodes } = children(from, row);
  if (token.map) from.end = token.map[1];
  return { type: "table", align, children: nodes };
}

function row(_token: Token, from: Cursor): TableRow {
  const { nodes } = children(from, (cell) => phrasing(cell.children ?? []));
  return { type: "tableRow", children: nodes.map((words) => ({ type: "tableCell", children: words })) };
}
