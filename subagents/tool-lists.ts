/** Which of the lead agent's tools a subagent has: never more than those, and never the ones that delegate. Pure. */
import type { SubagentSettings } from "./contract.ts";

type Lists = Pick<SubagentSettings, "tools" | "disallowedTools">;
interface Named {
  readonly name: string;
}

/** Contract A9: without a list of its own it has all; what is disallowed is left out of either. */
export function chooseTools<Tool extends Named>(
  { tools, disallowedTools = [] }: Lists,
  available: readonly Tool[],
): readonly Tool[] {
  return available.filter(({ name }) => (tools?.includes(name) ?? true) && !disallowedTools.includes(name));
}

/** Names in its lists that mean nothing here. */
export function unknownTools({ tools = [], disallowedTools = [] }: Lists, known: readonly string[]): readonly string[] {
  return [...new Set([...tools, ...disallowedTools])].filter((name) => !known.includes(name));
}
