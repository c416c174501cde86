/**
 * One file that holds everything: a gzipped tar with the database as it was at one moment and all that lies beside it.
 * Made while the program runs, by a process of its own that only reads; `tar -xzf FILE -C data_dir` gives it back.
 *
 * The database comes first: a file lies in its folder before a row names it, so every file that the copy of the database
 * names is found afterwards, unless it was deleted meanwhile.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, type Stats } from "node:fs";
import { lstat, open, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import Database from "better-sqlite3";
import { Header, Pack, ReadEntry } from "tar";
import { StoreError } from "./store-error.ts";

export interface BackupSummary {
  readonly threads: number;
  /** Beside the database. */
  readonly files: number;
  /** Of the backup file. */
  readonly bytes: number;
}

const DATABASE = "threadline.db";
/** What is in the copy of the database, belongs to a process, or is being written at this moment. By path. */
const NOT_DATA =
  /^threadline\.(?:db|lock)(?:-\w+)?$|^threads\/[^/]+\/\.incoming-|^(?!threads\/)[^/]+\/[^/]+\.(?:new|part)$/;

/**
 * Writes `file` (0600), which must not be there yet: under another name first, so that one that was broken off is not
 * taken for a backup.
 * @throws StoreError with a sentence for the operator: nothing to back up, no such folder, no room.
 */
export async function backUp(dataDir: string, file: string): Promise<BackupSummary> {
  const target = path.resolve(file);
  await refuseTarget(target, path.resolve(dataDir));
  const half = path.join(path.dirname(target), `.${path.basename(target)}.${randomUUID()}`);
  const [snapshot, partial] = [`${half}.db`, `${half}.partial`];
  try {
    const threads = await takeSnapshot(path.resolve(dataDir), snapshot);
    const files = await pack(path.resolve(dataDir), snapshot, partial);
    const bytes = await putOnDisk(partial);
    await refuseExisting(target);
    await rename(partial, target);
    return { threads, files, bytes };
  } catch (error) {
    throw explain(error, target);
  } finally {
    for (const one of [snapshot, `${snapshot}-journal`, partial]) await rm(one, { force: true });
  }
}

async function refuseTarget(target: string, dataDir: string): Promise<void> {
  if (target === dataDir || target.startsWith(dataDir + path.sep))
    throw new StoreError(
      `Expected a file outside the data folder ${dataDir}, got ${target}: the next backup would hold this one; name another place`,
    );
  await refuseExisting(target);
  const folder = path.dirname(target);
  if (!(await statOf(folder))?.isDirectory())
    throw new StoreError(`There is no folder ${folder}; make it first, or name another place for the backup`);
}

async function refuseExisting(target: string): Promise<void> {
  if (await statOf(target)) throw new StoreError(`${target} is there already; remove it, or name another file`);
}

/** Undefined: it is not there. */
async function statOf(file: string): Promise<Stats | undefined> {
  return lstat(file).catch((error: unknown) => {
    if (isGone(error)) return undefined;
    throw error;
  });
}

/** A reader in WAL mode blocks no writer. Returns how many threads there are. */
async function takeSnapshot(dataDir: string, snapshot: string): Promise<number> {
  if (!(await statOf(path.join(dataDir, DATABASE))))
    throw new StoreError(
      `There is no ${DATABASE} in the data folder ${dataDir}, so there is nothing to back up; name the configuration of the bot with --config`,
    );
  // Made here, since SQLite would make it readable for others and fills only an empty one.
  await (await open(snapshot, "wx", 0o600)).close();
  const db = new Database(path.join(dataDir, DATABASE), { readonly: true });
  try {
    db.prepare("vacuum into ?").run(snapshot);
  } finally {
    db.close();
  }
  const copy = new Database(snapshot, { readonly: true });
  try {
    return copy.prepare<[], number>("select count(*) from threads").pluck().get() ?? 0;
  } finally {
    copy.close();
  }
}

/** Returns how many files lie beside the database. */
async function pack(dataDir: string, snapshot: string, partial: string): Promise<number> {
  const archive = new Pack({ gzip: true, portable: true });
  const written = pipeline(archive, createWriteStream(partial, { flags: "wx", mode: 0o600 }));
  const fill = async () => {
    await add(archive, DATABASE, snapshot);
    const files = await addFolder(archive, dataDir, "");
    archive.end();
    return files;
  };
  // Where it cannot be written, nothing more is asked for and `fill` would wait for ever.
  const [files] = await Promise.all([fill(), written]);
  return files;
}

async function addFolder(archive: Pack, dataDir: string, folder: string): Promise<number> {
  let files = 0;
  for (const one of await readdir(path.join(dataDir, folder), { withFileTypes: true }).catch(orGone)) {
    const name = path.posix.join(folder, one.name);
    if (NOT_DATA.test(name)) continue;
    if (one.isDirectory()) {
      const { mtime } = (await statOf(path.join(dataDir, name))) ?? {};
      await addEntry(archive, { path: `${name}/`, type: "Directory", mode: 0o700, size: 0, ...(mtime && { mtime }) });
      files += await addFolder(archive, dataDir, name);
    } else if (one.isFile() && (await add(archive, name, path.join(dataDir, name)))) files += 1;
  }
  return files;
}

/**
 * False: it is gone meanwhile. Read as a whole, so that one that is written at this moment has the size it says; none is
 * larger than what a platform lets through.
 */
async function add(archive: Pack, name: string, file: string): Promise<boolean> {
  const bytes = await readFile(file).catch(orUndefined);
  if (!bytes) return false;
  const { mtime } = (await statOf(file)) ?? {};
  await addEntry(
    archive,
    { path: name, type: "File", mode: 0o600, size: bytes.length, ...(mtime && { mtime }) },
    bytes,
  );
  return true;
}

async function addEntry(archive: Pack, data: ConstructorParameters<typeof Header>[0], bytes?: Buffer): Promise<void> {
  const header = new Header(data);
  const entry = new ReadEntry(header);
  const taken = once(entry, "end");
  archive.add(entry);
  if (bytes?.length) entry.write(bytes);
  entry.end();
  await taken;
}

/** Returns its size. */
async function putOnDisk(file: string): Promise<number> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";
function orUndefined(error: unknown): undefined {
  if (!isGone(error)) throw error;
}
function orGone(error: unknown): [] {
  if (!isGone(error)) throw error;
  return [];
}

function explain(error: unknown, target: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  const advice = /ENOSPC|EDQUOT|SQLITE_FULL/.test(code)
    ? "make room there, or name a file on another disk"
    : /^SQLITE_(CORRUPT|NOTADB)/.test(code)
      ? "the database is damaged: restore an earlier backup"
      : "check that this user may read the data folder and write there";
  return new StoreError(`The backup ${target} could not be made (${error.message}): ${advice}`, { cause: error });
}
