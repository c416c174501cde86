import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { declareTool, ToolRefusal } from "./agent-tool.ts";
import { statFile } from "./text-files.ts";
import { type Located, locate } from "./thread-folder.ts";

const MAX_FILES = 10;
const PRESENTED = "presented_files";

/** `present_files({paths})`: the people in the thread get these files. What was presented is read back from the state. */
export const presentFiles = declareTool({
  name: "present_files",
  description:
    "Gives files of this thread to the people in it, as attachments. Write them first; usually from /outputs.",
  effect: "idempotent",
  schema: z.object({ paths: z.array(z.string()).min(1) }),
  async run({ paths }, { context: { folder }, toolCallId }) {
    if (paths.length > MAX_FILES)
      throw new ToolRefusal(`Expected at most ${MAX_FILES} files at once, got ${paths.length}.`);
    const located: Located[] = [];
    for (const path of paths) {
      const one = await locate(folder, path);
      await statFile(one);
      located.push(one);
    }
    const names = [...new Set(located.map((one) => one.virtual))];
    return new ToolMessage({
      content: `Presented: ${names.join(", ")}`,
      tool_call_id: toolCallId,
      name: "present_files",
      additional_kwargs: { [PRESENTED]: names },
    });
  },
});

/** The virtual paths that these messages have presented, in order, each once. */
export function presentedFiles(messages: readonly BaseMessage[]): readonly string[] {
  const paths = messages
    .filter((message) => message.getType() === "tool" && message.name === "present_files")
    .flatMap((message): unknown => message.additional_kwargs[PRESENTED] ?? []);
  return [...new Set(paths.filter((path) => typeof path === "string"))];
}
