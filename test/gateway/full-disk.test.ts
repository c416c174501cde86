import type { Database } from "better-sqlite3";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLeadAgent } from "../../agent/lead-agent.ts";
import { createSlots } from "../../subagents/slots.ts";
import { parseConfig } from "../../gateway/config.ts";
import { createDisk, LOW_BYTES, ROOMY_BYTES } from "../../gateway/disk.ts";
import { KINDS, startProgram } from "../../gateway/main.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { createCheckpointer } from "../../store/checkpointer.ts";
import { watchWrites } from "../../store/disk.ts";
import { createSetting } from "../scenarios/program.ts";
import { echo as modelEcho } from "../scenarios/scripts.ts";
import { createTelegramStage } from "../scenarios/telegram-stage.ts";
import { createClock, event, message, press, tempStore, until } from "../helpers.ts";
import { ScriptedModel, toolResults, type Script as ModelScript } from "../scripted-model.ts";
import { asks, choice, echo, gate, reply, type Script, start, task } from "./bench.ts";
import { watchedModels } from "../agent/watched-models.ts";

const LONG = "a long message ".repeat(2000);
const UNAVAILABLE = { name: "AdapterError", code: "unavailable" };

/** A gateway whose disk can be filled: SQLite itself says that it is full, at the page after the last one. */
async function startOnDisk(script: Script, more: { store?: ReturnType<typeof tempStore> } = {}) {
  const clock = createClock();
  const { db, store } = more.store ?? tempStore(clock);
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const free = { bytes: 1e12 };
  const disk = createDisk({ writes: watchWrites(db), freeBytes: async () => free.bytes, clock, log });
  const started = start(script, { store, clock, disk });
  await disk.start();
  const set = (pages: number) => void db.pragma(`max_page_count = ${pages}`);
  return {
    ...started,
    db,
    disk,
    free,
    lines,
    fill: () => set(1),
    /** There is room again, and it is noticed. */
    makeRoom: async () => {
      set(1_000_000);
      await clock.advance(5000);
    },
  };
}

/** From now on each commit fails after a row was written for which `when` is true: SQLite looks at it only then. */
function breakCommits(db: Database, when: string): () => void {
  db.exec(`create table broken(one integer references broken_too(one) deferrable initially deferred);
    create table broken_too(one integer primary key);
    create trigger breaks ${when} begin insert into broken values(1); end`);
  return () => db.exec("drop trigger breaks");
}

