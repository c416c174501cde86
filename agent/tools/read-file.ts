import { z } from "zod";
import { declareTool } from "./agent-tool.ts";
import { readText } from "./text-files.ts";
import { locate } from "./thread-folder.ts";

const DEFAULT_LINES = 2000;
const MAX_CHARS = 60_000;

/** `read_file({path, offset?, limit?})`: the text as it is; a last line in brackets says where to go on. */
export const readFile = declareTool({
  name: "read_file",
  description: "Reads a text file of this thread. Long files come in pieces: go on with `offset`.",
  effect: "read_only",
  schema: z.object({
    path: z.string().describe("Such as /uploads/report.md."),
    offset: z.number().int().min(1).optional().describe("The first line to read, counted from 1."),
    limit: z.number().int().min(1).optional().describe(`How many lines; ${DEFAULT_LINES} unless given.`),
  }),
  async run({ path, offset = 1, limit = DEFAULT_LINES }, { context: { folder } }) {
    const lines = (await readText(await locate(folder, path))).split("\n");
    if (offset > lines.length) return `[The file has only ${lines.length} lines.]`;
    return page(lines, offset, limit);
  },
});

/** Lines `offset` to `offset + limit - 1`, fewer when they would be too many characters; always at least one. */
function page(lines: readonly string[], offset: number, limit: number): string {
  const first = offset - 1;
  let end = first;
  let chars = 0;
  for (; end < Math.min(lines.length, first + limit); end++) {
    chars += (lines[end]?.length ?? 0) + 1;
    if (chars > MAX_CHARS && end > first) break;
  }
  const text = lines.slice(first, end).join("\n");
  const kept =
    text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}\n[Line ${offset} is longer and was cut here.]` : text;
  return end < lines.length ? `${kept}\n[${lines.length} lines in all; go on with offset ${end + 1}.]` : kept;
}
