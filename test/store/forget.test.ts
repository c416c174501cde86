import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type InboundOf, postRef, threadKey } from "../../gateway/contract.ts";
import { createForgetOrder } from "../../store/forget-order.ts";
import { personId, type ThreadId } from "../../subagents/contract.ts";
import { asks, choice, reply, type Script, task } from "../gateway/bench.ts";
import { bob, groupPlace, message, until } from "../helpers.ts";
import {
  contentOf,
  DAY,
  doAll,
  oneStep,
  orphans,
  rowsOf,
  tracesOf,
  upkeepBench,
  type UpkeepBench,
} from "./upkeep-bench.ts";

/** Words that are nowhere else. */
const zebrina = { id: "acct-zebra-77", name: "Zebrina", isBot: false };
const TRACES = [zebrina.id, zebrina.name, "wombat", "quokka"];
const inGroup = { place: groupPlace, thread: threadKey("memo:g:1"), mentionsBot: true };
const privately = { author: zebrina, thread: threadKey(`memo:dm:${zebrina.id}`) };

const personOf = ({ db }: UpkeepBench, account: string) =>
  personId(db.prepare<[string], string>("select person from accounts where id = ?").pluck().get(account) ?? "");

async function forget(bench: UpkeepBench, whom = `memo:${zebrina.id}`): Promise<void> {
  const ordered = createForgetOrder(bench.db, () => bench.clock.now())(whom);
  expect(ordered.type).toBe("begun");
  if (ordered.type === "begun") bench.gateway.halt(ordered.runs);
  await doAll(bench.chores(), bench);
}
const traces = ({ file }: UpkeepBench) => TRACES.map((word) => `${word} ${tracesOf(file, word)}`);
const NONE = TRACES.map((word) => `${word} 0`);

/** What a message with a file leaves behind. */
async function turnWithFile(bench: UpkeepBench, text: string, name: string, over: Partial<InboundOf<"message">>) {
  const thread = await bench.turn(text, over);
  const file = bench.upload(thread, name, text);
  const id = bench.db.prepare<[], string>("select id from inbox order by seq desc limit 1").pluck().get();
  await bench.store.filesStored(id as never, [{ type: "stored", name, path: `/uploads/${name}`, sizeBytes: 1 }]); // an id of the store's own
  return { thread, file };
}
const spend = ({ store, db }: UpkeepBench, person: string) => {
  const run = db.prepare<[], string>("select id from runs order by seq desc limit 1").pluck().get();
  const usage = { input: 5, output: 5, total: 10 };
  store.ledger.modelCall({
    callId: `c-${run}`,
    runId: run,
    threadId: "t",
    principal: person,
    caller: "lead",
    model: "m",
    at: 0,
    usage,
  } as never); // ids of the store's own
  store.ledger.saveTask(
    run as never,
    { ...task("completed"), executionId: `x-${run}`, description: "find the quokka" } as never,
  );
};

