/** Model text is parsed once, here, into a tree that each platform draws in its own way. */
import MarkdownIt from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import type { Root } from "mdast";
import { addEmphasisRules } from "./markdown-emphasis.ts";
import { addFootnotes } from "./markdown-footnotes.ts";
import { addLinkRules } from "./markdown-links.ts";
import { addMath } from "./markdown-math.ts";
import { addNestingGuard } from "./markdown-nesting.ts";
import { addTables } from "./markdown-table.ts";
import { toTree } from "./markdown-tree.ts";

const parser = createParser();

/**
 * Embeddings, overrides and isolates: left open they turn around what follows, a label's own address among it. None of
 * them shows anything; marks (U+200E, U+200F) stay.
 */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * GitHub-flavoured markdown as a tree, in time that grows with the length. Never throws: any text is valid markdown. Raw
 * HTML and math are text, as written; what is nested deeper than anybody writes is too.
 */
export function parseMarkdown(text: string): Root {
  return toTree(parser.parse(text.replaceAll(BIDI_CONTROLS, ""), {}));
}

function createParser(): MarkdownIt {
  const md = new MarkdownIt({ html: false, linkify: true });
  md.use(cjkFriendly);
  addNestingGuard(md);
  addEmphasisRules(md);
  addLinkRules(md);
  addFootnotes(md);
  addTables(md);
  addMath(md);
  return md;
}
