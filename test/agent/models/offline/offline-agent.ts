/** The offline model inside a real agent, with small real tools over files in memory. */
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { OfflineModel } from "../../../../agent/models/offline/offline-model.ts";

const NOON = new Date("2026-11-30T12:00:00Z");
export const model = () => new OfflineModel({ stepDelayMs: 0, now: () => NOON });
export type Files = Map<string, string>;

const SYSTEM = "<current_date>2026-11-30, Monday (Europe/Berlin)</current_date>";

/** A refusal reaches the model as a failed result, as the agent's middleware does it. */
function fileTools(files: Files): StructuredToolInterface[] {
  const listed = (folder: string) => [...files.keys()].filter((path) => path.startsWith(folder));
  return [
    tool(
      ({ path = "/" }) =>
        listed(path)
          .map((one) => `${one} (${files.get(one)?.length} B)`)
          .join("\n") || "There are no files here.",
      {
        name: "list_files",
        description: "Lists files.",
        schema: z.object({ path: z.string().optional() }),
      },
    ),
    tool(({ path, offset = 1 }) => readPiece(files, path, offset), {
      name: "read_file",
      description: "Reads a file.",
      schema: z.object({ path: z.string(), offset: z.number().optional() }),
    }),
    tool(({ path, content }) => (files.set(path, content), `Wrote ${path}.`), {
      name: "write_file",
      description: "Writes a file.",
      schema: z.object({ path: z.string(), content: z.string() }),
    }),
  ];
}

/** 40 lines a piece. */
function readPiece(files: Files, path: string, offset: number): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`There is no file ${path}.`);
  const lines = text.split("\n");
  const piece = lines.slice(offset - 1, offset + 39).join("\n");
  return offset + 39 < lines.length
    ? `${piece}\n[${lines.length} lines in all; go on with offset ${offset + 40}.]`
    : piece;
}

function leadTools(presented: string[], tasks: Task[], files: Files): StructuredToolInterface[] {
  const ask = tool(
    ({ question, options }) =>
      `For your clarification "${question}", my answer is: ${String(interrupt({ question, options }))}`,
    {
      name: "ask_clarification",
      description: "Asks.",
      schema: z.object({
        question: z.string(),
        clarification_type: z.string(),
        context: z.string().optional(),
        options: z.array(z.string()),
      }),
    },
  );
  const present = tool(({ paths }) => (presented.push(...paths), `Presented: ${paths.join(", ")}`), {
    name: "present_files",
    description: "Gives files.",
    schema: z.object({ paths: z.array(z.string()) }),
  });
  const task = tool(
    async (args) => {
      tasks.push(args);
      const messages = await askSubagent(args.prompt, files);
      return `Task Succeeded. Result: ${messages.at(-1)?.text}`;
    },
    {
      name: "task",
      description: "Hands work over.\n\nSubagents:\n- general-purpose: anything\n- researcher: reads files",
      schema: z.object({ description: z.string(), prompt: z.string(), subagent_type: z.string() }),
    },
  );
  return [ask, present, task];
}
interface Task {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type: string;
}

export async function askSubagent(prompt: string, files: Files = new Map(), offline = model()): Promise<BaseMessage[]> {
  const agent = createAgent({ model: offline, tools: fileTools(files) });
  return (await agent.invoke({ messages: [new HumanMessage(prompt)] })).messages;
}

/** One thread with the lead agent. */
export function openThread(files: Files = new Map()) {
  const [presented, tasks]: [string[], Task[]] = [[], []];
  const agent = createAgent({
    model: model(),
    tools: [...fileTools(files), ...leadTools(presented, tasks, files)],
    systemPrompt: SYSTEM,
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: "thread" } };
  const send = async (input: { messages: HumanMessage[] } | Command): Promise<Outcome> => {
    await agent.invoke(input, config);
    const state = await agent.graph.getState(config);
    const messages: BaseMessage[] = z
      .object({ messages: z.array(z.custom<BaseMessage>()) })
      .parse(state.values).messages;
    const pending = state.tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => questionSchema.parse(value)));
    const [question] = pending;
    return { reply: question ? "" : (messages.at(-1)?.text ?? ""), ...(question && { question }), messages };
  };
  return {
    presented,
    tasks,
    files,
    say: (...texts: string[]) => send({ messages: texts.map((text) => new HumanMessage(text)) }),
    answer: (text: string) => send(new Command({ resume: text })),
  };
}
const questionSchema = z.object({ question: z.string(), options: z.array(z.string()) });
export interface Outcome {
  readonly reply: string;
  readonly question?: z.output<typeof questionSchema>;
  readonly messages: readonly BaseMessage[];
}

export const withFiles = (text: string, ...paths: string[]) =>
  [text, "<files>", ...paths.map((path) => `${path} (2.1 kB)`), "</files>"].join("\n");

export const toolNames = (messages: readonly BaseMessage[]): readonly string[] =>
  messages
    .filter((message) => AIMessage.isInstance(message))
    .flatMap(({ tool_calls: calls = [] }) => calls.map(({ name }) => name));
