/** A model's message with some of its tool calls only, and the provider's own copies of them cut in step. Pure. */
import { AIMessage } from "@langchain/core/messages";

/** Anthropic's blocks, and LangChain's own form of them. */
const CALL_BLOCKS = ["tool_use", "tool_call"];

/** `createKeep` makes a predicate for the calls in their order: it may count. */
export function keepCalls(message: AIMessage, createKeep: () => (tool: string) => boolean): AIMessage {
  const { id, name, content, response_metadata, usage_metadata, invalid_tool_calls, additional_kwargs } = message;
  const { tool_calls: raw = [], ...kwargs } = additional_kwargs;
  const rawKept = filterNamed(raw, (call) => call.function.name, createKeep());
  const cut = new AIMessage({
    content: typeof content === "string" ? content : filterNamed(content, blockTool, createKeep()),
    tool_calls: filterNamed(message.tool_calls ?? [], (call) => call.name, createKeep()),
    additional_kwargs: { ...kwargs, ...(rawKept.length > 0 && { tool_calls: rawKept }) },
    response_metadata,
    ...(invalid_tool_calls && { invalid_tool_calls }),
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
  });
  // The library's types of the constructor's fields have no usage.
  return usage_metadata ? Object.assign(cut, { usage_metadata }) : cut;
}

/** What has no name is no call, and stays. */
function filterNamed<One>(
  all: readonly One[],
  nameOf: (one: One) => string | undefined,
  keep: (tool: string) => boolean,
) {
  return all.filter((one) => {
    const name = nameOf(one);
    return name === undefined || keep(name);
  });
}
function blockTool(block: { readonly type: string; readonly name?: unknown }): string | undefined {
  return CALL_BLOCKS.includes(block.type) && typeof block.name === "string" ? block.name : undefined;
}
