/** Which tools there are: subagents get the file tools, the lead agent those and the ones that face people. */
import { TASK_TOOL } from "../../subagents/task-tool.ts";
import type { AgentTool } from "./agent-tool.ts";
import { askClarification } from "./ask-clarification.ts";
import { editFile } from "./edit-file.ts";
import { listFiles } from "./list-files.ts";
import { presentFiles } from "./present-files.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";
import { writeFile } from "./write-file.ts";

export const fileTools: readonly AgentTool[] = [listFiles, readFile, writeFile, editFile, searchFiles];
/** `task` stands between them; asking comes last. */
export const peopleTools = { presentFiles, askClarification } as const;

/** Of all there are. */
export const toolNames: readonly string[] = [
  ...[...fileTools, ...Object.values(peopleTools)].map(({ tool }) => tool.name),
  TASK_TOOL,
];
