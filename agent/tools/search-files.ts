import { readFile } from "node:fs/promises";
import { z } from "zod";
import { declareTool } from "./agent-tool.ts";
import { findFiles, isBinary, MAX_TEXT_BYTES } from "./text-files.ts";
import { AREAS, locate, virtualPath } from "./thread-folder.ts";

const MAX_FILES = 500;
const MAX_MATCHES = 100;
const MAX_LINE_CHARS = 300;

/** `search_files({query, path?})`: `path:line: text` for each line that holds the query, any case. */
export const searchFiles = declareTool({
  name: "search_files",
  description:
    "Finds the lines of this thread's text files that contain a text (any case, no pattern). Returns `path:line: text`.",
  effect: "read_only",
  schema: z.object({
    query: z.string().min(1),
    path: z.string().optional().describe("A file or folder; without it, everywhere."),
  }),
  async run({ query, path }, { context: { folder }, signal }) {
    const matches: string[] = [];
    for (const root of path && path !== "/" ? [path] : AREAS.map((area) => `/${area}`)) {
      const { absolute } = await locate(folder, root);
      for (const file of await findFiles(absolute, MAX_FILES)) {
        signal?.throwIfAborted();
        if (file.sizeBytes > MAX_TEXT_BYTES) continue;
        const bytes = await readFile(file.absolute);
        if (!isBinary(bytes)) matches.push(...find(bytes.toString("utf8"), query, virtualPath(folder, file.absolute)));
        if (matches.length > MAX_MATCHES) break;
      }
    }
    if (matches.length === 0) return `No file contains "${query}".`;
    const cut = matches.length > MAX_MATCHES ? [`… more than ${MAX_MATCHES} lines; search for something rarer.`] : [];
    return [...matches.slice(0, MAX_MATCHES), ...cut].join("\n");
  },
});

function find(text: string, query: string, virtual: string): string[] {
  const wanted = query.toLowerCase();
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (!line.toLowerCase().includes(wanted)) return [];
    return [`${virtual}:${index + 1}: ${line.trim().slice(0, MAX_LINE_CHARS)}`];
  });
}
