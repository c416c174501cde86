/** Reading the thread's files as text, within bounds. */
import type { Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ToolRefusal } from "./agent-tool.ts";
import { isHidden, isMissing, type Located } from "./thread-folder.ts";

/** Larger files are neither read nor searched: a model could not use them whole. */
export const MAX_TEXT_BYTES = 5_000_000;

export interface FoundFile {
  readonly absolute: string;
  readonly sizeBytes: number;
}

/** The text of a file. Throws `ToolRefusal` when it is missing, a folder, too large or no text. */
export async function readText({ absolute, virtual }: Located): Promise<string> {
  const { size } = await statFile({ absolute, virtual });
  if (size > MAX_TEXT_BYTES) {
    throw new ToolRefusal(
      `${virtual} has ${formatBytes(size)}; files above ${formatBytes(MAX_TEXT_BYTES)} cannot be read.`,
    );
  }
  const bytes = await readFile(absolute);
  if (isBinary(bytes))
    throw new ToolRefusal(`${virtual} is not a text file (${formatBytes(size)}) and cannot be read.`);
  return bytes.toString("utf8");
}

/** Throws `ToolRefusal` when there is no such regular file. */
export async function statFile({ absolute, virtual }: Pick<Located, "absolute" | "virtual">): Promise<Stats> {
  const found = await stat(absolute).catch((error: unknown) => {
    if (isMissing(error)) throw new ToolRefusal(`There is no file ${virtual}. list_files shows those there are.`);
    throw error;
  });
  if (!found.isFile()) throw new ToolRefusal(`${virtual} is a folder, not a file.`);
  return found;
}

/** Regular files at or below a path, sorted, without hidden ones and links; at most `limit`. */
export async function findFiles(absolute: string, limit: number): Promise<FoundFile[]> {
  const found = await stat(absolute).catch(() => undefined);
  if (!found) return [];
  if (found.isFile()) return [{ absolute, sizeBytes: found.size }];
  if (!found.isDirectory()) return [];
  const entries = await readdir(absolute, { withFileTypes: true });
  const files: FoundFile[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (files.length >= limit) break;
    if (isHidden(entry.name) || entry.isSymbolicLink()) continue;
    files.push(...(await findFiles(path.join(absolute, entry.name), limit - files.length)));
  }
  return files;
}

/** A NUL among the first 8 kB: the rule that git uses. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** `950 B`, `2.1 kB`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
