/** The thread's files, through the file tools. */
import type { Source } from "./passages.ts";
import { callOne, type Script } from "./script.ts";
import type { Situation } from "./situation.ts";
import { pathsIn } from "./turn.ts";

/** Files one job may read, and pieces of one file. */
const MOST_FILES = 8;
const MOST_PIECES = 10;

/** Paths that came with the request if they are enough, else all uploads. Undefined: they could not be listed. */
export async function* knownFiles(
  { turn, tools }: Situation,
  enough: (files: readonly string[]) => boolean = (files) => files.length > 0,
): Script<readonly string[] | undefined> {
  if (enough(turn.files)) return turn.files;
  if (!tools.has("list_files")) return undefined;
  const result = yield* callOne("list_files", { path: "/uploads" });
  return result.failed ? undefined : pathsIn(result.text);
}

export interface Reading {
  readonly sources: readonly Source[];
  /** One sentence for each file that could not be read whole. */
  readonly troubles: readonly string[];
}

/** One piece of one file a step, so that work on a big pile shows. */
export async function* readFiles({ tools }: Situation, paths: readonly string[]): Script<Reading> {
  const sources: Source[] = [];
  const troubles: string[] = [];
  if (!tools.has("read_file"))
    return { sources, troubles: ["I cannot read files here: no `read_file` tool is offered."] };
  for (const path of paths.slice(0, MOST_FILES)) {
    const { text, trouble } = yield* readWhole(path);
    if (text) sources.push({ path, text });
    if (trouble) troubles.push(trouble);
  }
  if (paths.length > MOST_FILES) troubles.push(`I read ${MOST_FILES} of ${paths.length} files, not more at once.`);
  return { sources, troubles };
}

/** `read_file` ends a piece with `[… go on with offset N.]`. */
async function* readWhole(path: string): Script<{ text: string; trouble?: string }> {
  const pieces: string[] = [];
  let offset: number | undefined;
  do {
    const result = yield* callOne("read_file", { path, ...(offset && { offset }) });
    const text = pieces.join("\n");
    if (result.failed) return { text, trouble: `\`${path}\` could not be read: ${result.text.slice(0, 200)}` };
    const more = /\n\[[^\n]*go on with offset (\d+)[^\n]*\]\s*$/.exec(result.text);
    pieces.push(more ? result.text.slice(0, more.index) : result.text);
    offset = more ? Number(more[1]) : undefined;
  } while (offset && pieces.length < MOST_PIECES);
  const text = pieces.join("\n");
  return offset ? { text, trouble: `\`${path}\` is long: I read it up to line ${offset - 1}.` } : { text };
}

/** Writes to /outputs and hands the file over. Returns the answer. */
export async function* writeAndPresent({ tools }: Situation, name: string, content: string): Script {
  if (!tools.has("write_file")) return "I cannot write files here: no `write_file` tool is offered.";
  const path = `/outputs/${name}`;
  const written = yield* callOne("write_file", { path, content });
  if (written.failed) return `\`${path}\` could not be written: ${written.text.slice(0, 200)}`;
  if (!tools.has("present_files")) return `Written to \`${path}\`.`;
  const handed = yield* callOne("present_files", { paths: [path] });
  const trouble = handed.failed ? `, but it could not be handed over: ${handed.text.slice(0, 200)}` : ".";
  return `Written to \`${path}\`${trouble}`;
}

export const baseName = (path: string): string => path.split("/").at(-1) ?? path;
