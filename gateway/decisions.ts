/** The two decisions that store nothing. */
import type { Decision } from "./store-contract.ts";

export const ignore = (rule: string): Decision => ({ rule, effects: [] });

/** The sender alone is told. */
export const privately = (rule: string, text: string): Decision => ({
  rule,
  effects: [],
  reply: { type: "notice", text },
});
