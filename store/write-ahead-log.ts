/**
 * What is committed stands in the write-ahead log until it is moved into the database file. SQLite does that inside the
 * commit with which the log has reached a thousand pages, and everything waits for it, 20 ms and more. Here a thread does it
 * beside the loop, with a connection of its own, which holds up neither who reads nor who writes. What little was committed
 * meanwhile is moved after the next commit, between two writes: only then does SQLite begin the log anew.
 * <https://sqlite.org/wal.html#checkpointing>
 */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { onCommitted } from "./commit.ts";

/** A turn is a few commits of some twenty pages: the log stays at 4 to 8 MB. Ours. */
const COMMITS = 64;
/** Pages. Should the thread fail or not keep up, SQLite does it itself, as it always could; ours: 64 MB. */
const CEILING = 16_000;

/**
 * Plain JavaScript, since a thread is started with a file, and this one has another name when it is built. The connection
 * is opened anew each time: one that stayed open would outlive the program's own.
 */
const CODE = `
const { parentPort, workerData: { sqlite, file } } = require("node:worker_threads");
const Database = require(sqlite);
parentPort.on("message", () => {
  try {
    const db = new Database(file, { fileMustExist: true });
    try {
      db.pragma("wal_checkpoint(PASSIVE)");
    } finally {
      db.close();
    }
  } catch {
    // the next time, or SQLite itself at the ceiling
  }
  parentPort.postMessage("done");
});
`;

/** Until `close` of the connection. The thread is there from when it is first needed. */
export function keepLogShort(db: Database): void {
  db.pragma(`wal_autocheckpoint = ${CEILING}`);
  let worker: Worker | undefined;
  let state: "waiting" | "moving" | "moved" = "waiting";
  let commits = 0;
  onCommitted(db, () => {
    commits += 1;
    if (state === "moved") {
      moveRest(db);
      [commits, state] = [0, "waiting"];
    }
    if (state === "moving" || commits < COMMITS) return;
    state = "moving";
    worker ??= startWorker(db.name, () => (state = "moved"));
    worker.postMessage("move");
  });
  const close = db.close.bind(db);
  db.close = () => {
    void worker?.terminate();
    return close();
  };
}

/** A full disk fails here too: what is committed stays in the log, and the next one who writes is told. */
function moveRest(db: Database): void {
  try {
    db.pragma("wal_checkpoint(PASSIVE)");
  } catch {
    // the next time, or SQLite itself at the ceiling
  }
}

/** Nothing is asked again of a thread that fails. */
function startWorker(file: string, moved: () => void): Worker {
  const sqlite = createRequire(import.meta.url).resolve("better-sqlite3");
  const worker = new Worker(CODE, { eval: true, workerData: { sqlite, file } });
  worker.on("message", moved);
  worker.on("error", () => undefined);
  worker.unref();
  return worker;
}
