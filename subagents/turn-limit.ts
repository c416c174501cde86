/** How many turns a subagent may take, counted in its state: a restart counts on. */
import { createMiddleware } from "langchain";

/** Thrown in place of the model call that would be one too many. */
export class TurnLimit extends Error {
  override readonly name = "TurnLimit";
}

export function createTurnLimit(most: number) {
  return createMiddleware({
    name: "turn-limit",
    wrapModelCall(request, handler) {
      const turns = request.messages.filter((message) => message.getType() === "ai").length;
      if (turns >= most) throw new TurnLimit(`The subagent has taken its ${most} turns`);
      return handler(request);
    },
  });
}

/** Also inside what LangChain wraps around the errors of middleware. */
export function isTurnLimit(error: unknown): boolean {
  if (error instanceof TurnLimit) return true;
  return error instanceof Error && isTurnLimit(error.cause);
}
