/** What is nested deeper than anybody writes is shown as it is written. */
import type MarkdownIt from "markdown-it";
import type { StateBlock } from "markdown-it";

/** Levels of quotes and lists (a list is two); markdown-it itself drops, without a word, all that is below level 100. */
const DEEPEST = 40;

export function addNestingGuard(md: MarkdownIt): void {
  md.block.ruler.before("table", "too_nested", tooNested);
}

function tooNested(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || state.level < DEEPEST) return false;
  let next = startLine;
  while (next < endLine && (state.isEmpty(next) || (state.sCount[next] ?? 0) >= state.blkIndent)) next++;
  const token = state.push("too_nested", "", 0);
  token.content = state.getLines(startLine, next, state.blkIndent, false).trimEnd();
  token.map = [startLine, next];
  state.line = next;
  return true;
}
