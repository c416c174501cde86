/** What the model server plays in the scenarios: the lead agent and its subagents, told apart by what they are told. */
import type { ModelAnswer, ModelRequest } from "../wire/model-answer.ts";
import { lastUserText, toolResults } from "../wire/model-script.ts";

export type Script = (request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>;

/** A subagent has no `task` of its own. */
export const isSubagent = ({ tools }: ModelRequest): boolean => !tools.some((tool) => tool.function.name === "task");

/** Says back what it was last told. */
export const echo: Script = (request) => ({ content: `You said: ${lastUserText(request)}` });

/** Asks which colour, then repeats the answer word for word. */
export const asks: Script = (request) => {
  const [result] = toolResults(request);
  if (result) return { content: `Tool said: ${result.text}` };
  const args = { question: "Which colour?", clarification_type: "approach_choice", options: ["Deep Red", "Sky Blue"] };
  return { content: "", toolCalls: [{ name: "ask_clarification", args }] };
};

/** Asks for two things and a choice, then repeats the answer word for word. */
export const fillsForm: Script = (request) => {
  const [result] = toolResults(request);
  if (result) return { content: `Tool said: ${result.text}` };
  const fields = [
    { name: "people", label: "People", type: "number", required: true },
    { name: "when", label: "When", type: "text", required: true },
    { name: "terrace", label: "Terrace", type: "checkbox" },
  ];
  const args = { question: "Which table?", clarification_type: "missing_info", fields };
  return { content: "", toolCalls: [{ name: "ask_clarification", args }] };
};

/** Reads the file that came, writes another one and hands it over. */
export const copiesFile: Script = (request) => {
  const results = toolResults(request);
  const [read] = results;
  if (!read) return { toolCalls: [{ name: "read_file", args: { path: "/uploads/list.txt" } }] };
  const path = "/outputs/copy.txt";
  if (results.length === 1)
    return { toolCalls: [{ name: "write_file", args: { path, content: `copied: ${read.text}` } }] };
  if (results.length === 2) return { toolCalls: [{ name: "present_files", args: { paths: [path] } }] };
  return { content: "Here is the copy." };
};

export interface Work {
  /** How often the subagent reports tokens before it falls silent, 110 each time; and how long before each, ms. */
  readonly updates: number;
  readonly everyMs: number;
  /** Its last call. */
  readonly silentMs: number;
  /** Together with the task. */
  readonly said?: string;
  readonly reply: string;
}

/** One task, which reports in a rhythm of its own; then the reply, whose cost is told by nobody. */
export function works({ updates, everyMs, silentMs, said = "", reply }: Work): Script {
  return (request) => {
    const done = toolResults(request).length;
    if (isSubagent(request)) {
      if (done >= updates) return { content: "report", usage: [100, 10], delayMs: silentMs };
      const args = { path: `/uploads/${done}.txt` };
      return { toolCalls: [{ name: "read_file", args }], usage: [100, 10], delayMs: everyMs };
    }
    if (done > 0) return { content: reply, usage: null };
    const args = { description: "Look at it", prompt: lastUserText(request), subagent_type: "general-purpose" };
    return { content: said, toolCalls: [{ name: "task", args }], usage: null };
  };
}

export interface Delegation {
  /** Before each answer of a subagent, ms. */
  readonly stepMs: number;
  /** Model calls of each subagent. */
  readonly steps: number;
}

/** Two tasks side by side, each of some steps on files; then one reply. */
export function delegates({ stepMs, steps }: Delegation): Script {
  return (request) => {
    const results = toolResults(request);
    if (isSubagent(request)) {
      if (results.length >= steps - 1)
        return { content: `report on ${lastUserText(request)}`, usage: [100, 10], delayMs: stepMs };
      return { toolCalls: [{ name: "list_files", args: {} }], usage: [50, 5], delayMs: stepMs };
    }
    if (results.length > 0)
      return { content: `Both are done: ${results.map((one) => one.text).join(" / ")}`, usage: [400, 40] };
    const task = (topic: string, subagent_type: string) => ({
      name: "task",
      args: { description: `Look at ${topic}`, prompt: topic, subagent_type },
    });
    return { toolCalls: [task("apples", "general-purpose"), task("pears", "scout")], usage: [200, 20] };
  };
}
