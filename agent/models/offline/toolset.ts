/** The tools that are bound, and the subagents that `task` offers. */
import { z } from "zod";
import { type DelegationLimits, LIMITS } from "../../../subagents/contract.ts";

export interface Toolset {
  has(tool: string): boolean;
  /** In the order of the tool's description; empty without `task`. */
  readonly subagents: readonly string[];
  /** Tasks that one response and one turn may begin, as the tool says. */
  readonly limits: DelegationLimits;
}

const boundTool = z.object({ function: z.object({ name: z.string(), description: z.string().optional() }) });

/** Reads tools in the form providers get them: `{ type: "function", function: { name, description } }`. */
export function readToolset(bound: readonly unknown[]): Toolset {
  const tools = bound.flatMap((tool) => boundTool.safeParse(tool).data?.function ?? []);
  const task = tools.find(({ name }) => name === "task");
  const description = task?.description ?? "";
  return {
    has: (tool) => tools.some(({ name }) => name === tool),
    subagents: subagentsIn(description),
    limits: limitsIn(description),
  };
}

/** `- name: when to use it`, one a line. */
const subagentsIn = (description: string): readonly string[] =>
  [...description.matchAll(/^\s*[-*]\s*`?([a-z][\w-]*)`?\s*:/gm)].map((match) => match[1] ?? "");

function limitsIn(description: string): DelegationLimits {
  const [, perResponse = LIMITS.perResponse.usual, perRun = LIMITS.perRun.usual] =
    /(\d+) in one response, (\d+) in one turn/.exec(description) ?? [];
  return { perResponse: Number(perResponse), perRun: Number(perRun) };
}

/** A subagent can neither ask nor delegate; it works where a person watches a card. */
export const isSubagent = (tools: Toolset): boolean => !tools.has("task") && !tools.has("ask_clarification");
