import { writeFile as write } from "node:fs/promises";
import { z } from "zod";
import { declareTool } from "./agent-tool.ts";
import { formatBytes } from "./text-files.ts";
import { locateForWriting } from "./thread-folder.ts";

/** `write_file({path, content})`: the file has this content afterwards, whatever was there. */
export const writeFile = declareTool({
  name: "write_file",
  description:
    "Writes a text file of this thread, replacing what was there. Drafts go to /workspace, results to /outputs.",
  effect: "idempotent",
  schema: z.object({ path: z.string().describe("Such as /outputs/summary.md."), content: z.string() }),
  async run({ path, content }, { context: { folder }, signal }) {
    const { absolute, virtual } = await locateForWriting(folder, path);
    await write(absolute, content, { mode: 0o600, ...(signal && { signal }) });
    return `Wrote ${virtual} (${formatBytes(Buffer.byteLength(content))}).`;
  },
});
