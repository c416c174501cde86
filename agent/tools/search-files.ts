import { readFile } from "node:fs/promises";
import { z } from "zod";
import { declareTool } from "./agent-tool.ts";
import { findFiles, formatBytes, isBinary, MAX_TEXT_BYTES } from "./text-files.ts";
import { AREAS, locate, virtualPath } from "./thread-folder.ts";

const MAX_FILES = 500;
const MAX_MATCHES = 100;
const MAX_LINE_CHARS = 300;
const NOT_ALL = `… not all files were read: at most ${MAX_FILES}, and none above ${formatBytes(MAX_TEXT_BYTES)}; name a smaller folder.`;

/** `search_files({query, path?})`: `path:line: text` for each line that holds the query, any case. */
export const searchFiles = declareTool({
  name: "search_files",
  description:
    "Finds the lines of this thread's text files that contain a text (any case, no pattern). Returns `path:line: text`.",
  effect: "read_only",
  schema: z.object({
    query: z.string().min(1).max(1000),
    path: z.string().optional().describe("A file or folder; without it, everywhere."),
  }),
  async run({ query, path }, { context: { folder }, signal }) {
    const matches: string[] = [];
    let left = MAX_FILES;
    let unread = 0;
    for (const root of path && path !== "/" ? [path] : AREAS.map((area) => `/${area}`)) {
      const { absolute } = await locate(folder, root);
      for (const file of await findFiles(absolute, left + 1)) {
        if (matches.length > MAX_MATCHES) break;
        signal?.throwIfAborted();
        if (left === 0 || file.sizeBytes > MAX_TEXT_BYTES) {
          unread += 1;
          continue;
        }
        left -= 1;
        const bytes = await readFile(file.absolute);
        if (!isBinary(bytes)) matches.push(...find(bytes.toString("utf8"), query, virtualPath(folder, file.absolute)));
      }
    }
    const found = matches.length === 0 ? [`No file contains "${query}".`] : matches.slice(0, MAX_MATCHES);
    if (matches.length > MAX_MATCHES) found.push(`… more than ${MAX_MATCHES} lines; search for something rarer.`);
    else if (unread > 0) found.push(NOT_ALL);
    return found.join("\n");
  },
});

/** At most one more than are shown. */
function find(text: string, query: string, virtual: string): string[] {
  const wanted = query.toLowerCase();
  const found: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (!line.toLowerCase().includes(wanted)) continue;
    found.push(`${virtual}:${index + 1}: ${line.trim().slice(0, MAX_LINE_CHARS)}`);
    if (found.length > MAX_MATCHES) break;
  }
  return found;
}
