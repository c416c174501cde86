/**
 * Puts turns into threads of a bot that does not run, through `updateState` of the same graph on the same saver: one
 * write of all the turns, where real turns would have left many times as many rows in the stock saver's file.
 *
 * node --import tsx seed.mjs '{"variant", "database", "threads": [{"id", "turns"}], "toolName", "toolArgs", "texts"}'
 */
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent } from "langchain";

const { variant, database, threads, toolName, toolArgs, texts } = JSON.parse(process.argv[2]);

const { graph, close } = await openGraph();
for (const { id, turns } of threads) {
  const config = { configurable: { thread_id: id } };
  const messages = Array.from({ length: turns }, (_, index) => turn(id, index)).flat();
  await graph.updateState(config, { messages }, await lastNode());
  const { next, values } = await graph.getState(config);
  if (next.length > 0 || values.messages.length !== messages.length)
    throw new Error(
      `Expected ${messages.length} messages and nothing left to do in ${id}, got ${values.messages.length} and ${next.join(", ")}`,
    );
}
close();
process.exit(0);

/** The stock saver commits each write at once and needs no end. */
async function openGraph() {
  if (variant === "ours") return openOurs();
  const { createPlainAgent } = await import("./plain-agent.mjs");
  const { createDeep } = await import("./deep-agent.mjs");
  const { graph } = variant === "deepagents" ? createDeep(database) : createPlainAgent(database);
  return { graph, close: () => {} };
}

/** The program's own database and checkpointer; a graph with the same channel and the same nodes as its lead agent. */
async function openOurs() {
  // From source, so that it shares LangChain's classes with the messages below: the built program has its own copy.
  const [{ openDatabase }, { createCheckpointer }] = await Promise.all([
    import("../../../../store/database.ts"),
    import("../../../../store/checkpointer.ts"),
  ]);
  const { createModel, lookup } = await import("./peer-parts.mjs");
  const db = openDatabase(database);
  const agent = createAgent({ model: createModel(), tools: [lookup], checkpointer: createCheckpointer(db) });
  return { graph: agent.graph, close: () => db.close() };
}

/** As if the last node of a turn had just returned. */
async function lastNode() {
  const { edges } = await graph.getGraphAsync();
  const ends = edges.filter(({ target }) => target === "__end__").map(({ source }) => source);
  return ends.find((name) => name.startsWith("model")) ?? ends[0];
}

/** What a real turn leaves: the person, the call, its result, the answer. */
function turn(thread, index) {
  const id = `${thread}-${index}`;
  const call = { id: `call-${id}`, name: toolName, args: toolArgs, type: "tool_call" };
  return [
    new HumanMessage({ id: `${id}-h`, content: texts.question }),
    new AIMessage({ id: `${id}-c`, content: "", tool_calls: [call] }),
    new ToolMessage({ id: `${id}-t`, content: texts.result, tool_call_id: call.id, name: toolName }),
    new AIMessage({ id: `${id}-a`, content: texts.answer }),
  ];
}
