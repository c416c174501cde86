import { describe, expect, it } from "vitest";
import { type Inbound } from "../../gateway/contract.ts";
import { createClock, message, press, tempStore, until } from "../helpers.ts";
import { createMemoServer } from "../memo-platform.ts";
import { asks, choice, echo, hangs, type Script, start, task } from "./bench.ts";

describe("after a crash", () => {
  it("goes on with the run, edits the same card and says the reply once", async () => {
    const clock = createClock();
    const { store, reopen } = tempStore(clock);
    const script: Script = async function* (_input, signal) {
      yield { type: "started", model: "Big" };
      yield { type: "task", task: task("running", 100) };
      await new Promise((resolve) => signal.addEventListener("abort", resolve)); // until the "crash"
    };
    const before = start(script, { store, clock });
    await before.say("go");
    await until("the card", () => before.texts().length === 1);
    await before.gateway.stop();
    const after = start(
      async function* () {
        yield { type: "started", model: "Big" };
        yield { type: "task", task: task("completed", 250) };
        yield { type: "text", markdown: "answer" };
        yield { type: "end", outcome: "done" };
      },
      { store: reopen().store, server: before.server, clock },
    );
    await after.gateway.recover();
    await clock.advance(1100);
    await until("the end", () => after.texts()[0]?.startsWith("Done"));
    expect(after.texts()).toEqual([
      expect.stringMatching(/^Done\n.*look it up: researcher · Small · 250 tokens/),
      "answer",
    ]);
    expect(after.inputs[0]).toMatchObject({ runId: before.inputs[0]?.runId, type: "messages" });
  });

  it("gives a run up after three tries and tells the thread once", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const server = createMemoServer();
    const first = start(hangs, { store, server, clock });
    await first.say("go");
    await until("a run", () => first.inputs.length === 1);
    // None of them is stopped: each is left behind as by a crash.
    for (let attempt = 2; attempt <= 4; attempt += 1) {
      const next = start(hangs, { store, server, clock });
      await next.gateway.recover();
      await until("the attempt", () => next.inputs.length === 1 || next.texts().length > 0);
    }
    expect(server.posts.map((post) => post.text)).toEqual([expect.stringContaining("stopped trying")]);
    expect(await store.busyThreads()).toEqual([]);
  });

  it("waits while its platform is switched off, and goes on when it is on again", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const server = createMemoServer();
    const first = start(hangs, { store, server, clock });
    await first.say("go");
    await until("a run", () => first.inputs.length === 1);
    const off = start(echo, { store, server, clock, off: true });
    await off.gateway.recover();
    await clock.advance(60_000);
    expect(off.inputs).toEqual([]);
    const on = start(echo, { store, server, clock });
    await on.gateway.recover();
    await until("the reply", () => on.texts().includes("go"));
  });

  it("is stopped at once also while a file comes slowly", async () => {
    const never = async function* (): AsyncGenerator<Uint8Array> {
      yield await new Promise<Uint8Array>(() => {});
    };
    const { say, texts, store, inputs } = start(echo, { adapter: { download: () => Promise.resolve(never()) } });
    await say("look", { files: [{ id: "f1", name: "big.bin" }] });
    await until("the run", async () => (await store.busyThreads()).length === 1);
    await say("/stop");
    await until("the end", async () => (await store.busyThreads()).length === 0);
    await until("the notice", () => texts().length === 1);
    expect(texts()).toEqual(["Stopped."]);
    expect(inputs).toEqual([]);
  });

  it("does not count a stop on purpose as a failed try", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const server = createMemoServer();
    const first = start(hangs, { store, server, clock });
    await first.say("go");
    await until("a run", () => first.inputs.length === 1);
    await first.gateway.stop();
    for (let restart = 1; restart <= 5; restart += 1) {
      const next = start(hangs, { store, server, clock });
      await next.gateway.recover();
      await until("the run again", () => next.inputs.length === 1);
      await next.gateway.stop();
    }
    expect(server.posts).toEqual([]);
  });

  it("that was stopped in the moment it ended says nothing but that it was stopped", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { say, texts, store } = start(async function* (input, signal) {
      await held;
      yield* echo(input, signal); // it did not notice
    });
    await say("go");
    const [thread] = await store.busyThreads();
    await store.accept(message("/stop"), (_event, facts) => ({
      rule: "",
      effects: facts.thread?.run ? [{ type: "stop", run: facts.thread.run.id }] : [],
    }));
    release();
    await until("the end", async () => (await store.busyThreads()).length === 0);
    expect(texts()).toEqual([]);
    expect(thread).toBeDefined();
  });

  it("ends a run that was stopped while nobody ran it", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const before = start(asks(choice("i1")), { store, clock });
    await before.say("paint it");
    await until("the question", () => before.server.posts.length === 1);
    await before.say("/stop");
    await until("the end", () => before.texts().includes("Stopped."));
    expect(before.texts()).toEqual(["🔀 Which? = closed", "Stopped."]);
    expect(await store.busyThreads()).toEqual([]);
  });

  it("starts a fresh thread in a quiet DM, says so, and goes back when asked", async () => {
    const { gateway, say, server, clock, inputs, texts } = start(echo);
    const place = { key: "memo:dm", type: "direct", id: "dm", single: true } as unknown as Inbound["place"];
    await say("one", { place });
    await until("the reply", () => texts().length === 1);
    await clock.advance(90_000_000);
    await say("two", { place });
    const notice = await until("the notice", () => server.posts.find((post) => post.text.includes("new thread")));
    await until("the reply", () => texts().includes("two"));
    await gateway.deliver(press(notice.buttons[0] ?? "", { place }));
    await say("three", { place });
    await until("the reply", () => texts().includes("three"));
    expect(new Set(inputs.map((input) => input.threadId)).size).toBe(2);
    expect(inputs[2]?.threadId).toBe(inputs[0]?.threadId);
  });
});

describe("an agent that waits for nothing anybody was asked", () => {
  it("is not run in a hot loop", async () => {
    let runs = 0;
    const { say, store } = start(async function* () {
      runs += 1;
      yield { type: "started", model: "M" };
      yield { type: "end", outcome: "waiting" };
    });
    await say("hi");
    await until("the run", () => runs > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(runs).toBe(1);
    expect(await store.busyThreads()).toHaveLength(1);
  });
});
