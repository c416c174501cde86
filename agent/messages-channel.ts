/**
 * The thread's messages in the graph's state. LangGraph's own rule of how news is added to them goes through all that are
 * there, several times a step; nearly always news is only put at the end, and then what is there need not be touched.
 */
import { BaseMessage, RemoveMessage } from "@langchain/core/messages";
import { type Messages, MessagesValue, messagesStateReducer, ReducedValue, StateSchema } from "@langchain/langgraph";

/** The same result as LangGraph's reducer. `before` is what one of the two has returned, or a checkpoint has kept. */
export function addMessages(before: BaseMessage[], news: Messages): BaseMessage[] {
  const list = Array.isArray(news) ? news : [news];
  const isPlain = list.every((message) => BaseMessage.isInstance(message) && !RemoveMessage.isInstance(message));
  if (!isPlain) return messagesStateReducer(before, news);
  // Each has an id then, and is no part of a stream.
  const added = messagesStateReducer([], list);
  const isNew = added.every(({ id }) => before.findLastIndex((message) => message.id === id) < 0);
  return isNew ? [...before, ...added] : messagesStateReducer(before, added);
}

/** For `createAgent`, whose own channel of this name it replaces. */
export const messagesState = new StateSchema({
  messages: new ReducedValue(MessagesValue.valueSchema, {
    inputSchema: MessagesValue.inputSchema,
    reducer: addMessages,
  }),
});
