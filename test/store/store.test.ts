import { execFileSync, spawn } from "node:child_process";
import fs, { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDatabase } from "../../store/database.ts";
import { lockDataFolder } from "../../store/lock.ts";
import { StoreError } from "../../store/store-error.ts";
import { executionId, personId, type RunId, runId, type TaskSnapshot, threadId } from "../../subagents/contract.ts";
import { message, tempFolder, tempStore, until } from "../helpers.ts";

const QUEUE = () => ({ rule: "", effects: [{ type: "queue" }] as const });
const call = (callId: string, run: RunId, execution?: string, total?: number) => ({
  callId,
  runId: run,
  threadId: threadId("t"),
  principal: personId("p"),
  caller: "lead",
  model: "m",
  at: 0,
  ...(execution && { executionId: executionId(execution) }),
  ...(total !== undefined && { usage: { input: total, output: 0, total } }),
});
const task = (state: TaskSnapshot["state"]): TaskSnapshot => ({
  taskId: "c",
  executionId: executionId("x"),
  order: 1,
  description: "d",
  subagent: "s",
  model: "m",
  state,
  calls: 0,
  steps: 0,
  startedAt: 0,
});

describe("the database", () => {
  it("is safe when its log was flushed, once for all who wait", async () => {
    const { db, store, file } = tempStore();
    const flushes: (() => void)[] = [];
    const spy = vi.spyOn(fs, "fdatasync").mockImplementation((log, done) => {
      expect(fs.fstatSync(log).ino).toBe(statSync(`${file}-wal`).ino);
      expect(db.inTransaction).toBe(false);
      flushes.push(() => done(null));
    });
    onTestFinished(() => spy.mockRestore());
    const seen: string[] = [];
    await store.accept(message("hello"), QUEUE);
    const first = store.safe();
    void Promise.resolve(first).then(() => seen.push("first"));
    await until("the flush", () => flushes.length === 1);
    // While one is under way, two more wait: one flush for both.
    await store.accept(message("again"), QUEUE);
    const others = [Promise.resolve(store.safe()), Promise.resolve(store.safe())];
    await nextTurn();
    expect([flushes.length, seen]).toEqual([1, []]);
    flushes[0]?.();
    await first;
    await until("the second flush", () => flushes.length === 2);
    flushes[1]?.();
    await Promise.all(others);
    expect([flushes.length, seen]).toEqual([2, ["first"]]);
  });

  it("is told when its log cannot be flushed, and goes on when it can be again", async () => {
    const { db, store } = tempStore();
    const spy = vi.spyOn(fs, "openSync").mockImplementation(() => {
      throw new Error("EMFILE: too many open files");
    });
    onTestFinished(() => spy.mockRestore());
    await store.accept(message("hello"), QUEUE);
    await expect(Promise.all([store.ledger.safe(), store.ledger.safe()])).rejects.toThrow("EMFILE");
    spy.mockRestore();
    await store.safe();
    db.close();
    await store.safe();
  });

  it("writes ahead, for the owner only", () => {
    const { db, file } = tempStore();
    expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.pragma("busy_timeout", { simple: true })).toBeGreaterThanOrEqual(5000);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("refuses a newer schema, another program's database and a corrupt file, each with what to do", () => {
    const folder = tempFolder();
    const newer = path.join(folder, "newer.db");
    openDatabase(newer).close();
    const db = new Database(newer);
    db.pragma("user_version = 99");
    db.close();
    expect(() => openDatabase(newer)).toThrow(/newer Threadline \(schema 99/);
    const foreign = path.join(folder, "foreign.db");
    new Database(foreign).exec("create table theirs(a)").close();
    expect(() => openDatabase(foreign)).toThrow(/another program/);
    const corrupt = path.join(folder, "corrupt.db");
    writeFileSync(corrupt, "this is no database at all, but it is long enough to be looked at".repeat(20));
    expect(() => openDatabase(corrupt)).toThrow(/damaged: restore a copy/);
  });
});

describe("SQL-05: the lock", () => {
  it("refuses a second holder and names the first", () => {
    const file = path.join(tempFolder(), "lock");
    const release = lockDataFolder(file);
    expect(() => lockDataFolder(file)).toThrow(StoreError);
    expect(() => lockDataFolder(file)).toThrow(new RegExp(`process ${process.pid}`));
    release();
    lockDataFolder(file)();
  });

  it("is free again at once when its holder is killed", async () => {
    const file = path.join(tempFolder(), "lock");
    const script = `import { lockDataFolder } from ${JSON.stringify(path.resolve("store/lock.ts"))}; lockDataFolder(${JSON.stringify(file)}); console.log("held"); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void holder.kill("SIGKILL"));
    await new Promise((resolve) => holder.stdout.once("data", resolve));
    expect(() => lockDataFolder(file)).toThrow(new RegExp(`process ${holder.pid}`));
    holder.kill("SIGKILL");
    await until("the lock", () => {
      try {
        lockDataFolder(file)();
        return true;
      } catch {
        return false;
      }
    });
  });
});

describe("the store", () => {
  it("does not lose an event that was accepted when the process is killed as soon as it is safe", () => {
    const file = path.join(tempFolder(), "threadline.db");
    const script = `
      import { openDatabase } from ${JSON.stringify(path.resolve("store/database.ts"))};
      import { createStore } from ${JSON.stringify(path.resolve("store/gateway-store.ts"))};
      const store = createStore(openDatabase(${JSON.stringify(file)}), () => 1);
      store.accept(${JSON.stringify(message("kept"))}, () => ({ rule: "", effects: [{ type: "queue" }] }));
      await store.safe();
      process.kill(process.pid, "SIGKILL");`;
    try {
      execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script]);
    } catch (error) {
      expect(error).toMatchObject({ signal: "SIGKILL" });
    }
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    expect(db.prepare("select state from inbox").pluck().all()).toEqual(["queued"]);
  });

  it("counts a model call once, however often it is reported, and sums what was reported", () => {
    const { store, reopen } = tempStore();
    const run = runId("r");
    store.ledger.modelCall(call("1", run, "x", 100));
    store.ledger.modelCall(call("1", run, "x", 100));
    store.ledger.modelCall(call("2", run, "x", 50));
    store.ledger.modelCall(call("3", run));
    const again = reopen().store;
    expect(again.ledger.taskUsage(executionId("x"))).toEqual({
      usage: { input: 150, output: 0, total: 150 },
      calls: 2,
    });
    expect(again.runUsage(run)).toEqual({ usage: { input: 150, output: 0, total: 150 }, calls: 3 });
    expect(again.ledger.taskUsage(executionId("other"))).toEqual({ calls: 0 });
  });

  it("takes the usage of a later report where the first one had none, and of no report after that", () => {
    const { store, reopen } = tempStore();
    const run = runId("r");
    store.ledger.modelCall(call("1", run, "x"));
    expect(store.ledger.taskUsage(executionId("x"))).toEqual({ calls: 1 });
    const again = reopen().store;
    again.ledger.modelCall(call("1", run, "x", 15));
    again.ledger.modelCall(call("1", run, "x", 90));
    again.ledger.modelCall(call("1", run, "x"));
    const once = { usage: { input: 15, output: 0, total: 15 }, calls: 1 };
    expect([again.ledger.taskUsage(executionId("x")), again.runUsage(run)]).toEqual([once, once]);
  });

  it("tells a task's usage and calls as the sums of its rows, also of a call that ends after the task", () => {
    const { store, reopen } = tempStore();
    const run = runId("r");
    store.ledger.modelCall(call("1", run, "x", 77));
    store.ledger.saveTask(run, task("cancelled"));
    store.ledger.modelCall(call("2", run, "x", 550));
    expect(store.ledger.saveTask(run, task("completed"))).toMatchObject({ state: "cancelled", usage: { total: 627 } });
    expect(reopen().store.tasks(run)).toMatchObject([{ state: "cancelled", calls: 2, usage: { total: 627 } }]);
  });

  it("does not believe the usage that an earlier version stored with a task", () => {
    const { db, store } = tempStore();
    const run = runId("r");
    store.ledger.saveTask(run, task("running"));
    db.exec(
      `update tasks set snapshot = json_set(snapshot, '$.calls', 9, '$.usage', json('{"input":9,"output":0,"total":9}'))`,
    );
    const [stored] = store.tasks(run);
    expect(stored).toMatchObject({ state: "running", calls: 0 });
    expect(stored).not.toHaveProperty("usage");
  });

  it("never lets a task leave its first terminal state", () => {
    const { store } = tempStore();
    const run = runId("r");
    store.ledger.saveTask(run, task("timed_out"));
    expect(store.ledger.saveTask(run, task("completed")).state).toBe("timed_out");
    expect(store.tasks(run).map((one) => one.state)).toEqual(["timed_out"]);
  });

  it("keeps for the next process how long a task had worked and what it reported, whole", () => {
    const { store, reopen } = tempStore();
    const run = runId("r");
    expect(store.ledger.taskRest(executionId("x"))).toBeUndefined();
    store.ledger.saveTask(run, task("running"), { activeMs: 700 });
    store.ledger.saveTask(run, task("running"));
    expect(store.ledger.taskRest(executionId("x"))).toEqual({ activeMs: 700 });
    store.ledger.saveTask(run, task("completed"), { activeMs: 900, report: "all of it" });
    store.ledger.saveTask(run, task("failed"), { activeMs: 5, report: "late" });
    expect(reopen().store.ledger.taskRest(executionId("x"))).toEqual({ activeMs: 900, report: "all of it" });
  });

  it("tells a repeated start of a tool call from the first one", () => {
    const { store } = tempStore();
    const start = { runId: runId("r"), key: "k", tool: "t", effect: "once", at: 0 } as const;
    expect(store.ledger.toolStarted(start)).toBe("first");
    expect(store.ledger.toolStarted(start)).toBe("repeated");
  });

  it("ends the open tasks of a run together with the run", async () => {
    const { store } = tempStore();
    const accepted = await store.accept(message("go"), QUEUE);
    const [thread] = accepted.wake;
    const claim = thread && (await store.claim(thread));
    if (!claim) throw new Error("nothing to claim");
    store.ledger.saveTask(claim.run, task("running"));
    // Its row was written, and the process died before the task was saved again.
    store.ledger.modelCall(call("1", claim.run, "x", 220));
    await store.finish(claim.run, "cancelled", []);
    expect(store.tasks(claim.run)).toMatchObject([{ state: "cancelled", calls: 1, usage: { total: 220 } }]);
    expect(thread && (await store.claim(thread))).toBeUndefined();
  });

  it("keeps a final view and its parts as they were first decided", async () => {
    const { store } = tempStore();
    const [thread] = (await store.accept(message("go"), QUEUE)).wake;
    if (!thread) throw new Error("no thread");
    const write = (markdown: string) => ({
      slot: "reply:r" as never,
      view: { type: "reply", markdown } as const,
      final: true,
    });
    await store.show(thread, [write("first")]);
    await store.show(thread, [write("second")]);
    const [open] = await store.unsettled(thread);
    expect(open?.view).toEqual({ type: "reply", markdown: "first" });
    await store.settle("reply:r" as never, (open?.version ?? 0) + 1);
    expect(await store.unsettled(thread)).toHaveLength(1);
    await store.settle("reply:r" as never, open?.version ?? 0);
    expect(await store.unsettled(thread)).toEqual([]);
  });

  it("SQL-01: a second connection that holds the write lock delays a write and fails none", async () => {
    const { store, file } = tempStore();
    const script = `import Database from "better-sqlite3"; const db = new Database(${JSON.stringify(file)}); db.exec("begin immediate"); console.log("held"); setTimeout(() => { db.exec("commit"); process.exit(0); }, 1000);`;
    const other = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => other.stdout.once("data", resolve));
    expect((await store.accept(message("late"), QUEUE)).accepted).toBe(true);
  });
});
