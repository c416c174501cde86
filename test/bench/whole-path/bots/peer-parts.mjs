/** What the peers are told by the benchmark, and what they share: the model, and the one tool. */
import { readFile } from "node:fs/promises";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { ChatOpenAI } from "@langchain/openai";
import { tool } from "langchain";
import { z } from "zod";

const { BENCH_TELEGRAM_URL, BENCH_TELEGRAM_TOKEN, BENCH_MODEL_URL, BENCH_DATABASE, BENCH_LOOKUP_FILE } = process.env;

export const telegram = { url: BENCH_TELEGRAM_URL, token: BENCH_TELEGRAM_TOKEN };
export const database = BENCH_DATABASE;

/**
 * As the documentation of langchain shows it; asked through `invoke`, so the answer comes in one piece. Its `streaming: true`
 * would then count tokens with a table that it fetches from the internet.
 */
export const createModel = () =>
  new ChatOpenAI({ model: "bench-model", apiKey: "none", configuration: { baseURL: BENCH_MODEL_URL } });

/** The stock saver on a file, as its documentation shows it. */
export const createSaver = (file) => SqliteSaver.fromConnString(file);

/** Reads a file of 2 KB, as the tool of the other bots does. */
export const lookup = tool(() => readFile(BENCH_LOOKUP_FILE, "utf8"), {
  name: "lookup",
  description: "Looks a topic up.",
  schema: z.object({ topic: z.string() }),
});

/** The answer to one message. */
export async function ask(agent, thread, text) {
  const messages = [{ role: "user", content: text }];
  const result = await agent.invoke({ messages }, { configurable: { thread_id: thread } });
  return result.messages.at(-1).text;
}
