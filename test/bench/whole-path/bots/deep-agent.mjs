/** The agent of the bot `deepagents`. */
import { createDeepAgent } from "deepagents";
import { createModel, createSaver, lookup } from "./peer-parts.mjs";

export const createDeep = (file) =>
  createDeepAgent({
    model: createModel(),
    tools: [lookup],
    systemPrompt: "You are a helpful assistant.",
    checkpointer: createSaver(file),
  });
