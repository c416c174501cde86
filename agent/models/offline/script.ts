/**
 * Abilities are written as scripts: they yield the tool calls they want, get the results, and return the answer. A model
 * keeps nothing between two calls, so each call replays the script over what the messages say has happened so far.
 */

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}
export interface Result {
  readonly text: string;
  readonly failed: boolean;
}
/** One message with tool calls and what came back for each, in order. */
export interface Step {
  readonly calls: readonly Call[];
  readonly results: readonly Result[];
}
/** Must behave the same each time it is replayed: it depends on messages only, save for the words of its answer. */
export type Script<Answer = string> = AsyncGenerator<readonly Call[], Answer, readonly Result[]>;

export type Decision =
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "call"; readonly calls: readonly Call[] };

/** More steps than any script here takes: something outside repeats us. */
const MOST_STEPS = 60;

/**
 * What to do now, after `steps`. Steps that this script did not ask for (another model's, before a switch) are passed
 * over. Throws what the script throws.
 */
export async function replay(script: Script, steps: readonly Step[]): Promise<Decision> {
  if (steps.length > MOST_STEPS) return { type: "say", text: `I stopped after ${MOST_STEPS} steps without an end.` };
  let state = await script.next();
  for (const step of steps) {
    if (state.done) break;
    if (state.value[0]?.tool === step.calls[0]?.tool) state = await script.next(step.results);
  }
  return state.done ? { type: "say", text: state.value } : { type: "call", calls: state.value };
}

/** Asks for one tool call and gives its result. */
export async function* callOne(tool: string, args: Call["args"]): Script<Result> {
  const [result] = yield [{ tool, args }];
  return result ?? { text: `${tool} gave no result`, failed: true };
}
