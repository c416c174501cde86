import path from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCensus } from "../../store/census.ts";
import { openDatabase } from "../../store/database.ts";
import { createFigures } from "../../store/figures.ts";
import { migrate } from "../../store/migrations.ts";
import { executionId, personId, type RunId, type TaskSnapshot } from "../../subagents/contract.ts";
import { message, tempFolder, tempStore } from "../helpers.ts";

const QUEUE = () => ({ rule: "", effects: [{ type: "queue" }] as const });
const task = (execution: string, state: TaskSnapshot["state"]): TaskSnapshot => ({
  taskId: "c",
  executionId: executionId(execution),
  order: 1,
  description: "d",
  subagent: "scout",
  model: "m",
  state,
  calls: 0,
  steps: 0,
  startedAt: 0,
});

type Stored = ReturnType<typeof tempStore>["store"];
async function beginRun(store: Stored) {
  const { wake } = await store.accept(message("hello"), QUEUE);
  const [thread] = wake;
  const claim = thread && (await store.claim(thread));
  if (!claim) throw new Error("nothing to claim");
  return claim;
}
const call = (store: Stored, callId: string, run: RunId, thread: string, cacheRead?: number) =>
  store.ledger.modelCall({
    callId,
    runId: run,
    threadId: thread as never, // boundary: only tests write rows of no thread
    principal: personId("p"),
    caller: "lead",
    model: "m",
    at: 0,
    usage: { input: 10, output: 5, total: 15, ...(cacheRead !== undefined && { cacheRead }) },
  });

describe("the totals", () => {
  it("count each call, run and task once, however often it is reported", async () => {
    const { db, store } = tempStore();
    const read = createFigures(db);
    const { run, thread } = await beginRun(store);
    call(store, "one", run, thread.id, 4);
    call(store, "one", run, thread.id, 4);
    call(store, "two", run, thread.id);
    for (const state of ["pending", "running", "running", "completed", "failed"] as const)
      store.ledger.saveTask(run, task("x", state));
    store.ledger.saveTask(run, task("y", "running"));
    expect(await read()).toMatchObject({
      usage: [{ model: "m", caller: "lead", calls: 2, input: 20, output: 10, cached: 4, reasoning: 0 }],
      tasks: [{ subagent: "scout", state: "running", count: 1 }],
      taskTotals: [
        { subagent: "scout", state: "completed", count: 1 },
        { subagent: "scout", state: "started", count: 2 },
      ],
      runs: [{ state: "running", count: 1 }],
      busyThreads: 1,
    });
    await store.finish(run, "failed", []);
    await store.finish(run, "done", []);
    expect(await read()).toMatchObject({
      tasks: [],
      runs: [],
      busyThreads: 0,
      runTotals: [
        { state: "failed", count: 1 },
        { state: "started", count: 1 },
      ],
    });
    expect((await read()).taskTotals).toContainEqual({ subagent: "scout", state: "failed", count: 1 });
  });

  it("count the usage of a later report, and the call once, also after a restart", async () => {
    const { db, store, reopen } = tempStore();
    const { run, thread } = await beginRun(store);
    const bare = {
      callId: "one",
      runId: run,
      threadId: thread.id,
      principal: personId("p"),
      caller: "lead",
      model: "m",
      at: 0,
    };
    store.ledger.modelCall(bare);
    expect((await createFigures(db)()).usage).toMatchObject([{ calls: 1, input: 0, output: 0 }]);
    const again = reopen();
    call(again.store, "one", run, thread.id, 4);
    call(again.store, "one", run, thread.id, 4);
    expect((await createFigures(again.db)()).usage).toEqual([
      { model: "m", caller: "lead", calls: 1, input: 10, output: 5, cached: 4, reasoning: 0 },
    ]);
  });

  it("belong to the model that the provider reported, in a database of an earlier version too", async () => {
    const file = path.join(tempFolder(), "threadline.db");
    const earlier = new Sqlite(file);
    migrate(earlier, 5);
    earlier.exec(`insert into usage(call, run, thread, person, caller, model, reported_model, input, output, total, at)
      values('c1', 'r', 't', 'p', 'lead', 'fast', 'fast-2026', 10, 1, 11, 0), ('c2', 'r', 't', 'p', 'lead', 'fast', null, 20, 2, 22, 0);
      update usage_totals set calls = calls + 5, input = input + 500`);
    earlier.close();
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    db.exec(`insert into usage(call, run, thread, person, caller, model, reported_model, input, output, total, at)
      values('c3', 'r', 't', 'p', 'lead', 'other', 'fast-2026', 1, 1, 2, 0)`);
    expect((await createFigures(db)()).usage.toSorted((a, b) => a.model.localeCompare(b.model))).toMatchObject([
      // With what was counted for calls whose rows are gone.
      { model: "fast", calls: 1 + 5, input: 20 + 500, output: 2 },
      { model: "fast-2026", calls: 2, input: 11, output: 2 },
    ]);
  });

  it("include what an earlier version stored, which kept no totals", async () => {
    const file = path.join(tempFolder(), "threadline.db");
    const earlier = new Sqlite(file);
    migrate(earlier, 2);
    const task = JSON.stringify({ subagent: "scout", state: "completed" });
    earlier.exec(`
      insert into usage(call, run, thread, person, caller, model, input, at) values('c', 'r', 't', 'p', 'lead', 'm', 10, 0);
      insert into runs(id, thread, person, state, attempt, input, started_at, outcome) values('r', 't', 'p', 'ended', 1, '{}', 0, 'done');
      insert into tasks(execution, run, ended, snapshot, seq) values('x', 'r', 1, '${task}', 1);`);
    earlier.close();
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    expect(await createFigures(db)()).toMatchObject({
      usage: [{ model: "m", caller: "lead", calls: 1, input: 10, output: 0 }],
      runTotals: [{ state: "done" }, { state: "started" }],
      taskTotals: [
        { subagent: "scout", state: "completed" },
        { subagent: "scout", state: "started" },
      ],
    });
  });

  it("do not fall when what they count is removed", async () => {
    const { db, store, reopen } = tempStore();
    const first = await beginRun(store);
    call(store, "one", first.run, first.thread.id, 3);
    store.ledger.saveTask(first.run, task("x", "completed"));
    await store.finish(first.run, "done", []);
    const before = await createFigures(db)();
    expect(before).toMatchObject({
      usage: [{ calls: 1, input: 10, cached: 3 }],
      runTotals: [
        { state: "done", count: 1 },
        { state: "started", count: 1 },
      ],
      taskTotals: [
        { state: "completed", count: 1 },
        { state: "started", count: 1 },
      ],
    });
    db.exec("delete from usage; delete from tasks; delete from runs");
    const again = reopen();
    const after = await createFigures(again.db)();
    for (const of of ["usage", "runTotals", "taskTotals"] as const) expect(after[of]).toEqual(before[of]);
  });

  it("are undone with what they counted", async () => {
    const { db, store } = tempStore();
    const read = createFigures(db);
    const { run, thread } = await beginRun(store);
    expect(() =>
      db.transaction(() => {
        call(store, "one", run, thread.id);
        throw new Error("undone");
      })(),
    ).toThrow("undone");
    expect((await read()).usage).toEqual([]);
  });
});

