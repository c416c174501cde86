/** The process dies at any moment: the thread goes on as if it had not. */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MemorySaver } from "@langchain/langgraph";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import type Database from "better-sqlite3";
import Sqlite from "better-sqlite3";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPrune } from "../../store/checkpoint-upkeep.ts";
import { type Checkpointer, createCheckpointer } from "../../store/checkpointer.ts";
import { commitNow } from "../../store/commit.ts";
import { openDatabase } from "../../store/database.ts";
import { migrate } from "../../store/migrations.ts";
import { tempFolder } from "../helpers.ts";
import { expectedTurns, playTurns } from "./turns.ts";

const LONG = process.env["THREADLINE_LONG"] !== undefined;

/** Calls `before` with the how-manyeth statement it is, before each statement that writes. */
function watchStatements(db: Database.Database, before: (count: number) => void): void {
  let count = 0;
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    const statement = prepare(sql);
    const run = statement.run.bind(statement);
    statement.run = (...parameters: unknown[]) => {
      before((count += 1));
      return run(...parameters);
    };
    return statement;
  }) as typeof db.prepare; // boundary: its overloads
}

/** What `kill -9` would leave in the files, at this moment. */
function copyAsKilled(file: string, copy: string): void {
  for (const end of ["", "-wal"]) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
}

/** The moments at which copies are taken: everywhere, and the same in each run. */
function moments(of: number, wanted: number): ReadonlySet<number> {
  return new Set(Array.from({ length: wanted }, (_, index) => 1 + Math.floor((index * of) / wanted)));
}

const count = (db: Database.Database, table: string) =>
  db.prepare<[], number>(`select count(*) from ${table}`).pluck().get() ?? 0;
const at = { thread_id: "t", checkpoint_ns: "" };
/** Large enough to be a piece of its own. */
const note = (index: number) => `note ${index} `.repeat(2000);
/** Each checkpoint refers to a piece that no other one refers to. */
async function writeNotes(saver: Checkpointer, checkpoints: number): Promise<void> {
  for (let index = 0; index < checkpoints; index += 1) {
    const values = { channel_values: { note: note(index) }, channel_versions: { note: index + 1 } };
    const checkpoint = { ...emptyCheckpoint(), id: uuid6(index), ...values };
    await saver.put({ configurable: at }, checkpoint, { source: "loop", step: index, parents: {} });
  }
}
async function readNotes(db: Database.Database): Promise<unknown> {
  const found = await createCheckpointer(db).getTuple({ configurable: at });
  return found?.checkpoint.channel_values["note"];
}
function pruneAll(db: Database.Database, keep: number): void {
  const step = createPrune(db, createCheckpointer(db), keep)();
  while (step());
}

