/** Math is text, as written: no platform draws it, and `*`, `_` and `\` in it are no markdown. */
import type MarkdownIt from "markdown-it";
import type { StateBlock, StateInline } from "markdown-it";

export function addMath(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "math", inline);
  md.block.ruler.before("blockquote", "math_block", block, { alt: ["paragraph", "reference", "blockquote", "list"] });
}

const CLOSERS = new Map([
  ["$$", "$$"],
  ["\\(", "\\)"],
  ["\\[", "\\]"],
]);

function inline(state: StateInline, silent: boolean): boolean {
  const end = endOf(state);
  if (end === undefined || end > state.posMax) return false;
  if (!silent) {
    // The type that keeps a text from being searched for addresses.
    const token = state.push("text_special", "", 0);
    token.content = state.src.slice(state.pos, end);
    token.info = "math";
  }
  state.pos = end;
  return true;
}

function endOf(state: StateInline): number | undefined {
  const { src, pos } = state;
  const closer = CLOSERS.get(src.slice(pos, pos + 2));
  if (closer !== undefined) {
    // `[see \[1\]](…)`: brackets in a label are escaped because they have to be.
    if (src[pos] === "\\" && isInLabel(state)) return undefined;
    const at = nextIndex(state, closer, pos + 2);
    return at < 0 ? undefined : at + closer.length;
  }
  return src[pos] === "$" ? endOfDollars(src, pos) : undefined;
}

/** The published types leave out what markdown-it counts the links around with. */
const isInLabel = (state: StateInline & { readonly linkLevel?: number }): boolean => (state.linkLevel ?? 0) > 0;

/**
 * Pandoc's rule for `$x$`: no blank inside of either dollar, and no digit behind the second, for `$5 and $6` are prices.
 * A dollar in code closes nothing.
 */
function endOfDollars(src: string, pos: number): number | undefined {
  for (let at = pos + 1; at < src.length && src[at] !== "`"; at++) {
    if (src[at] === "\\") at++;
    else if (src[at] === "$") {
      const isMath = at > pos + 1 && /^\S$/.test(src[pos + 1] ?? "") && /^\S\$\D?$/.test(src.slice(at - 1, at + 2));
      return isMath ? at + 1 : undefined;
    }
  }
  return undefined;
}

/** Searched for once, not for each opener before it: without this, openers that nothing closes take quadratic time. */
const found = new WeakMap<StateInline, Map<string, { from: number; at: number }>>();
function nextIndex(state: StateInline, closer: string, from: number): number {
  const known = found.get(state) ?? new Map<string, { from: number; at: number }>();
  found.set(state, known);
  const last = known.get(closer);
  if (last && last.from <= from && (last.at < 0 || from <= last.at)) return last.at;
  const at = state.src.indexOf(closer, from);
  known.set(closer, { from, at });
  return at;
}

/** `$$` and `\[` at the beginning of a line hold together the lines up to the one that closes them. */
function block(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const start = lineOf(state, startLine);
  const closer = CLOSERS.get(start.slice(0, 2));
  if (closer === undefined || closer === "\\)" || start.includes(closer, 2)) return false;
  const last = closingLine(state, closer, startLine, endLine);
  if (last === undefined) return false;
  if (silent) return true;
  state.line = last + 1;
  state.push("paragraph_open", "p", 1).map = [startLine, state.line];
  const token = state.push("inline", "", 0);
  token.content = state.getLines(startLine, state.line, state.blkIndent, false).trim();
  token.map = [startLine, state.line];
  token.children = [];
  state.push("paragraph_close", "p", -1);
  return true;
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

const unclosed = new WeakMap<StateBlock, Map<string, number>>();

/** The line that closes, before any blank one. Where it was searched for in vain, it is not searched for again. */
function closingLine(state: StateBlock, closer: string, startLine: number, endLine: number): number | undefined {
  const known = unclosed.get(state) ?? new Map<string, number>();
  unclosed.set(state, known);
  if (startLine < (known.get(closer) ?? 0)) return undefined;
  let line = startLine + 1;
  for (; line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent; line++) {
    if (lineOf(state, line).includes(closer)) return line;
  }
  known.set(closer, line);
  return undefined;
}
