/**
 * A model's message takes its id from the provider, and a message with a known id takes the place of the earlier one. Some
 * servers give an id again: Ollama's compatible one draws them from a thousand. Then the message gets one of ours.
 */
import { randomUUID } from "node:crypto";
import { AIMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";

export const ownIdsMiddleware = createMiddleware({
  name: "own-ids",
  async wrapModelCall(request, handler) {
    const answer = await handler(request);
    // `state` and not `messages`, which others may have changed for the provider.
    const isKnown = (id: string) => request.state.messages.some((message) => message.id === id);
    if (AIMessage.isInstance(answer) && answer.id !== undefined && isKnown(answer.id)) answer.id = randomUUID();
    return answer;
  },
});
