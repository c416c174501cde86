import { z } from "zod";
import { declareTool } from "./agent-tool.ts";
import { findFiles, formatBytes } from "./text-files.ts";
import { AREAS, ensureAreas, locate, virtualPath } from "./thread-folder.ts";

const MAX_FILES = 200;

/** `list_files({path?})`: one `/area/file (size)` a line. */
export const listFiles = declareTool({
  name: "list_files",
  description: "Lists the files of this thread with their sizes, at and below a folder; without a path, all of them.",
  effect: "read_only",
  schema: z.object({ path: z.string().optional().describe("A folder, such as /uploads.") }),
  async run({ path }, { context: { folder } }) {
    await ensureAreas(folder);
    const roots = path && path !== "/" ? [path] : AREAS.map((area) => `/${area}`);
    const lines: string[] = [];
    for (const root of roots) {
      const { absolute } = await locate(folder, root);
      const files = await findFiles(absolute, MAX_FILES + 1 - lines.length);
      lines.push(...files.map((file) => `${virtualPath(folder, file.absolute)} (${formatBytes(file.sizeBytes)})`));
    }
    if (lines.length === 0) return "There are no files here.";
    if (lines.length <= MAX_FILES) return lines.join("\n");
    return [...lines.slice(0, MAX_FILES), `… more than ${MAX_FILES} files; list a smaller folder.`].join("\n");
  },
});
