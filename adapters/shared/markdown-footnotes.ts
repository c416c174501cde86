/** Footnotes as in GFM: `[^label]` where there is a `[^label]: text`, which stays where it was written. */
import type MarkdownIt from "markdown-it";
import type { StateBlock, StateInline } from "markdown-it";

interface Labels {
  footnotes?: Set<string>;
}

export function addFootnotes(md: MarkdownIt): void {
  const alt = ["paragraph", "reference", "blockquote", "list"];
  md.block.ruler.before("reference", "footnote_definition", definition, { alt });
  md.inline.ruler.before("link", "footnote_reference", reference);
}

// GFM: a label has at most 999 characters, none of them a blank or a bracket.
const DEFINITION = /\[\^([^\s[\]]{1,999})\]:/y;
const REFERENCE = /\[\^([^\s[\]]{1,999})\]/y;

const labelsOf = (env: unknown): Set<string> => ((env as Labels).footnotes ??= new Set());

function matchAt(pattern: RegExp, text: string, position: number): { length: number; label: string } | undefined {
  pattern.lastIndex = position;
  const [whole, label] = pattern.exec(text) ?? [];
  return whole === undefined || label === undefined ? undefined : { length: whole.length, label };
}

function definition(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  const [bMark = 0, tShift = 0, sCount = 0] = [state.bMarks[line], state.tShift[line], state.sCount[line]];
  if (sCount - state.blkIndent >= 4) return false;
  const found = matchAt(DEFINITION, state.src, bMark + tShift);
  if (!found) return false;
  if (silent) return true;
  labelsOf(state.env).add(found.label.toLowerCase());
  const open = state.push("footnote_open", "", 1);
  open.meta = found.label;
  open.map = [line, line + 1];
  const content = bMark + tShift + found.length;
  const blanks = /^[ \t]*/.exec(state.src.slice(content, state.eMarks[line]))?.[0].length ?? 0;
  const { blkIndent, parentType } = state;
  // GFM: what belongs to a footnote is indented by four.
  state.blkIndent += 4;
  state.bMarks[line] = content;
  state.tShift[line] = blanks;
  state.sCount[line] = state.blkIndent;
  state.md.block.tokenize(state, line, endLine);
  [state.bMarks[line], state.tShift[line], state.sCount[line]] = [bMark, tShift, sCount];
  Object.assign(state, { blkIndent, parentType });
  state.push("footnote_close", "", -1);
  return true;
}

function reference(state: StateInline, silent: boolean): boolean {
  const found = matchAt(REFERENCE, state.src, state.pos);
  if (!found || !labelsOf(state.env).has(found.label.toLowerCase())) return false;
  if (state.pos + found.length > state.posMax) return false;
  if (!silent) state.push("footnote_reference", "", 0).meta = found.label;
  state.pos += found.length;
  return true;
}
