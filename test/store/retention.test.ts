import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { threadKey } from "../../gateway/contract.ts";
import { soon, stored } from "../../store/commit.ts";
import { openDatabase } from "../../store/database.ts";
import { createRemoval } from "../../store/removal.ts";
import { createSizeLimit } from "../../store/retention.ts";
import { rewriteAtStart } from "../../store/vacuum.ts";
import { threadId } from "../../subagents/contract.ts";
import { asks, choice, hangs, reply, task } from "../gateway/bench.ts";
import { tempFolder, tempStore, message, until } from "../helpers.ts";
import { contentOf, DAY, doAll, oneStep, orphans, rowsOf, upkeepBench, type UpkeepBench } from "./upkeep-bench.ts";

const at = (key: string) => ({ thread: threadKey(`memo:${key}`) });
const tenDays = { finishedThreadsMs: 10 * DAY };
const usageRows = (db: UpkeepBench["db"]) => db.prepare<[], number>("select count(*) from usage").pluck().get();
const spend = ({ store, db }: UpkeepBench, thread: string, callId: string) => {
  const run = db.prepare<[string], string>("select id from runs where thread = ?").pluck().get(thread);
  const usage = { input: 5, output: 5, total: 10 };
  store.ledger.modelCall({
    callId,
    runId: run,
    threadId: thread,
    principal: "p",
    caller: "lead",
    model: "m",
    at: 0,
    usage,
  } as never); // ids of the test's own
  store.ledger.saveTask(run as never, { ...task("completed"), executionId: `x-${callId}` as never });
};

