/**
 * When what was written is safe.
 *
 * `soon` takes effect at once, seen by every read, and is committed at the end of this turn of the event loop: all that is
 * written in one turn, by whatever threads, is one commit, in order. So nothing is ever stored without what was written
 * before it. `safe` is waited for where the outside is told next (an acknowledgement, a call of a platform, a tool that
 * must not run twice): it resolves when all that was written so far survives a power failure. A process that dies loses at
 * most what nobody outside has heard of.
 *
 * The connection is `synchronous = NORMAL`, where a commit survives the process and not the machine; `safe` flushes the
 * write-ahead log itself, which is what `FULL` does after each commit, but beside the loop and once for all who wait.
 * <https://sqlite.org/wal.html#performance_considerations>
 * `atOnce` is for what its sender may not give again: committed when it returns. `transaction` is for what cannot wait:
 * committed and flushed when it returns.
 *
 *   idle → open (the first `soon`) → idle again, by the end of the turn, by an `atOnce` or a `transaction`, or by a failure:
 *   then all of it is undone, who waits in `stored` is told, and who keeps a copy of rows in memory forgets it (`onUndone`).
 */
import fs from "node:fs";
import type { Database } from "better-sqlite3";

interface Pending {
  readonly begin: () => void;
  readonly commit: () => void;
  readonly rollback: () => void;
  readonly onUndone: Set<() => void>;
  readonly onCommitted: Set<() => void>;
  /** The write-ahead log's file descriptor; undefined: it was never flushed. */
  log: number | undefined;
  /** The flush that is under way, and the one that follows it for who came too late for it. */
  flushing: Promise<void> | undefined;
  next: Promise<void> | undefined;
  /** See `guardWrites`; undefined: nobody watches. */
  guard: WriteGuard | undefined;
  /** What is open now; undefined: nothing. */
  open: Open | undefined;
  /** Work inside work: the outermost decides when it is on disk. */
  depth: number;
  /** Why all was undone while work around the work that failed is still under way. */
  lost: { readonly error: unknown } | undefined;
}
/** Who decides whether anything may be written at all: while a disk is full, say. */
export interface WriteGuard {
  /** Before each write; throws while nothing may be written. */
  check(): void;
  /** A write has failed. `undone`: with it, other writes that seemed to have happened. */
  failed(error: unknown, undone: boolean): void;
}
interface Open {
  readonly stored: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const PENDING = new WeakMap<Database, Pending>();

function pendingOf(db: Database): Pending {
  const known = PENDING.get(db);
  if (known) return known;
  // `immediate`: one that reads first and writes then is refused at once, not after `busy_timeout`.
  const [begin, commit, rollback] = ["begin immediate", "commit", "rollback"].map((sql) => db.prepare(sql));
  const pending: Pending = {
    begin: () => void begin?.run(),
    commit: () => void commit?.run(),
    rollback: () => void rollback?.run(),
    onUndone: new Set(),
    onCommitted: new Set(),
    log: undefined,
    flushing: undefined,
    next: undefined,
    guard: undefined,
    open: undefined,
    depth: 0,
    lost: undefined,
  };
  PENDING.set(db, pending);
  return pending;
}

/** Work whose effect is safe when it returns; with it, all that was written before. Throws what `work` throws. */
export function transaction<Args extends unknown[], Result>(
  db: Database,
  work: (...args: Args) => Result,
): (...args: Args) => Result {
  const run = atOnce(db, work);
  return (...args) => {
    const result = run(...args);
    if (pendingOf(db).depth === 0) fs.fdatasyncSync(logOf(db));
    return result;
  };
}

/**
 * Work whose effect is committed when it returns, and so survives the process; with it, all that was written before. For
 * what its sender may not give again.
 */
export function atOnce<Args extends unknown[], Result>(
  db: Database,
  work: (...args: Args) => Result,
): (...args: Args) => Result {
  const run = soon(db, work);
  return (...args) => {
    const result = run(...args);
    if (pendingOf(db).depth === 0) commitNow(db);
    return result;
  };
}

/** Work whose effect is committed a moment later. Throws what `work` throws; then nothing of it has happened. */
export function soon<Args extends unknown[], Result>(
  db: Database,
  work: (...args: Args) => Result,
): (...args: Args) => Result {
  // Inside an open transaction this is a savepoint: one that fails takes nothing else with it.
  const run = db.transaction(work);
  return (...args) => {
    const pending = pendingOf(db);
    if (pending.lost) throw pending.lost.error;
    pending.guard?.check();
    pending.depth += 1;
    try {
      pending.open ??= open(db, pending);
      return run(...args);
    } catch (error) {
      throw failed(db, pending, error);
    } finally {
      pending.depth -= 1;
      if (pending.lost && pending.depth === 0) allowWrites(db, pending);
    }
  };
}

/** Returns what the caller is told. */
function failed(db: Database, pending: Pending, error: unknown): unknown {
  if (pending.lost) return pending.lost.error;
  if (!pending.open || db.inTransaction) {
    pending.guard?.failed(error, false);
    return error;
  }
  // A full disk ends the whole transaction, not the savepoint alone.
  undone(pending, error);
  if (pending.depth > 1) refuseWrites(db, pending, error);
  return error;
}

/** The work around it may catch the error and go on: what it wrote then would be committed by itself, without the rest. */
function refuseWrites(db: Database, pending: Pending, error: unknown): void {
  pending.lost = { error };
  db.pragma("query_only = 1");
}

function allowWrites(db: Database, pending: Pending): void {
  pending.lost = undefined;
  db.pragma("query_only = 0");
}

/** Resolves when all that was written so far is committed; rejects when it was undone. */
export async function stored(db: Database): Promise<void> {
  await pendingOf(db).open?.stored;
}

/** Commits all that was written so far. */
export function commitNow(db: Database): void {
  const pending = pendingOf(db);
  const { open: current } = pending;
  if (!current) return;
  try {
    pending.commit();
  } catch (error) {
    if (db.inTransaction) pending.rollback();
    undone(pending, error);
    throw error;
  }
  pending.open = undefined;
  current.resolve();
  for (const tell of pending.onCommitted) tell();
}

/** Before the connection is closed. */
export function commitAtClose(db: Database): void {
  commitNow(db);
  const pending = pendingOf(db);
  const { log } = pending;
  if (log === undefined) return;
  pending.log = undefined;
  fs.fdatasyncSync(log);
  const close = () => fs.closeSync(log);
  // Not under the hands of a flush.
  if (pending.flushing) void pending.flushing.then(close, close);
  else close();
}

/** Resolves when all that was written so far survives a power failure; rejects when it was undone. */
export async function safe(db: Database): Promise<void> {
  await stored(db);
  await flushedBeside(db, pendingOf(db));
}

/** One flush after another: who comes while one is under way waits for the next, which is the same for all of them. */
function flushedBeside(db: Database, pending: Pending): Promise<void> {
  if (pending.flushing) {
    const again = () => {
      pending.next = undefined;
      return flushedBeside(db, pending);
    };
    return (pending.next ??= pending.flushing.then(again, again));
  }
  const flushing = flush(db).finally(() => (pending.flushing = undefined));
  pending.flushing = flushing;
  return flushing;
}

async function flush(db: Database): Promise<void> {
  if (!db.open) return; // all was committed and flushed when it was closed
  const log = logOf(db);
  await new Promise<void>((resolve, reject) => {
    fs.fdatasync(log, (error) => (error ? reject(error) : resolve()));
  });
}

/** SQLite makes it with the first commit and keeps it for as long as the connection is open. */
function logOf(db: Database): number {
  return (pendingOf(db).log ??= fs.openSync(`${db.name}-wal`, "r+"));
}

/** There is one guard; it hears of every failure of `work` too, and knows which are the disk's. */
export function guardWrites(db: Database, guard: WriteGuard): void {
  pendingOf(db).guard = guard;
}

/** `forget` is called when writes were undone that seemed to have happened. */
export function onUndone(db: Database, forget: () => void): void {
  pendingOf(db).onUndone.add(forget);
}

/** `tell` is called after each commit. */
export function onCommitted(db: Database, tell: () => void): void {
  pendingOf(db).onCommitted.add(tell);
}

function open(db: Database, pending: Pending): Open {
  pending.begin();
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // Nobody needs to wait for it.
  promise.catch(() => undefined);
  const opened: Open = { stored: promise, resolve, reject };
  setImmediate(() => {
    // A failure reaches who waits in `stored`, and the next one who writes.
    if (pending.open === opened && db.open) endTurn(db);
  });
  return opened;
}

function endTurn(db: Database): void {
  try {
    commitNow(db);
  } catch {
    // told in `undone`
  }
}

function undone(pending: Pending, error: unknown): void {
  const { open: current } = pending;
  pending.open = undefined;
  for (const forget of pending.onUndone) forget();
  pending.guard?.failed(error, true);
  current?.reject(error);
}
