import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { declareTool, ToolRefusal } from "./agent-tool.ts";
import { readText } from "./text-files.ts";
import { locateForWriting } from "./thread-folder.ts";

/** `edit_file({path, old_text, new_text})`: replaces the one place where `old_text` stands. */
export const editFile = declareTool({
  name: "edit_file",
  description:
    "Replaces one passage of a text file. `old_text` must stand in the file exactly once: take in a little of what is around it.",
  // A repeat would edit what the first time may already have changed.
  effect: "once",
  schema: z.object({ path: z.string(), old_text: z.string().min(1), new_text: z.string() }),
  async run({ path, old_text, new_text }, { context: { folder }, signal }) {
    const located = await locateForWriting(folder, path);
    const parts = (await readText(located)).split(old_text);
    if (parts.length === 1)
      throw new ToolRefusal(`old_text does not stand in ${located.virtual}. Read it again first.`);
    if (parts.length > 2) {
      throw new ToolRefusal(
        `old_text stands in ${located.virtual} ${parts.length - 1} times. Make it longer, so that it is unique.`,
      );
    }
    await writeFile(located.absolute, parts.join(new_text), { mode: 0o600, ...(signal && { signal }) });
    return `Changed ${located.virtual}.`;
  },
});
