/** The layers in their order. What changes from turn to turn is no part of it: see middleware/volatile-prompt. */
import type { DelegationLimits } from "../../subagents/contract.ts";
import { clarificationLayer } from "./clarification.ts";
import { presentingLayer } from "./presenting.ts";
import { roleLayer } from "./role.ts";
import { subagentsLayer } from "./subagents.ts";
import { workingDirectoryLayer } from "./working-directory.ts";

interface PromptParts {
  readonly name: string;
  readonly subagents: readonly { readonly name: string; readonly description: string }[];
  readonly limits: DelegationLimits;
}

export function buildPrompt({ name, subagents, limits }: PromptParts): string {
  const layers = [
    roleLayer(name),
    clarificationLayer(),
    subagentsLayer(subagents, limits),
    workingDirectoryLayer(),
    presentingLayer(),
  ];
  return layers.join("\n\n");
}
