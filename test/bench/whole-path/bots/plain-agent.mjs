/** The agent of the bots `plain` and `chat-sdk`. */
import { createAgent } from "langchain";
import { createModel, createSaver, lookup } from "./peer-parts.mjs";

export const createPlainAgent = (file) =>
  createAgent({
    model: createModel(),
    tools: [lookup],
    systemPrompt: "You are a helpful assistant.",
    checkpointer: createSaver(file),
  });
