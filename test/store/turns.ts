/**
 * A thread of a few turns that is always played the same way, wherever it stands: for tests that break it off. Turn 2 asks
 * two things at once. Run by itself (`turns.ts DATABASE TURNS`) it plays on until it is done or killed.
 */
import type { BaseMessage } from "@langchain/core/messages";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Command, interrupt } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { createCheckpointer } from "../../store/checkpointer.ts";
import { openDatabase } from "../../store/database.ts";
import { ScriptedModel, toolResults } from "../scripted-model.ts";

const lookup = tool(async ({ turn }) => `found ${turn} `.repeat(100), {
  name: "lookup",
  description: "d",
  schema: z.object({ turn: z.number() }),
});
/** Asks a person, and repeats what was answered. */
export const ask = tool(async ({ about }) => `told: ${String(interrupt(about))}`, {
  name: "ask",
  description: "d",
  schema: z.object({ about: z.string() }),
});

function createGraph(checkpointer: BaseCheckpointSaver) {
  const model = new ScriptedModel("m", (messages) => {
    const turn = Number(messages.findLast((message) => message.getType() === "human")?.text);
    if (toolResults(messages).length > 0) return `answer ${turn}`;
    if (turn % 3 === 2)
      return {
        toolCalls: ["colour", "size"].map((about) => ({ name: "ask", id: `${about}-${turn}`, args: { about } })),
      };
    return { toolCalls: [{ name: "lookup", id: `lookup-${turn}`, args: { turn } }] };
  });
  return createAgent({ model, tools: [lookup, ask], checkpointer }).graph;
}

/** Goes on from wherever the thread stands to the end of the last turn; resolves to what it holds, without ids. */
export async function playTurns(checkpointer: BaseCheckpointSaver, turns: number, thread = "t"): Promise<unknown> {
  const at = { configurable: { thread_id: thread } };
  const graph = createGraph(checkpointer);
  for (;;) {
    const { values, tasks } = await graph.getState(at);
    const messages: readonly BaseMessage[] = values.messages ?? [];
    const asked = tasks.filter((task) => task.result === undefined).flatMap((task) => task.interrupts);
    const said = messages.filter((message) => message.getType() === "human").length;
    if (asked.length > 0 && asked.length === tasks.filter((task) => task.result === undefined).length) {
      const answers = asked.map(({ id, value }) => [id ?? "", `${String(value)}!`] as const);
      await graph.invoke(new Command({ resume: Object.fromEntries(answers) }), at);
    } else if (tasks.length > 0) await graph.invoke(null, at);
    else if (said === turns) return messages.map(shape);
    else await graph.invoke({ messages: [new HumanMessage({ id: `person-${said}`, content: String(said) })] }, at);
  }
}

/** The same, worked out by hand: a saver that keeps whole states takes minutes for hundreds of turns. */
export function expectedTurns(turns: number): unknown {
  const all = Array.from({ length: turns }, (_, turn) => {
    const asks = turn % 3 === 2;
    const call = (name: string, id: string, args: object) => ({ type: "tool_call", name, id, args });
    const calls = asks
      ? ["colour", "size"].map((about) => call("ask", `${about}-${turn}`, { about }))
      : [call("lookup", `lookup-${turn}`, { turn })];
    const results = asks ? ["told: colour!", "told: size!"] : [`found ${turn} `.repeat(100)];
    return [
      { type: "human", content: String(turn), calls: undefined },
      { type: "ai", content: "", calls },
      ...results.map((content) => ({ type: "tool", content, calls: undefined })),
      { type: "ai", content: `answer ${turn}`, calls: [] },
    ];
  });
  return all.flat();
}

const shape = (message: BaseMessage) => ({
  type: message.getType(),
  content: message.content,
  calls: AIMessage.isInstance(message) ? message.tool_calls : undefined,
});

const [, program, file, turns] = process.argv;
if (program === import.meta.filename && file !== undefined) {
  const db = openDatabase(file);
  process.stdout.write("playing\n");
  await playTurns(createCheckpointer(db), Number(turns));
  db.close();
}