describe("finished_threads_days", () => {
  it("deletes a finished thread that was quiet for longer, with rows, graph and folder; its cost and all else stay", async () => {
    const bench = upkeepBench();
    const { db, clock, turn, upload, hasFolder, store } = bench;
    const old = await turn("old words", at("a"));
    spend(bench, old, "c1");
    upload(old, "old.txt");
    await clock.advance(6 * DAY);
    const young = await turn("young words", at("b"));
    spend(bench, young, "c2");
    upload(young, "young.txt");
    await clock.advance(5 * DAY);
    const before = contentOf(db, young);

    await doAll(bench.chores(tenDays), bench);

    expect(rowsOf(db, old)).toEqual({});
    expect(orphans(db)).toBe(0);
    expect([hasFolder(old), hasFolder(young)]).toEqual([false, true]);
    expect(contentOf(db, young)).toEqual(before);
    expect(usageRows(db)).toBe(2);
    expect(store.tasks(threadId("none") as never)).toEqual([]);
    expect(await turn("more", at("b"))).toBe(young);
    expect(bench.texts().at(-1)).toBe("Ana: more (2 known)");
    expect(await turn("again", at("a"))).not.toBe(old);
    expect(bench.texts().at(-1)).toBe("Ana: again (1 known)");
  });

  it("takes the files along that an adapter keeps for the thread's messages, and no others", async () => {
    const bench = upkeepBench();
    const kept = (id: string) => path.join(bench.dataDir, "memo", id);
    mkdirSync(path.join(bench.dataDir, "memo"));
    for (const id of ["old-file", "young-file"]) writeFileSync(kept(id), id);
    const files = (id: string) => ({ files: [{ id, name: "a.txt" }] });
    await bench.turn("old", { ...at("a"), ...files("old-file") });
    await bench.turn("odd", { ...at("c"), ...files("../threadline.db") });
    await bench.clock.advance(11 * DAY);
    await bench.turn("young", { ...at("b"), ...files("young-file") });
    await doAll(bench.chores(tenDays), bench);
    expect([existsSync(kept("old-file")), existsSync(kept("young-file")), existsSync(bench.file)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("is told once a sweep that deleted something, with how many", async () => {
    const bench = upkeepBench();
    for (const key of ["a", "b", "c"]) await bench.turn("old", at(key));
    await bench.clock.advance(11 * DAY);
    await bench.turn("young", at("d"));
    const chores = bench.chores(tenDays);
    await doAll(chores, bench);
    expect(bench.news).toEqual(["finished_threads_days deleted 3"]);
    await bench.clock.advance(DAY);
    await doAll(chores, bench);
    expect(bench.news).toHaveLength(1);
    await bench.clock.advance(11 * DAY);
    await doAll(chores, bench);
    expect(bench.news.slice(1)).toEqual(["finished_threads_days deleted 1"]);
  });

  it("tells who shows the platform's threads which one was deleted, once that is safe", async () => {
    const bench = upkeepBench();
    const { transcript } = bench.store;
    const heard: unknown[] = [];
    transcript.onDeleted("memo", (key) => heard.push([key, transcript.entries("memo", key), bench.db.inTransaction]));
    transcript.onDeleted("other", (key) => heard.push(key));
    await bench.turn("old", at("a"));
    await bench.clock.advance(11 * DAY);
    await bench.turn("young", at("b"));
    await doAll(bench.chores(tenDays), bench);
    await until("the news", () => heard.length > 0);
    expect(heard).toEqual([["memo:a", [], false]]);
  });

  it("tells nobody of a thread whose deletion was undone", async () => {
    const { db, store } = tempStore();
    const heard: string[] = [];
    store.transcript.onDeleted("memo", (key) => heard.push(key));
    db.exec(`create table parents(one integer primary key);
      create table broken(one integer references parents(one) deferrable initially deferred)`);
    soon(db, () => {
      store.transcript.deleted("memo", threadKey("memo:a"));
      db.exec("insert into broken values(1)");
    })();
    await expect(stored(db)).rejects.toThrow(/FOREIGN KEY/);
    soon(db, () => store.transcript.deleted("memo", threadKey("memo:b")))();
    await until("the news", () => heard.length > 0);
    expect(heard).toEqual(["memo:b"]);
  });

  it("begins without limits: nothing is deleted", async () => {
    const bench = upkeepBench();
    const thread = await bench.turn("kept");
    const before = contentOf(bench.db, thread);
    await bench.clock.advance(1000 * DAY);
    await doAll(bench.chores(), bench);
    expect(contentOf(bench.db, thread)).toEqual(before);
  });

  it("keeps a thread with an open question, however long it is quiet", async () => {
    const bench = upkeepBench(asks(choice("i1")));
    await bench.say("paint it");
    await until("the question", () => bench.server.posts.length === 1);
    await bench.clock.advance(50 * DAY);
    await doAll(bench.chores(tenDays), bench);
    const [button] = bench.server.posts[0]?.buttons ?? [];
    await bench.gateway.deliver({ ...message(""), type: "press", token: button ?? "" });
    await until("the reply", () => bench.texts().some((text) => text.startsWith("got")));
  });

  it("keeps a thread with a run under way, and one with something that its platform has not taken", async () => {
    const hanging = upkeepBench(hangs);
    await hanging.say("work");
    await until("the run", () => hanging.inputs.length === 1);
    hanging.db.prepare("update threads set active_at = 0").run();
    await doAll(hanging.chores(tenDays), hanging);
    expect(hanging.db.prepare("select state from runs").pluck().all()).toEqual(["running"]);

    const unsent = upkeepBench();
    unsent.server.faults.push({ call: "send", code: "unavailable", times: 1e6 });
    await unsent.say("hello");
    await until("the run's end", () => unsent.db.prepare("select 1 from runs where state = 'ended'").get());
    unsent.db.prepare("update threads set active_at = 0").run();
    await doAll(unsent.chores(tenDays), unsent);
    expect(unsent.db.prepare("select count(*) from threads").pluck().get()).toBe(1);
  });

  it("does not bring an earlier thread of the place back that somebody has gone on with", async () => {
    const bench = upkeepBench();
    const { db, turn, say, clock, settled } = bench;
    const first = await turn("one");
    await say("/new");
    await settled();
    const second = await turn("two");
    await clock.advance(11 * DAY);
    db.prepare("update threads set active_at = ? where id = ?").run(clock.now(), first);
    await doAll(bench.chores(tenDays), bench);
    expect(rowsOf(db, second)).not.toEqual({});
    expect(await turn("three")).not.toBe(first);
  });

  it("deletes what belongs to no thread and is as old", async () => {
    const bench = upkeepBench();
    const { db, clock } = bench;
    await bench.store.accept(message("stray"), () => ({ rule: "", effects: [{ type: "record" }] }));
    db.prepare("update inbox set thread = null").run();
    await doAll(bench.chores(tenDays), bench);
    expect(db.prepare("select count(*) from inbox").pluck().get()).toBe(1);
    await clock.advance(11 * DAY);
    await doAll(bench.chores(tenDays), bench);
    expect(db.prepare("select count(*) from inbox").pluck().get()).toBe(0);
  });

  it("removes the buttons of a deleted thread from the store: a late press is told that it is over", async () => {
    const bench = upkeepBench(async function* (input) {
      if (input.type === "answers") return yield* reply("thanks");
      yield { type: "started", model: "Model" };
      yield { type: "question", request: choice("i1") };
      yield { type: "end", outcome: "waiting" };
    });
    await bench.say("paint it");
    await until("the question", () => bench.server.posts.length === 1);
    const [button = ""] = bench.server.posts[0]?.buttons ?? [];
    await bench.gateway.deliver({ ...message(""), type: "press", token: button });
    await bench.settled();
    await bench.clock.advance(11 * DAY);
    await doAll(bench.chores(tenDays), bench);
    expect(bench.db.prepare("select count(*) from tokens").pluck().get()).toBe(0);
    expect(await bench.gateway.deliver({ ...message(""), type: "press", token: button })).toMatchObject({
      reply: { text: "This is no longer active." },
    });
  });
});

describe("the steps", () => {
  it("are small, whatever a thread holds, and can be broken off after any of them", async () => {
    const bench = upkeepBench();
    const { db, clock, turn, upload, hasFolder } = bench;
    const thread = await turn("long");
    upload(thread, "a.txt");
    const run = db.prepare<[], string>("select id from runs").pluck().get() ?? "";
    db.transaction(() => {
      for (let n = 0; n < 1500; n += 1) {
        db.prepare("insert into tool_calls values(?, ?, 'ls', 'read_only', 0)").run(run, `k${n}`);
        db.prepare(
          "insert into slots(slot, thread, view, final, if_posted, version, settled) values(?, ?, '{}', 1, 0, 1, 1)",
        ).run(`notice:n${n}`, thread);
        db.prepare("insert into posts values(?, 0, ?, 0, 'sent', ?, null, 0)").run(`notice:n${n}`, thread, `p${n}`);
      }
    })();
    await clock.advance(11 * DAY);
    const changes = () => db.prepare<[], number>("select total_changes()").pluck().get() ?? 0;
    let most = 0;
    for (let steps = 0; rowsOf(db, thread)["threads"] === 1 || orphans(db) > 0;) {
      // As a new process would begin.
      const chores = bench.chores(tenDays);
      for (let some = 0; some < 3; some += 1) {
        const before = changes();
        await oneStep(chores);
        most = Math.max(most, changes() - before);
        if (rowsOf(db, thread)["threads"] === undefined) expect(await bench.store.thread(thread)).toBeUndefined();
      }
      steps += 3;
      expect(steps).toBeLessThan(200);
    }
    expect(most).toBeLessThan(410);
    expect(rowsOf(db, thread)).toEqual({});
    expect(orphans(db)).toBe(0);
    expect(hasFolder(thread)).toBe(false);
  });

  it("remove folders that belong to no thread, and nothing else in that place", async () => {
    const bench = upkeepBench();
    const thread = await bench.turn("hello");
    bench.upload(thread, "a.txt");
    bench.upload(threadId("t_of-nobody"), "b.txt");
    mkdirSync(path.join(bench.dataDir, "threads", "mine"));
    writeFileSync(path.join(bench.dataDir, "threads", "notes"), "");
    await doAll(bench.chores(), bench);
    expect([thread, threadId("t_of-nobody"), threadId("mine"), threadId("notes")].map(bench.hasFolder)).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });
});

describe("max_db_mb", () => {
  const big = "x".repeat(300_000);

  it("deletes the oldest finished threads until it fits, and the file gets shorter", async () => {
    const bench = upkeepBench();
    const { db, clock, turn, file } = bench;
    const threads = [];
    for (let n = 0; n < 8; n += 1) {
      threads.push(await turn(`${n} ${big}`, at(`k${n}`)));
      await clock.advance(60_000);
    }
    db.pragma("wal_checkpoint(TRUNCATE)");
    const before = statSync(file).size;
    await doAll(bench.chores({ maxDbBytes: before / 2 }), bench);
    db.pragma("wal_checkpoint(TRUNCATE)");
    expect(statSync(file).size).toBeLessThanOrEqual(before / 2 + 300_000);
    const kept = threads.map((thread) => rowsOf(db, thread)["threads"] === 1);
    expect(kept).toEqual(kept.toSorted((a, b) => Number(a) - Number(b)));
    expect(kept.filter(Boolean).length).toBeGreaterThan(1);
    expect(bench.news).toEqual([`max_db_mb deleted ${kept.filter((one) => !one).length}`]);
    expect(orphans(db)).toBe(0);
  });

  it("keeps a thread once somebody went on with the earlier one of its place, however late", async () => {
    const { db, turn, say, clock, settled } = upkeepBench();
    const first = await turn("one");
    await say("/new");
    await settled();
    await clock.advance(60_000);
    const second = await turn("two");
    const removal = createRemoval({ db, giveUp() {}, now: () => clock.now(), onDeleted() {} });
    const step = createSizeLimit(db, removal, { maxBytes: 1, news: { deleting() {}, deleted() {}, stuck() {} } });
    const goOn = db.prepare("update threads set active_at = ? where id = ?");
    // Looked over, oldest first; then the older one is written to, and only then either is removed.
    step();
    step();
    goOn.run(clock.now() + 1, first);
    step();
    step();
    expect([first, second].filter((thread) => removal.isUnderWay(thread))).toEqual([]);
  });

  it("never deletes a live thread, and says once that it is not enough", async () => {
    const bench = upkeepBench(hangs);
    await bench.say(big);
    await until("the run", () => bench.inputs.length === 1);
    const chores = bench.chores({ maxDbBytes: 10_000 });
    await doAll(chores, bench);
    await bench.clock.advance(60_000);
    await doAll(chores, bench);
    expect(bench.news).toEqual(["stuck"]);
    expect(bench.db.prepare("select state from runs").pluck().all()).toEqual(["running"]);
  });

  it("says what it has deleted before it says that it is not enough", async () => {
    const bench = upkeepBench();
    await bench.turn("one", at("a"));
    await bench.turn("two", at("b"));
    await doAll(bench.chores({ maxDbBytes: 1 }), bench);
    expect(bench.news).toEqual(["max_db_mb deleted 2", "stuck"]);
  });

  it("an event of a deleted thread that is delivered again soon after starts nothing", async () => {
    const bench = upkeepBench();
    const event = message("once");
    await bench.gateway.deliver(event);
    await bench.settled();
    await doAll(bench.chores({ maxDbBytes: 1 }), bench);
    expect(await bench.gateway.deliver(event)).toEqual({ accepted: true });
    expect(bench.inputs).toHaveLength(1);
    await bench.clock.advance(2 * DAY);
    await doAll(bench.chores(), bench);
    expect(bench.db.prepare("select count(*) from inbox").pluck().get()).toBe(0);
  });
});

describe("checkpoints_per_thread", () => {
  it("keeps the newest of each thread, and the agent goes on with all it knew", async () => {
    const bench = upkeepBench();
    for (const text of ["one", "two", "three", "four"]) await bench.turn(text);
    const count = bench.db.prepare<[], number>("select count(*) from graph_checkpoints").pluck();
    expect(count.get()).toBe(4);
    await doAll(bench.chores({ checkpointsPerThread: 2 }), bench);
    expect(count.get()).toBe(2);
    await bench.turn("five");
    expect(bench.texts().at(-1)).toBe("Ana: five (5 known)");
  });
});

describe("a database of a version that could not give space back", () => {
  it("is written anew at the start while it is small, and is told about before and after", () => {
    const file = path.join(tempFolder(), "threadline.db");
    const earlier = new Database(file);
    earlier.pragma("journal_mode = WAL");
    earlier.close();
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    db.prepare("insert into meta values('kept', 'yes')").run();
    expect(db.pragma("auto_vacuum", { simple: true })).toBe(0);
    const told: unknown[] = [];
    const tell = {
      rewriting: (tookMs?: number) => void told.push(tookMs),
      notRewritten: (error: unknown) => void told.push(error),
    };
    const other = new Database(file);
    other.exec("begin immediate");
    db.pragma("busy_timeout = 0");
    rewriteAtStart(db, tell);
    expect(told.splice(0)).toEqual([undefined, expect.objectContaining({ code: "SQLITE_BUSY" })]);
    other.close();
    rewriteAtStart(db, tell);
    expect(db.pragma("auto_vacuum", { simple: true })).toBe(2);
    expect(db.prepare("select value from meta where key = 'kept'").pluck().get()).toBe("yes");
    expect(told).toEqual([undefined, expect.any(Number)]);
    rewriteAtStart(db, tell);
    expect(told).toHaveLength(2);
  });

  it("is none: a new one gives space back from its first row on", () => {
    const db = openDatabase(path.join(tempFolder(), "threadline.db"));
    onTestFinished(() => void db.close());
    expect(db.pragma("auto_vacuum", { simple: true })).toBe(2);
  });
});
