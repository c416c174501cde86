/**
 * The thread's folder as the agent sees it: `/workspace`, `/uploads`, `/outputs` and what lies below. Every path a
 * model gives passes through here, and none leaves the folder: not by `..`, not by a link, not by a strange character.
 */
import { lstat, mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { ToolRefusal } from "./agent-tool.ts";

export const AREAS = ["workspace", "uploads", "outputs"] as const;
type Area = (typeof AREAS)[number];

export interface Located {
  readonly area: Area;
  /** As the agent names it: `/outputs/report.md`. */
  readonly virtual: string;
  readonly absolute: string;
}

/** Where a virtual path lies. A relative one is below `/workspace`. Throws `ToolRefusal`; touches no file but links. */
export async function locate(folder: string, given: string): Promise<Located> {
  const parts = split(given);
  const area = AREAS.find((one) => one === parts[0]);
  if (!area) {
    throw new ToolRefusal(`Expected a path below /workspace, /uploads or /outputs, got "${shown(given)}".`);
  }
  const absolute = path.join(folder, ...parts);
  await refuseLinksOut(path.join(folder, area), absolute, given);
  return { area, virtual: `/${parts.join("/")}`, absolute };
}

/** The same for a path that will be written: uploads are the originals that people gave, and stay as they are. */
export async function locateForWriting(folder: string, given: string): Promise<Located> {
  const located = await locate(folder, given);
  if (located.area === "uploads") {
    throw new ToolRefusal("/uploads holds what people sent and is read-only. Write to /workspace or /outputs instead.");
  }
  if (located.virtual === `/${located.area}`) {
    throw new ToolRefusal(`Expected the path of a file, got the folder ${located.virtual}.`);
  }
  await mkdir(path.dirname(located.absolute), { recursive: true, mode: 0o700 });
  return located;
}

/** The three areas exist after this. */
export async function ensureAreas(folder: string): Promise<void> {
  for (const area of AREAS) await mkdir(path.join(folder, area), { recursive: true, mode: 0o700 });
}

/** The agent's name for a file inside the folder. */
export function virtualPath(folder: string, absolute: string): string {
  return `/${path.relative(folder, absolute).split(path.sep).join("/")}`;
}

export const isHidden = (name: string): boolean => name.startsWith(".");

function split(given: string): string[] {
  // oxlint-disable-next-line no-control-regex -- NUL and its kin are what is refused
  if (/[\u0000-\u001f\u007f\\]/.test(given)) {
    throw new ToolRefusal(`Expected a path without control characters and backslashes, got "${shown(given)}".`);
  }
  // Far below the 4096 bytes of a whole path on Linux, and more than anybody needs.
  if (Buffer.byteLength(given) > 1000)
    throw new ToolRefusal("Expected a path of at most 1000 bytes, got a longer one.");
  const rooted = given.startsWith("/") ? given : `workspace/${given}`;
  const parts = rooted.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new ToolRefusal(`Expected a path without "..", got "${shown(given)}".`);
  if (parts.some(isHidden)) throw new ToolRefusal(`Hidden files are out of reach: "${shown(given)}".`);
  // ext4, APFS, NTFS: a name has at most 255 bytes.
  if (parts.some((part) => Buffer.byteLength(part) > 255)) {
    throw new ToolRefusal("Expected names of at most 255 bytes; choose a shorter one.");
  }
  return parts;
}

/** The deepest part that exists must, links resolved, still be inside its area. */
async function refuseLinksOut(root: string, absolute: string, given: string): Promise<void> {
  const [realRoot, real] = await Promise.all([resolveExisting(root), resolveExisting(absolute)]);
  if (real !== realRoot && !real.startsWith(realRoot + path.sep)) {
    throw new ToolRefusal(`"${shown(given)}" leads outside this thread's folder and cannot be used.`);
  }
}

/** `realpath` of what exists, the rest appended as it is. */
async function resolveExisting(absolute: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    if (!isMissing(error) || path.dirname(absolute) === absolute) throw error;
    // There, and yet not to be resolved: writing would make what the link names, wherever that is.
    if (await isThere(absolute)) throw new ToolRefusal("A link that leads nowhere is in the way; choose another path.");
    return path.join(await resolveExisting(path.dirname(absolute)), path.basename(absolute));
  }
}

const isThere = (absolute: string): Promise<boolean> =>
  lstat(absolute).then(
    () => true,
    () => false,
  );

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
function shown(given: string): string {
  // oxlint-disable-next-line no-control-regex -- they would garble the sentence
  return given.slice(0, 200).replace(/[\u0000-\u001f\u007f]/g, "?");
}