describe("checkpoints", () => {
  it("are counted through by some scrapes, the loop free in between", async () => {
    const { db } = tempStore();
    const read = createFigures(db);
    db.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000)
      insert into graph_pieces(body) select 'piece' from n`);
    let turns = 0;
    const tick = () => void ((turns += 1), (timer = setImmediate(tick)));
    let timer = setImmediate(tick);
    const seen = [];
    for (let scrape = 0; scrape < 3; scrape += 1)
      seen.push((await read()).checkpoints.find((one) => one.table === "graph_pieces")?.rows);
    clearImmediate(timer);
    expect(seen).toEqual([undefined, undefined, 9000]);
    expect(turns).toBeGreaterThan(30);
  });
});

describe("the census", () => {
  it("counts rows and bytes a step at a time, exact once it is through, and again when the table has changed", () => {
    const { db } = tempStore();
    db.exec(`create table pieces(key integer primary key, body text, extra blob);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 25)
      insert into pieces select i * 7, 'äb', iif(i % 5, null, x'0000') from n`);
    const census = createCensus(db, "pieces", 10);
    expect([census.step(), census.step(), census.size]).toEqual(["on", "on", undefined]);
    // Three bytes of text each, two of five blobs.
    const keys = db.prepare<[], number>("select sum(octet_length(key)) from pieces").pluck().get() ?? 0;
    expect(census.step()).toBe("through");
    expect(census.size).toEqual({ rows: 25, bytes: keys + 25 * 3 + 5 * 2 });
    db.exec("delete from pieces where key > 70");
    expect([census.step(), census.size?.rows]).toEqual(["on", 25]);
    expect([census.step(), census.size?.rows]).toEqual(["through", 10]);
  });

  it("says nothing of a table that is not there", () => {
    const { db } = tempStore();
    const census = createCensus(db, "nowhere");
    expect([census.step(), census.size]).toEqual(["through", undefined]);
  });
});