describe("a thread whose process dies", () => {
  it(`between any two statements is the same in the end as one that was left alone (${LONG ? 200 : 40} moments)`, async () => {
    const turns = 3;
    const expected = await playTurns(new MemorySaver(), turns);
    expect(expected).toEqual(expectedTurns(turns));
    const folder = tempFolder();
    const counted = openDatabase(path.join(folder, "counted.db"));
    let statements = 0;
    watchStatements(counted, (count) => (statements = count));
    await playTurns(createCheckpointer(counted), turns);
    counted.close();

    const wanted = moments(statements, LONG ? 200 : 40);
    const file = path.join(folder, "threadline.db");
    const db = openDatabase(file);
    watchStatements(db, (count) => {
      if (wanted.has(count)) copyAsKilled(file, path.join(folder, `killed-${count}.db`));
    });
    expect(await playTurns(createCheckpointer(db), turns)).toEqual(expected);
    db.close();

    let tried = 0;
    for (const count of wanted) {
      const copy = path.join(folder, `killed-${count}.db`);
      if (!existsSync(copy)) continue; // the second run may take a few statements less
      const killed = openDatabase(copy);
      expect(await playTurns(createCheckpointer(killed), turns), `killed at statement ${count}`).toEqual(expected);
      killed.close();
      tried += 1;
    }
    expect(tried).toBeGreaterThan(wanted.size * 0.9);
  }, 300_000);

  it("between any two steps of pruning leaves nothing behind, also when more is kept from then on", async () => {
    const folder = tempFolder();
    const file = path.join(folder, "threadline.db");
    const db = openDatabase(file);
    const saver = createCheckpointer(db);
    await writeNotes(saver, 4);
    commitNow(db);
    const step = createPrune(db, saver, 1)();
    let steps = 0;
    for (let more = true; more; steps += 1) {
      copyAsKilled(file, path.join(folder, `killed-${steps}.db`));
      more = step();
    }
    db.close();
    let between = 0;
    for (let before = 0; before < steps; before += 1) {
      const killed = openDatabase(path.join(folder, `killed-${before}.db`));
      onTestFinished(() => void killed.close());
      const isDropped = count(killed, "graph_checkpoints") === 1;
      if (isDropped && count(killed, "graph_pieces") > 1) between += 1;
      pruneAll(killed, isDropped ? 5 : 1);
      expect(count(killed, "graph_pieces"), `killed after ${before} steps`).toBe(1);
      expect(await readNotes(killed)).toBe(note(3));
    }
    expect(between).toBeGreaterThan(0);
  });

  it("and was of a version that left something behind then is looked through once", async () => {
    const file = path.join(tempFolder(), "threadline.db");
    const earlier = new Sqlite(file);
    migrate(earlier, 4);
    await writeNotes(createCheckpointer(earlier), 4);
    commitNow(earlier);
    earlier.exec("delete from graph_checkpoints where id < (select max(id) from graph_checkpoints)");
    expect(count(earlier, "graph_pieces")).toBe(4);
    earlier.close();
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    pruneAll(db, 1);
    expect(count(db, "graph_pieces")).toBe(1);
    expect(await readNotes(db)).toBe(note(3));
  });

  it.skipIf(!LONG)(
    "by kill -9 at 200 random moments is the same in the end (only with THREADLINE_LONG=1: some minutes)",
    async () => {
      const program = await bundleTurns();
      // Four threads, each in a file of its own, side by side.
      const killed = await Promise.all(Array.from({ length: 4 }, () => playKilled(program, 50, 150)));
      for (const file of killed) {
        const db = openDatabase(file);
        onTestFinished(() => void db.close());
        expect(await playTurns(createCheckpointer(db), 150)).toEqual(expectedTurns(150));
        expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
      }
    },
    1_800_000,
  );
});

/** As one file: 200 processes start, and one that has its modules to find takes four seconds until it plays. */
async function bundleTurns(): Promise<string> {
  const [entry, outfile] = [path.join(import.meta.dirname, "turns.ts"), path.join(tempFolder(), "turns.mjs")];
  const sqlite = createRequire(import.meta.url).resolve("better-sqlite3");
  const require = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;
  const found = { alias: { "better-sqlite3": sqlite }, external: [sqlite], banner: { js: require } };
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", ...found });
  return outfile;
}

/** Plays turns in processes that are killed so often, each while it plays; the last one may end. Resolves to the file. */
async function playKilled(program: string, kills: number, turns: number): Promise<string> {
  const file = path.join(tempFolder(), "threadline.db");
  for (let killed = 0; ;) {
    const child = spawn(process.execPath, [program, file, String(turns)]);
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    onTestFinished(() => void child.kill("SIGKILL"));
    await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), exited]);
    if (killed < kills) {
      await sleep(Math.random() * 60);
      child.kill("SIGKILL");
      killed += 1;
    }
    const code = await exited;
    if (code === 0 && killed < kills) throw new Error(`Expected ${kills} kills before the last turn, got ${killed}`);
    if (code === 0) return file;
  }
}
