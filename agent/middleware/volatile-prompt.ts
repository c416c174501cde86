/** The part of the prompt that changes from turn to turn, put last: all that stands before it stays cacheable. */
import { dynamicSystemPromptMiddleware } from "langchain";
import { readContext } from "../../subagents/run-context.ts";
import { dateLayer } from "../prompt/date.ts";

export function createVolatilePromptMiddleware(now: () => number) {
  return dynamicSystemPromptMiddleware((_state, runtime) => `\n\n${dateLayer(now(), readContext(runtime).timezone)}`);
}
