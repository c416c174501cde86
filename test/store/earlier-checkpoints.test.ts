/** A database whose checkpoints an earlier version wrote with the library's own saver. */
import path from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver, Checkpoint } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Sqlite, { type Database } from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCheckpointer } from "../../store/checkpointer.ts";
import { openDatabase } from "../../store/database.ts";
import { moveEarlierCheckpoints } from "../../store/earlier-checkpoints.ts";
import { migrate } from "../../store/migrations.ts";
import { tempFolder } from "../helpers.ts";
import { playTurns } from "./turns.ts";

const THREADS = ["t", "u", "v"];

/** As version 0.1.0 left it: the schema of its time, and checkpoints in the library's tables. */
async function earlierDatabase(turns: number): Promise<{ file: string; before: Record<string, unknown> }> {
  const file = path.join(tempFolder(), "threadline.db");
  const db = new Sqlite(file);
  migrate(db, 2);
  const saver = new SqliteSaver(db);
  const before: Record<string, unknown> = {};
  for (const thread of THREADS) {
    await playTurns(saver, turns, thread);
    before[thread] = await everything(saver, thread);
  }
  db.close();
  return { file, before };
}

function open(file: string): Database {
  const db = openDatabase(file);
  onTestFinished(() => void db.close());
  return db;
}

/** Every checkpoint of a thread with its pending writes; channels that nobody has written yet have their default. */
async function everything(saver: BaseCheckpointSaver, thread: string): Promise<unknown> {
  const tuples = [];
  for await (const { checkpoint, metadata, pendingWrites = [] } of saver.list({ configurable: { thread_id: thread } }))
    tuples.push({ checkpoint: written(checkpoint), metadata, writes: pendingWrites.map((one) => JSON.stringify(one)) });
  const plain = JSON.parse(JSON.stringify(tuples)) as { writes: string[] }[];
  return plain.map((tuple) => ({ ...tuple, writes: tuple.writes.toSorted() }));
}
function written({ channel_values: values, ...rest }: Checkpoint) {
  const entries = Object.entries(values).filter(([channel]) => channel in rest.channel_versions);
  return { ...rest, channel_values: Object.fromEntries(entries) };
}

describe("checkpoints of an earlier version", () => {
  it("are moved over whole, and their threads go on", async () => {
    const { file, before } = await earlierDatabase(3);
    const db = open(file);
    const saver = createCheckpointer(db);
    const reports: string[] = [];
    await moveEarlierCheckpoints(db, saver, (done, all) => void reports.push(`${done} of ${all}`));
    expect(reports).toEqual(["0 of 3", "1 of 3", "2 of 3"]);
    for (const thread of THREADS) expect(await everything(createCheckpointer(db), thread)).toEqual(before[thread]);
    const left = db.prepare("select name from sqlite_master where name in ('checkpoints', 'writes')").all();
    expect(left).toEqual([]);
    expect(await playTurns(saver, 5)).toEqual(await playTurns(new MemorySaver(), 5));
    await moveEarlierCheckpoints(db, saver, () => expect.unreachable("there is nothing left to move"));
  });

  it("are moved over by the next start when one is broken off in the middle of a thread", async () => {
    const { file, before } = await earlierDatabase(2);
    const first = openDatabase(file);
    const saver = createCheckpointer(first);
    const put = saver.put.bind(saver);
    let puts = 0;
    saver.put = async (...args) => {
      puts += 1;
      if (puts === 14) throw new Error("the process dies");
      return put(...args);
    };
    await expect(moveEarlierCheckpoints(first, saver, () => {})).rejects.toThrow(/cannot be read/);
    first.close();
    const db = open(file);
    await moveEarlierCheckpoints(db, createCheckpointer(db), () => {});
    for (const thread of THREADS) expect(await everything(createCheckpointer(db), thread)).toEqual(before[thread]);
  });

  it("that are damaged are refused with a sentence that names the thread, and stay as they were", async () => {
    const { file } = await earlierDatabase(1);
    const db = open(file);
    db.prepare("update checkpoints set checkpoint = '{' where thread_id = 'u'").run();
    const rows = () => db.prepare("select count(*) from checkpoints where thread_id = 'u'").pluck().get();
    const before = rows();
    const moving = moveEarlierCheckpoints(db, createCheckpointer(db), () => {});
    await expect(moving).rejects.toThrow(
      /of the thread u, which an earlier version wrote, cannot be read: restore a copy/,
    );
    expect(rows()).toBe(before);
  });
});