describe("a full disk", () => {
  it("keeps messages out with a reason, and lets the same one in when there is room again", async () => {
    const { say, gateway, texts, disk, fill, makeRoom, lines } = await startOnDisk(echo);
    await say("before");
    await until("the first reply", () => texts().includes("before"));
    fill();
    const refused = message(LONG);
    await expect(gateway.deliver(refused)).rejects.toMatchObject(UNAVAILABLE);
    expect(disk.health()).toMatchObject({
      state: "full",
      freeBytes: 1e12,
      text: expect.stringMatching(/takes no writes \(SQLITE_FULL: .*MB free\).*Make room/),
    });
    // Small enough to find room, and still not taken: what came later would be answered first.
    await expect(say("short")).rejects.toMatchObject(UNAVAILABLE);
    await expect(gateway.deliver(press("token"))).rejects.toMatchObject(UNAVAILABLE);
    await makeRoom();
    expect(disk.health()).toEqual({ state: "roomy", freeBytes: 1e12 });
    await gateway.deliver(refused);
    await gateway.deliver(refused);
    await until("the reply", () => texts().join("").length > LONG.length - 1000);
    expect(lines.map(({ level }) => level)).toEqual([50, 30]);
  });

  it("stays full while a write fails or next to nothing is free", async () => {
    const { say, disk, free, fill, clock, makeRoom } = await startOnDisk(echo);
    fill();
    await expect(say(LONG)).rejects.toMatchObject(UNAVAILABLE);
    await clock.advance(20_000);
    expect(disk.health()).toMatchObject({ state: "full" });
    free.bytes = 1_000_000;
    await makeRoom();
    expect(disk.health()).toMatchObject({ state: "full", freeBytes: 1_000_000 });
    free.bytes = ROOMY_BYTES;
    await clock.advance(5000);
    expect(disk.health()).toMatchObject({ state: "roomy" });
  });

  it("in the middle of a run: it goes on with the same run, is no failed try of it, and replies once", async () => {
    const { held, release } = gate();
    let tries = 0;
    const { say, texts, store, inputs, fill, makeRoom, disk, db } = await startOnDisk(async function* () {
      tries += 1;
      yield { type: "started", model: "Model" };
      if (tries === 1) await held;
      yield { type: "text", markdown: LONG };
      yield { type: "end", outcome: "done" };
    });
    await say("go");
    await until("the run", () => inputs.length === 1);
    await store.safe(); // else the run's own beginning would be undone too
    fill();
    release();
    await until("full", () => disk.health().state === "full");
    expect(texts()).toEqual([]);
    await makeRoom();
    await until("the reply", () => texts().join(" ").includes("message"));
    await until("the end", async () => (await store.busyThreads()).length === 0);
    expect(inputs.map(({ runId }) => runId)).toEqual([inputs[0]?.runId, inputs[0]?.runId]);
    expect(db.prepare("select attempt, state, outcome from runs").all()).toEqual([
      { attempt: 1, state: "ended", outcome: "done" },
    ]);
    await until("all of it", () => texts().join("").length > LONG.length - 1000);
    expect(new Set(texts()).size).toBeLessThanOrEqual(texts().length);
    expect(texts().join("").length).toBeLessThan(LONG.length + 100);
  });

  it("in the middle of the lead agent's steps: it goes on from its checkpoint, and no step runs twice", async () => {
    const temp = tempStore();
    const { held, release } = gate();
    const script: ModelScript = (messages) =>
      toolResults(messages).length > 0
        ? { chunks: [{ content: LONG }], until: held }
        : { toolCalls: [{ name: "list_files", args: {} }] };
    const model = new ScriptedModel("lead", script);
    const agent = createLeadAgent({
      ...watchedModels(temp.store.ledger, [{ name: "lead", provider: "openai", model: "lead" }], () => model),
      subagents: [],
      slots: createSlots(32),
      limits: { perResponse: 3, perRun: 6 },
      checkpointer: createCheckpointer(temp.db),
      ledger: temp.store.ledger,
      log: pino({ level: "silent" }),
      now: Date.now,
    });
    const { say, texts, fill, makeRoom, disk } = await startOnDisk((input, signal) => agent.run(input, signal), {
      store: temp,
    });
    await say("go");
    await until("the second step", () => model.requests.length === 2);
    fill();
    release();
    await until("full", () => disk.health().state === "full");
    await makeRoom();
    await until("the reply", () => texts().join("").length > LONG.length - 1000);
    expect(texts().join("").length).toBeLessThan(LONG.length + 100);
    expect(texts().join("")).not.toContain("failed");
    // The first step was on disk; the answer that could not be stored was asked for again.
    expect(model.requests).toHaveLength(3);
    expect(model.requests[2]?.length).toBe(model.requests[1]?.length);
  });
});

describe("a commit that fails", () => {
  it("after the platform has taken the reply: it is not sent again", async () => {
    const { say, texts, store, db, disk, clock, server } = await startOnDisk(echo);
    const mend = breakCommits(db, "after update of state on posts when new.state = 'sent'");
    await say("hello");
    await until("the failure", () => disk.health().state === "full");
    expect(texts()).toEqual(["hello"]);
    mend();
    await clock.advance(5000);
    await until("settled", async () => (await store.unsettledThreads()).length === 0);
    await clock.advance(60_000);
    expect(texts()).toEqual(["hello"]);
    expect(server.made).toBe(1);
    expect(db.prepare("select state, post from posts").all()).toEqual([{ state: "sent", post: "post-1" }]);
  });

  it("before the platform is called: it is not called, and later once", async () => {
    const { say, texts, server, db, disk, clock } = await startOnDisk(echo);
    const mend = breakCommits(db, "after insert on posts");
    await say("hello");
    await until("the failure", () => disk.health().state === "full");
    expect(server.made).toBe(0);
    mend();
    await clock.advance(5000);
    await until("the reply", () => texts().length > 0);
    await clock.advance(60_000);
    expect(texts()).toEqual(["hello"]);
  });

  it("as a run begins or ends: nothing of it stays in memory, and the thread gets one reply and one card", async () => {
    for (const when of [
      "after insert on runs",
      "after update of state on runs when new.state = 'ended'",
      "after insert on tasks",
    ]) {
      const temp = tempStore();
      const working: Script = async function* (input) {
        yield { type: "started", model: "Model" };
        temp.store.ledger.saveTask(input.runId, task("running"));
        yield { type: "task", task: task("running") };
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield* reply("the answer");
      };
      const { say, texts, store, db, disk, clock } = await startOnDisk(working, { store: temp });
      const mend = breakCommits(db, when);
      await say("go");
      await until(`the failure ${when}`, () => disk.health().state === "full");
      mend();
      await clock.advance(5000);
      await until(`the end ${when}`, async () => (await store.busyThreads()).length === 0);
      await clock.advance(5000);
      await until(`settled ${when}`, async () => (await store.unsettledThreads()).length === 0);
      expect(texts().filter((text) => text === "the answer")).toHaveLength(1);
      expect(texts().length).toBeLessThanOrEqual(2);
      expect(texts().filter((text) => text.startsWith("Working"))).toEqual([]);
    }
  });

  it("as a question is asked: it is asked once, and its button still answers it", async () => {
    const { say, server, texts, gateway, db, disk, clock, store } = await startOnDisk(asks(choice("i1")));
    const mend = breakCommits(db, "after insert on questions");
    await say("go");
    await until("the failure", () => disk.health().state === "full");
    mend();
    await clock.advance(5000);
    await until("the question", () => texts().some((text) => text.includes("Which?")));
    const [first] = server.posts.find((post) => post.buttons.length > 1)?.buttons ?? [];
    await gateway.deliver(press(first ?? ""));
    await until("the reply", () => texts().some((text) => text.startsWith("got ")));
    await until("the end", async () => (await store.busyThreads()).length === 0);
    expect(texts().filter((text) => text.includes("Which?"))).toHaveLength(1);
  });
});

