/** Tells whether an agent goes round in circles, from the tool calls of its turns. Pure. */

interface Call {
  readonly name: string;
  readonly args: unknown;
}
/** The tool calls of one turn. */
type Turn = readonly Call[];

/** Contract C5: the same set of calls so often among the last 20 turns, or one tool so often in all. */
const WINDOW = 20;
const SAME_SET = { warn: 3, stop: 5 } as const;
const SAME_TOOL = { warn: 30, stop: 50 } as const;

/** What the last of these turns makes of them. */
export function judgeLoop(turns: readonly Turn[]): "none" | "warn" | "stop" {
  const last = turns.at(-1) ?? [];
  if (last.length === 0) return "none";
  const key = setKey(last);
  const sets = turns.slice(-WINDOW).filter((turn) => setKey(turn) === key).length;
  const tools = Math.max(...last.map(({ name }) => turns.flat().filter((call) => call.name === name).length));
  if (sets >= SAME_SET.stop || tools >= SAME_TOOL.stop) return "stop";
  return sets >= SAME_SET.warn || tools >= SAME_TOOL.warn ? "warn" : "none";
}

/** The same for the same calls in any order, whatever the order of their arguments. */
function setKey(turn: Turn): string {
  return turn
    .map(({ name, args }) => `${name} ${JSON.stringify(args, sortedKeys)}`)
    .toSorted()
    .join("\n");
}
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
