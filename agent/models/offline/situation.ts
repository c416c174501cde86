import type { Toolset } from "./toolset.ts";
import type { Turn } from "./turn.ts";

/** All that an ability may look at. */
export interface Situation {
  readonly turn: Turn;
  readonly tools: Toolset;
  readonly now: Date;
}
