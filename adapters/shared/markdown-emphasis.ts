/** `~struck~` as GitHub has it, and delimiters inside words and numbers that stay what they are. */
import type MarkdownIt from "markdown-it";
import type { Delimiter, StateInline, Token } from "markdown-it";

/** One and two tildes do not close each other, so they are two markers; the second is no character's code. */
const TILDE = 0x7e;
const TWO_TILDES = 0x7e7e;

export function addEmphasisRules(md: MarkdownIt): void {
  md.inline.ruler.at("strikethrough", strikeDelimiters);
  md.inline.ruler2.at("strikethrough", (state) => eachList(state, strikePairs));
  md.inline.ruler2.before("strikethrough", "inside_word", (state) => eachList(state, keepInsideWords));
}

function eachList(state: StateInline, change: (tokens: Token[], delimiters: Delimiter[]) => void): boolean {
  change(state.tokens, state.delimiters);
  for (const meta of state.tokens_meta) if (meta) change(state.tokens, meta.delimiters);
  return false;
}

/** GFM: one or two tildes strike; three and more are text. */
function strikeDelimiters(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== TILDE) return false;
  const run = state.scanDelims(state.pos, true);
  state.push("text", "", 0).content = "~".repeat(run.length);
  if (run.length <= 2) {
    state.delimiters.push({
      marker: run.length === 1 ? TILDE : TWO_TILDES,
      // 0 exempts from the rule of three, which is for `*` and `_`.
      length: 0,
      token: state.tokens.length - 1,
      end: -1,
      open: run.can_open,
      close: run.can_close,
    });
  }
  state.pos += run.length;
  return true;
}

function strikePairs(tokens: Token[], delimiters: Delimiter[]): void {
  for (const start of delimiters) {
    const end = delimiters[start.end];
    if (!end || (start.marker !== TILDE && start.marker !== TWO_TILDES)) continue;
    become(tokens[start.token], "s_open", 1);
    become(tokens[end.token], "s_close", -1);
  }
}

function become(token: Token | undefined, type: string, nesting: 1 | -1): void {
  if (token) Object.assign(token, { type, tag: "s", nesting, markup: token.content, content: "" });
}

/** MD-01: `2*3*4` multiplies and `10~20~30` are ranges: between two ASCII word characters delimiters are text. */
function keepInsideWords(tokens: Token[], delimiters: Delimiter[]): void {
  const sameRun = (one?: Delimiter, next?: Delimiter): boolean =>
    one !== undefined && next !== undefined && one.marker === next.marker && one.token + 1 === next.token;
  const before: boolean[] = [];
  const after: boolean[] = [];
  delimiters.forEach((each, index) => {
    const joined = sameRun(delimiters[index - 1], each);
    before[index] = joined ? before[index - 1] === true : isWord(textOf(tokens[each.token - 1]).at(-1));
  });
  for (let index = delimiters.length - 1; index >= 0; index--) {
    const each = delimiters[index];
    const joined = sameRun(each, delimiters[index + 1]);
    after[index] = joined ? after[index + 1] === true : isWord(each && textOf(tokens[each.token + 1]).at(0));
  }
  delimiters.forEach((start, index) => {
    if (start.end >= 0 && before[index] && after[start.end]) start.end = -1;
  });
}

const textOf = (token?: Token): string => (token?.type === "text" ? token.content : "");
const isWord = (character?: string): boolean => character !== undefined && /^[A-Za-z0-9]$/.test(character);