describe("forgetting a person", () => {
  it("leaves no word, name, account or file of theirs, not even in unused bytes of the file; others' threads stay as they are", async () => {
    const bench = upkeepBench();
    const theirs: ThreadId[] = [];
    for (let n = 0; n < 25; n += 1) {
      const { thread } = await turnWithFile(bench, `wombat ${n} `.repeat(1 + n * 9), `quokka${n}.txt`, {
        ...privately,
        thread: threadKey(`memo:dm:${zebrina.id}:${n % 5}`),
        eventId: `message:${zebrina.id}:${n}`,
      });
      theirs.push(thread);
      spend(bench, personOf(bench, zebrina.id));
      await bench.turn(`Bob says ${n} `.repeat(1 + n * 7), { author: bob, thread: threadKey("memo:dm:bob") });
    }
    const person = personOf(bench, zebrina.id);
    const bobs = await bench.turn("Bob's last", { author: bob, thread: threadKey("memo:dm:bob") });
    bench.upload(bobs, "bob.txt");
    const before = contentOf(bench.db, bobs);
    mkdirSync(path.join(bench.dataDir, "users", person), { recursive: true });
    writeFileSync(path.join(bench.dataDir, "users", person, "AGENTS.md"), "likes wombats");

    await forget(bench);

    expect(traces(bench)).toEqual(NONE);
    expect(tracesOf(bench.file, person)).toBe(0);
    for (const thread of theirs) expect(rowsOf(bench.db, thread)).toEqual({});
    expect(theirs.filter(bench.hasFolder)).toEqual([]);
    expect(existsSync(path.join(bench.dataDir, "users", person))).toBe(false);
    expect(orphans(bench.db)).toBe(0);
    expect(contentOf(bench.db, bobs)).toEqual(before);
    expect(bench.hasFolder(bobs)).toBe(true);
    const cost = bench.db.prepare("select person, sum(total) as total from usage group by person");
    expect(cost.all()).toEqual([{ person: "forgotten", total: 250 }]);
    expect(bench.news).toEqual([`forgotten ${person}`, "rewriting", "rewritten"]);
  });

  it("starts nothing when the platform delivers an old event again, and takes a new one as a stranger's, in a new thread", async () => {
    const bench = upkeepBench();
    const event = message("wombat", { ...privately, eventId: `message:${zebrina.id}:1` });
    await bench.gateway.deliver(event);
    await bench.settled();
    await forget(bench);
    expect(await bench.gateway.deliver(event)).toEqual({ accepted: true });
    expect(bench.inputs).toHaveLength(1);
    expect(traces(bench)).toEqual(NONE);
    await bench.turn("hello", privately);
    expect(bench.texts().at(-1)).toBe("Zebrina: hello (1 known)");
    await bench.clock.advance(2 * DAY);
    await doAll(bench.chores(), bench);
    expect(bench.db.prepare("select count(*) from inbox").pluck().get()).toBe(1);
  });

  it("can be broken off after any step and is gone on with by the next process", async () => {
    const bench = upkeepBench();
    await turnWithFile(bench, "wombat", "quokka.txt", privately);
    const { file } = await turnWithFile(bench, "wombat too", "quokka2.txt", { ...inGroup, author: zebrina });
    const group = await bench.turn("Bob's", { ...inGroup, author: bob });
    createForgetOrder(bench.db, () => bench.clock.now())(`memo:${zebrina.id}`);
    for (let steps = 0; ; steps += 1) {
      expect(steps).toBeLessThan(100);
      const chores = bench.chores();
      let progress = await oneStep(chores);
      for (let more = 0; more < steps && progress !== "idle"; more += 1) progress = await oneStep(chores);
      if (progress === "idle") break;
    }
    expect(traces(bench)).toEqual(NONE);
    expect(existsSync(file)).toBe(false);
    expect(rowsOf(bench.db, group)).toMatchObject({ threads: 1, runs: 1 });
  });
});

