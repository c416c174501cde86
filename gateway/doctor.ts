/**
 * `threadline doctor`: asks everything that the program needs whether it is there, one line each, with what to do.
 * It reads only: no event is taken, no file or folder is made.
 */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "./config.ts";
import { redactText } from "./config-secrets.ts";
import type { Finding } from "./contract.ts";
import { freeBytesAt } from "./disk.ts";

export interface Check {
  /** One or two words before the colon: `data folder`. */
  readonly title: string;
  /** A throw is a finding too. */
  readonly run: () => Promise<readonly Finding[]>;
}

/**
 * Runs all checks at once and prints their findings in order, `✓` or `✗` and one line each. A check that throws or takes
 * longer than `limitMs` is a `✗`. Returns whether everything is well; never throws.
 */
export async function runDoctor(
  checks: readonly Check[],
  print: (line: string) => void,
  limitMs = 15_000,
): Promise<boolean> {
  const all = checks.map((check) => findingsOf(check, limitMs));
  let well = true;
  for (const [index, check] of checks.entries()) {
    for (const { ok, text } of withoutRepeats((await all[index]) ?? [])) {
      well &&= ok;
      print(`${ok ? "✓" : "✗"} ${check.title}: ${redactText(text).replace(/\s*\n\s*/g, " ")}`);
    }
  }
  return well;
}

/** Two questions may fail for one reason. */
const withoutRepeats = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ text }, index) => findings.findIndex((one) => one.text === text) === index);

async function findingsOf({ run }: Check, limitMs: number): Promise<readonly Finding[]> {
  const over = new AbortController();
  try {
    const late = sleep(limitMs, undefined, { signal: over.signal }).then((): readonly Finding[] => [
      { ok: false, text: `expected an answer within ${limitMs} ms, got none; check the network and try again` },
    ]);
    // Its end by `over` is no news.
    late.catch(() => undefined);
    return await Promise.race([run(), late]);
  } catch (error) {
    const texts =
      error instanceof ConfigError ? error.problems : [error instanceof Error ? error.message : String(error)];
    return texts.map((text) => ({ ok: false, text }));
  } finally {
    over.abort();
  }
}

/** What is asked of the file system; injected so that a full or locked disk can be shown. */
export interface FolderProbe {
  /** Rejects when this process may not make files there. */
  readonly writable: (path: string) => Promise<void>;
  readonly freeBytes: (path: string) => Promise<number>;
}
const disk: FolderProbe = {
  writable: (path) => access(path, constants.W_OK | constants.X_OK),
  freeBytes: freeBytesAt,
};
/** Below this a database with its write-ahead log and a few files of people soon fills the disk. Ours. */
const ENOUGH_BYTES = 200 * 1024 * 1024;

/** The data folder: there or possible to make, writable, closed to others (0700), with room. */
export async function checkDataFolder(dataDir: string, probe: FolderProbe = disk): Promise<readonly Finding[]> {
  const folder = resolve(dataDir);
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error.code);
  if (found === "ENOENT") return checkParent(folder, probe);
  if (found === undefined || typeof found === "string") {
    return [
      { ok: false, text: `expected to reach ${folder}, got ${found ?? "an error"}; set data_dir to another folder` },
    ];
  }
  if (!found.isDirectory())
    return [{ ok: false, text: `expected ${folder} to be a folder, got a file; set data_dir to another` }];
  const open = found.mode & 0o077;
  return [
    await writableFinding(folder, probe),
    open === 0
      ? { ok: true, text: "nobody else on this machine can read it" }
      : { ok: false, text: `others on this machine can read it; run: chmod 700 ${folder}` },
    await spaceFinding(folder, probe),
  ];
}

/** The folder is not there yet: its nearest existing parent decides whether it can be made. */
async function checkParent(folder: string, probe: FolderProbe): Promise<readonly Finding[]> {
  let parent = dirname(folder);
  while (parent !== dirname(parent) && !(await exists(parent))) parent = dirname(parent);
  const allowed = await isWritable(parent, probe);
  const made = allowed
    ? { ok: true, text: `${folder} is not there yet and will be made at the first start` }
    : {
        ok: false,
        text: `expected to be able to make ${folder}, got no right to write in ${parent}; set data_dir to another folder`,
      };
  return [made, await spaceFinding(parent, probe)];
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
const isWritable = (path: string, probe: FolderProbe): Promise<boolean> =>
  probe.writable(path).then(
    () => true,
    () => false,
  );

const writableFinding = async (folder: string, probe: FolderProbe): Promise<Finding> =>
  (await isWritable(folder, probe))
    ? { ok: true, text: `${folder} is writable` }
    : {
        ok: false,
        text: `expected to be able to write in ${folder}, got no right; make this user its owner or set data_dir`,
      };

async function spaceFinding(folder: string, probe: FolderProbe): Promise<Finding> {
  const free = await probe.freeBytes(folder);
  const megabytes = Math.floor(free / 1024 / 1024);
  return free >= ENOUGH_BYTES
    ? { ok: true, text: `${megabytes} MB are free` }
    : { ok: false, text: `expected at least 200 MB of free space, got ${megabytes} MB; make room or set data_dir` };
}
