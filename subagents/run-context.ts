/**
 * The runtime context of one run: rebuilt from the store at each run and resume, given to the graph as `context`, read
 * by tools, middleware and subagents. It is never checkpointed and nothing in it is secret.
 */
import { z } from "zod";
import { personId, runId, threadId } from "./contract.ts";

export const runContextSchema = z.object({
  runId: z.string().transform(runId),
  threadId: z.string().transform(threadId),
  principal: z.object({ id: z.string().transform(personId), name: z.string() }),
  platform: z.string(),
  audience: z.enum(["direct", "shared"]),
  /** Absolute path; holds `workspace`, `uploads` and `outputs`. */
  folder: z.string(),
  timezone: z.string(),
});
export type AgentContext = z.output<typeof runContextSchema>;

/** The context inside a tool's, node's or middleware's config. Throws a ZodError when the graph was run without one. */
export function readContext(config: { readonly context?: unknown }): AgentContext {
  return runContextSchema.parse(config.context);
}