it("/readyz is 503 and names the disk while it has little room; then what was said meanwhile is answered, once", async () => {
  const setting = await createSetting(createTelegramStage);
  setting.models.script(modelEcho);
  let free = LOW_BYTES - 1;
  const config = parseConfig(setting.yaml, {}, KINDS);
  const here = { config, kinds: KINDS, clock: systemClock, log: pino({ level: "silent" }), env: {} };
  const program = await startProgram({ ...here, freeBytes: async () => free });
  onTestFinished(() => program.stop());
  const readyz = async () => {
    const answer = await fetch(`${program.http.origin}/readyz`);
    return { status: answer.status, body: await answer.json() };
  };
  const ana = setting.stage.person("Ana");
  ana.direct.say(ana, "hello");
  await until("a refusal", async () => JSON.stringify(await readyz()).includes("could not be stored"));
  expect(await readyz()).toMatchObject({
    status: 503,
    body: {
      ready: false,
      disk: { state: "low", freeBytes: LOW_BYTES - 1, text: expect.stringContaining("Make room") },
    },
  });
  expect(ana.direct.posts()).toEqual([]);
  free = ROOMY_BYTES;
  await until("the reply", () => ana.direct.posts().some(({ text }) => text.includes("You said: hello")));
  await until("ready", async () => (await readyz()).status === 200);
  expect(await readyz()).toMatchObject({ body: { ready: true, disk: { state: "roomy", freeBytes: ROOMY_BYTES } } });
  expect(ana.direct.posts()).toHaveLength(1);
});

describe("a disk with little room", () => {
  it("keeps new messages out, while replies leave and presses and commands come in", async () => {
    const { held, release } = gate();
    const { say, texts, gateway, disk, free, clock, lines, inputs } = await startOnDisk(async function* (input) {
      await held;
      yield* echo(input, new AbortController().signal);
    });
    await say("first");
    await until("the run", () => inputs.length === 1);
    free.bytes = LOW_BYTES - 1;
    await clock.advance(5000);
    expect(disk.health()).toMatchObject({
      state: "low",
      freeBytes: LOW_BYTES - 1,
      text: expect.stringContaining("49 MB free, 50 MB needed"),
    });
    await expect(say("second")).rejects.toMatchObject(UNAVAILABLE);
    expect(await gateway.deliver(press("unknown"))).toMatchObject({ reply: { type: "notice" } });
    expect(await gateway.deliver(event({ type: "command", name: "status", args: "" }))).toMatchObject({
      accepted: true,
    });
    release();
    await until("the reply", () => texts().includes("first"));
    free.bytes = LOW_BYTES + 1;
    await clock.advance(20_000);
    expect(disk.health()).toMatchObject({ state: "low" });
    free.bytes = ROOMY_BYTES;
    await clock.advance(5000);
    await say("second");
    await until("the second reply", () => texts().includes("second"));
    expect(lines.map(({ level }) => level)).toEqual([50, 30]);
  });
});
