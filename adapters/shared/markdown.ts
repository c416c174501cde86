/** Model text is parsed once, here, into a tree that each platform draws in its own way. */
import MarkdownIt from "markdown-it";
import type { Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import type { PhrasingContent, Root, RootContent } from "mdast";
import { addBatches, tokenBatches } from "./markdown-batches.ts";
import { addEmphasisRules } from "./markdown-emphasis.ts";
import { addFootnotes } from "./markdown-footnotes.ts";
import { addLinkRules } from "./markdown-links.ts";
import { addMath } from "./markdown-math.ts";
import { addNestingGuard } from "./markdown-nesting.ts";
import { addTables } from "./markdown-table.ts";
import { phrasing, withoutTurns } from "./markdown-phrasing.ts";
import { toTree } from "./markdown-tree.ts";

const parser = createParser();

/**
 * GitHub-flavoured markdown as a tree, in time that grows with the length. Never throws: any text is valid markdown. Raw
 * HTML and math are text, as written; what is nested deeper than anybody writes is too.
 */
export function parseMarkdown(text: string): Root {
  return { type: "root", children: Array.from(markdownBlocks(text)) };
}

/** The same block by block: of a huge text only those are in memory that are looked at. */
export function* markdownBlocks(text: string): Generator<RootContent> {
  const env = {};
  for (const tokens of tokenBatches(parser, markdownSource(text), env)) yield* toTree(withWords(tokens, env)).children;
}

/** A text as it is parsed: what the parser's own first rule does to it, `withoutTurns`, and no half of a surrogate pair. */
export const markdownSource = (text: string): string =>
  Buffer.from(withoutTurns(text)).toString().replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");

/** The words that a text ends with, as they are written, and how others would be read there. Undefined: it ends otherwise. */
export function lastWords(
  text: string,
): { readonly source: string; readonly read: (words: string) => PhrasingContent[] } | undefined {
  const env = {};
  const tokens = Array.from(tokenBatches(parser, markdownSource(text), env)).flat();
  const last = tokens.findLast(({ nesting }) => nesting !== -1);
  if (last?.type !== "inline" || tokens.at(-1)?.type === "table_close") return undefined;
  const read = (words: string) => {
    const token: Token = Object.assign(Object.create(last) as Token, { content: words, children: [] });
    return withWords([token], env).flatMap(({ children }) => phrasing(children ?? []));
  };
  return { source: last.content, read };
}

function withWords(tokens: Token[], env: object): Token[] {
  const state = new parser.core.State("", parser, env);
  state.tokens = tokens;
  parser.core.process(state);
  return tokens;
}

function createParser(): MarkdownIt {
  const md = new MarkdownIt({ html: false, linkify: true });
  // The blocks are read in batches, before.
  md.core.ruler.disable(["normalize", "block"]);
  addBatches(md);
  md.use(cjkFriendly);
  addNestingGuard(md);
  addEmphasisRules(md);
  addLinkRules(md);
  addFootnotes(md);
  addTables(md);
  addMath(md);
  return md;
}
