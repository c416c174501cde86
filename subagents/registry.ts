/** Which subagents there are: the built-in ones, and those an operator configured. */
import type { SubagentSettings } from "./contract.ts";
import { generalPurpose } from "./general-purpose.ts";

export interface Registry {
  readonly all: readonly SubagentSettings[];
  find(name: string): SubagentSettings | undefined;
}

/** A configured subagent replaces a built-in one of the same name. */
export function createRegistry(custom: readonly SubagentSettings[]): Registry {
  const byName = new Map([generalPurpose, ...custom].map((one) => [one.name, one]));
  return { all: [...byName.values()], find: (name) => byName.get(name) };
}