describe("in a thread that others share", () => {
  it("only their part goes: messages, runs, files, title; the agent forgets the thread, and goes on in it", async () => {
    const bench = upkeepBench();
    const { db } = bench;
    const { thread, file } = await turnWithFile(bench, "a wombat please", "quokka.txt", {
      ...inGroup,
      author: zebrina,
    });
    spend(bench, personOf(bench, zebrina.id));
    const post = postRef(db.prepare<[], string>("select post from inbox").pluck().get() ?? "");
    const quote = { replyTo: { post, text: "a wombat please", byBot: false } };
    expect(await bench.turn("agreed", { ...inGroup, author: bob, ...quote })).toBe(thread);
    const bobsFile = bench.upload(thread, "bob.txt");
    const bobs = () =>
      ["runs", "slots", "posts"].map((table) =>
        db
          .prepare(`select * from ${table} where thread = ? and (${table === "runs" ? "id" : "slot"} like '%' || ?)`)
          .all(thread, runOf("agreed")),
      );
    const runOf = (text: string) =>
      db.prepare<[string], string>("select run from inbox where event_json ->> '$.text' = ?").pluck().get(text);
    const before = bobs();
    expect(before.flat().length).toBeGreaterThan(2);

    await forget(bench);

    expect(traces(bench)).toEqual(NONE);
    expect(bobs()).toEqual(before);
    expect([existsSync(file), existsSync(bobsFile)]).toEqual([false, true]);
    expect(
      db.prepare("select author, event_json ->> '$.text' as text from inbox where thread = ?").all(thread),
    ).toEqual([{ author: "Bob", text: "agreed" }]);
    expect(await bench.turn("and now?", { ...inGroup, author: bob })).toBe(thread);
    expect(bench.texts().at(-1)).toBe("Bob: and now? (1 known)");
  });

  it("many messages go in small steps", async () => {
    const bench = upkeepBench();
    await bench.turn("Bob's", { ...inGroup, author: bob });
    await bench.turn("a wombat please", { ...inGroup, author: zebrina });
    const person = personOf(bench, zebrina.id);
    const add = bench.db.prepare(
      `insert into inbox(id, platform, account, event, thread, person, author, post, state, addressed, event_json, received_at)
       select ?, platform, account, ?, thread, person, author, ?, 'done', 1, event_json, received_at from inbox where person = ? limit 1`,
    );
    for (let n = 0; n < 700; n += 1) add.run(`i${n}`, `ev${n}`, `post${n}`, person);
    createForgetOrder(bench.db, () => bench.clock.now())(`memo:${zebrina.id}`);
    const changes = () => bench.db.prepare<[], number>("select total_changes()").pluck().get() ?? 0;
    const chores = bench.chores();
    let most = 0;
    for (let progress = "more"; progress !== "idle";) {
      const before = changes();
      progress = await oneStep(chores);
      most = Math.max(most, changes() - before);
    }
    expect(most).toBeLessThanOrEqual(210);
    expect(traces(bench)).toEqual(NONE);
  });

  it("files that were shown in their runs go, and none outside the thread's folder", async () => {
    const shown: string[] = [];
    const script: Script = async function* () {
      yield { type: "started", model: "Model" };
      for (const file of shown) yield { type: "file", path: file };
      yield* reply("here you are");
    };
    const bench = upkeepBench(script);
    const thread = await bench.turn("hello", { ...inGroup, author: bob });
    const outside = path.join(bench.dataDir, "outside.txt");
    writeFileSync(outside, "");
    shown.push(bench.upload(thread, "quokka.txt"), outside);
    await bench.turn("a wombat please", { ...inGroup, author: zebrina });
    await forget(bench);
    expect(shown.map((file) => existsSync(file))).toEqual([false, true]);
    expect(traces(bench)).toEqual(NONE);
  });

  it("an answer that they gave to another's question goes, and so does the word that they are waited for", async () => {
    const bench = upkeepBench(asks(choice("i1")));
    const { gateway, server, db } = bench;
    await gateway.deliver(message("paint it", { ...inGroup, author: bob }));
    await until("the question", () => server.posts.length === 1);
    await gateway.deliver(message("wait for me", { ...inGroup, author: zebrina }));
    await until("the notice", () => server.posts.length === 2);
    // As with `answerers: anyone`.
    const id = db.prepare<[], string>("select id from questions").pluck().get() ?? "";
    db.prepare("update questions set state = 'resumed', answer = ?").run('{"type":"text","value":"wombat"}');
    db.prepare("update slots set final = 1, view = json_set(view, '$.closed', json(?)) where slot = ?").run(
      JSON.stringify({ type: "answered", answer: "wombat", by: zebrina.name }),
      `question:${id}`,
    );
    db.prepare("update runs set state = 'ended', outcome = 'done', input = ?").run(
      '{"type":"answers","byInterrupt":{"i1":{"type":"text","value":"wombat"}}}',
    );
    await forget(bench);
    expect(traces(bench)).toEqual(NONE);
    expect(db.prepare("select view ->> '$.closed.by' from slots where slot = ?").pluck().get(`question:${id}`)).toBe(
      "someone",
    );
  });

  it("the agent forgets it when the run of another has ended, or is stopped a day later", async () => {
    const bench = upkeepBench(asks(choice("i1")));
    const { gateway, server, db, clock } = bench;
    await gateway.deliver(message("paint it", { ...inGroup, author: bob }));
    await until("the question", () => server.posts.length === 1);
    await gateway.deliver(message("a wombat", { ...inGroup, author: zebrina }));
    const thread = db.prepare<[], string>("select id from threads").pluck().get() ?? "";
    db.prepare("insert into graph_scopes(thread, ns) values(?, '')").run(thread);
    const known = () => db.prepare("select 1 from graph_scopes where thread = ?").get(thread) !== undefined;
    await until("the notice", () => server.posts.length === 2);
    await forget(bench);
    expect(known()).toBe(true);
    expect(db.prepare("select state from runs").pluck().all()).toEqual(["waiting"]);
    db.prepare("update meta set value = cast(value as integer) - ? where key like 'giving_up:%'").run(DAY);
    const chores = bench.chores();
    await oneStep(chores);
    await until("the end", () => db.prepare("select 1 from runs where state = 'ended'").get());
    await doAll(chores, { clock });
    expect(known()).toBe(false);
    expect(traces(bench)).toEqual(NONE);
  });
});

describe("whom an order means", () => {
  it("is told by an id of ours or by platform and account; else people with a name like it are listed", async () => {
    const bench = upkeepBench();
    await bench.turn("hello", { author: zebrina });
    await bench.turn("hello", { author: bob, thread: threadKey("memo:dm:bob") });
    const order = createForgetOrder(bench.db, () => bench.clock.now());
    expect(order("zeb")).toEqual({ type: "unknown", likely: [`Zebrina (memo:${zebrina.id})`] });
    expect(order("telegram:1")).toMatchObject({ type: "unknown", likely: [expect.any(String), expect.any(String)] });
    expect(order(personOf(bench, "bob"))).toMatchObject({ type: "begun" });
    expect(order("memo:bob")).toEqual({ type: "unknown", likely: [`Zebrina (memo:${zebrina.id})`] });
  });
});
