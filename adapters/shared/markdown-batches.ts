/** The blocks of a text in batches: of a huge one neither all tokens nor all that is made of them are in memory at once. */
import type MarkdownIt from "markdown-it";
import type { StateBlock, Token } from "markdown-it";

/** Tokens of a batch; its last block is always whole. Ours. */
const ENOUGH = 1000;

interface Paused {
  /** The line where the batch ends. */
  pausedAt?: number;
}

/** Lets `tokenBatches` come to its turn between two blocks of the text itself. */
export function addBatches(md: MarkdownIt): void {
  md.block.ruler.before("table", "batch", pause);
}

function pause(state: StateBlock, line: number, endLine: number, silent: boolean): boolean {
  if (silent || state.level > 0 || state.tokens.length < ENOUGH) return false;
  (state.env as Paused).pausedAt = line;
  state.line = endLine;
  return true;
}

/** `env` knows all definitions of the text before the first batch, wherever they stand. */
export function* tokenBatches(md: MarkdownIt, text: string, env: object): Generator<Token[]> {
  if (text.includes("]:")) for (const _ of batches(md, text, env));
  yield* batches(md, text, env);
}

function* batches(md: MarkdownIt, text: string, env: Paused): Generator<Token[]> {
  const state = new md.block.State(text, md, env, []);
  for (let line = 0; line < state.lineMax; line = env.pausedAt) {
    env.pausedAt = state.lineMax;
    md.block.tokenize(state, line, state.lineMax);
    yield state.tokens;
    state.tokens = [];
  }
}
