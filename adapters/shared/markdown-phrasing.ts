/** The words of a block: a flat list of the parser's tokens as a tree of marks, links and text. */
import type { Token } from "markdown-it";
import type { Delete, Emphasis, Link, PhrasingContent, Strong } from "mdast";

/** Marks within marks. What is deeper keeps its delimiters as text: trees are walked by recursion, marks are copied. */
const DEEPEST = 12;

interface Open {
  readonly children: PhrasingContent[];
  /** How many marks are open here. */
  readonly depth: number;
}

export function phrasing(tokens: readonly Token[]): PhrasingContent[] {
  let here: Open = { children: [], depth: 0 };
  const around: Open[] = [];
  for (const token of tokens) {
    if (token.nesting === 1) {
      around.push(here);
      here = opened(token, here);
    } else if (token.nesting === -1) {
      const outer = around.pop() ?? here;
      if (outer.children === here.children) append(here.children, token.markup);
      here = outer;
    } else add(here.children, token);
  }
  return (around[0] ?? here).children;
}

function opened(token: Token, { children, depth }: Open): Open {
  if (token.type === "link_open") {
    const node: Link = { type: "link", url: token.attrGet("href") ?? "", children: [] };
    children.push(node);
    return { children: node.children, depth };
  }
  if (depth >= DEEPEST) {
    append(children, token.markup);
    return { children, depth };
  }
  const node: Strong | Emphasis | Delete = { type: markOf(token), children: [] };
  children.push(node);
  return { children: node.children, depth: depth + 1 };
}

const markOf = ({ type }: Token) => (type === "strong_open" ? "strong" : type === "s_open" ? "delete" : "emphasis");

function add(children: PhrasingContent[], token: Token): void {
  switch (token.type) {
    case "softbreak":
      return append(children, "\n");
    case "hardbreak":
      return void children.push({ type: "break" });
    case "code_inline":
      return void children.push({ type: "inlineCode", value: token.content });
    case "image":
      return void children.push({
        type: "image",
        url: token.attrGet("src") ?? "",
        alt: decoded(wordsOf(token.children ?? [])),
      });
    case "footnote_reference": {
      const label = String(token.meta);
      return void children.push({ type: "footnoteReference", identifier: label.toLowerCase(), label });
    }
    default:
      return append(children, token.content);
  }
}

/**
 * Embeddings, overrides and isolates: left open they turn around what follows, a label's own address among it. None of
 * them shows anything; marks (U+200E, U+200F) stay.
 */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
export const withoutTurns = (text: string): string => text.replaceAll(TURNS, "");

/** Entities can name what no text may have. */
const decoded = (text: string): string => withoutTurns(text).replaceAll("\r", " ");

function append(children: PhrasingContent[], written: string): void {
  const value = decoded(written);
  const last = children.at(-1);
  if (last?.type === "text") last.value += value;
  else if (value !== "") children.push({ type: "text", value });
}

/** What a picture shows to who cannot see it: words without marks. */
const wordsOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => (token.type === "softbreak" ? " " : token.children ? wordsOf(token.children) : token.content))
    .join("");
