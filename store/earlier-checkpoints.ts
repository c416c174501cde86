/**
 * Checkpoints that an earlier version wrote with the library's own saver are moved over at the start, before anything is
 * read. A thread's are copied in order, and deleted when all of the copies are on disk: a start that is broken off leaves
 * each thread where it was or copied twice over the same rows, and the next one goes on.
 */
import type { Checkpoint, CheckpointMetadata, PendingWrite } from "@langchain/langgraph-checkpoint";
import type { Database } from "better-sqlite3";
import { decode, NO_PIECES } from "./checkpoint-codec.ts";
import type { Checkpointer } from "./checkpointer.ts";
import { stored, transaction } from "./commit.ts";
import { StoreError } from "./store-error.ts";

interface EarlierRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly checkpoint: Buffer | string;
  readonly metadata: Buffer | string;
}
interface EarlierWrite {
  readonly task_id: string;
  readonly idx: number;
  readonly channel: string;
  readonly type: string | null;
  readonly value: Buffer | string;
}
/** Threads that are done, of all. */
type Report = (done: number, all: number) => void;

/**
 * Resolves when nothing is left of the earlier form. `report` is called before each thread.
 * @throws StoreError naming the thread whose checkpoints cannot be read.
 */
export async function moveEarlierCheckpoints(db: Database, checkpointer: Checkpointer, report: Report): Promise<void> {
  const tables = db
    .prepare<[], string>("select name from sqlite_master where type = 'table' and name in ('checkpoints', 'writes')")
    .pluck()
    .all();
  if (tables.length < 2) return;
  const threads = db.prepare<[], string>("select distinct thread_id from checkpoints").pluck().all();
  for (const [done, thread] of threads.entries()) {
    report(done, threads.length);
    await moveThread(db, checkpointer, thread);
  }
  db.exec("drop table checkpoints; drop table writes");
}

async function moveThread(db: Database, checkpointer: Checkpointer, thread: string): Promise<void> {
  const row = db.prepare<[number], EarlierRow>("select * from checkpoints where rowid = ?");
  const rows = db
    .prepare<[string], number>("select rowid from checkpoints where thread_id = ? order by checkpoint_id")
    .pluck();
  for (const rowid of rows.all(thread)) {
    const found = row.get(rowid);
    if (found) await moveCheckpoint(db, checkpointer, found);
  }
  await stored(db);
  transaction(db, () => {
    db.prepare("delete from checkpoints where thread_id = ?").run(thread);
    db.prepare("delete from writes where thread_id = ?").run(thread);
  })();
}

async function moveCheckpoint(db: Database, checkpointer: Checkpointer, row: EarlierRow): Promise<void> {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id } = row;
  const at = { thread_id, checkpoint_ns };
  try {
    // Boundary: the library's saver wrote these.
    const checkpoint = (await read(row.checkpoint)) as Checkpoint;
    const metadata = (await read(row.metadata)) as CheckpointMetadata;
    const parent = { configurable: { ...at, ...(parent_checkpoint_id && { checkpoint_id: parent_checkpoint_id }) } };
    await checkpointer.put(parent, checkpoint, metadata);
    const writes = writesOf(db, row);
    for (const task of new Set(writes.map(({ task_id }) => task_id))) {
      const own = writes.filter(({ task_id }) => task_id === task);
      // What a task wrote, and what became of it (an error, an interrupt, an answer), were said apart.
      for (const said of [own.filter(({ idx }) => idx >= 0), own.filter(({ idx }) => idx < 0)])
        await moveWrites(checkpointer, { ...at, checkpoint_id }, task, said);
    }
  } catch (error) {
    const advice = "restore a copy of the database, or start the earlier version and begin new threads with /new";
    throw new StoreError(
      `The checkpoint ${checkpoint_id} of the thread ${thread_id}, which an earlier version wrote, cannot be read: ${advice}`,
      { cause: error },
    );
  }
}

const writesOf = (db: Database, { thread_id, checkpoint_ns, checkpoint_id }: EarlierRow): EarlierWrite[] =>
  db
    .prepare<[string, string, string], EarlierWrite>(
      `select task_id, idx, channel, type, value from writes
       where thread_id = ? and checkpoint_ns = ? and checkpoint_id = ? order by task_id, idx`,
    )
    .all(thread_id, checkpoint_ns, checkpoint_id);

async function moveWrites(
  checkpointer: Checkpointer,
  configurable: Readonly<Record<string, string>>,
  task: string,
  writes: readonly EarlierWrite[],
): Promise<void> {
  const values = writes.map(async ({ channel, type, value }): Promise<PendingWrite> => [
    channel,
    type === "bytes" ? new Uint8Array(Buffer.from(value)) : await read(value),
  ]);
  await checkpointer.putWrites({ configurable }, await Promise.all(values), task);
}

const read = (text: Buffer | string): Promise<unknown> => decode(text.toString(), NO_PIECES);
