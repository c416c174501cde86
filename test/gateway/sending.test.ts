import { writeFileSync } from "node:fs";
import path from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { type Adapter, AdapterError, METHODS, threadKey } from "../../gateway/contract.ts";
import { createClock, groupPlace, tempFolder, tempStore, until } from "../helpers.ts";
import { createMemoAdapter, createMemoServer, type Fault } from "../memo-platform.ts";
import { echo, gate, reply, type Script, start, task } from "./bench.ts";

describe("sending", () => {
  const long: Script = () => reply("a".repeat(200) + "b".repeat(200) + "c".repeat(50));

  it("EDIT-03: waits out a 429 in the middle of three parts, holds no other chat, and sends each part once", async () => {
    const server = createMemoServer();
    const { say, clock, texts, store } = start(
      (input, signal) => (input.context.audience === "shared" ? echo(input, signal) : long(input, signal)),
      { server },
    );
    server.faults.push({ call: "send", code: "rate_limited", retryAfterMs: 26_000, times: 0 });
    await say("go");
    await until("the first part", () => texts().length >= 1);
    await until("all parts", () => texts().length === 3);
    server.posts.length = 0;
    const [fault] = server.faults;
    if (fault) fault.times = 1;
    await say("again");
    await until("the refusal", () => fault?.times === 0);
    await say("@bot other chat", { place: groupPlace, thread: threadKey(groupPlace.key), mentionsBot: true });
    await until("the other chat", () => texts().includes("@bot other chat"));
    await clock.advance(25_000);
    expect(texts()).toEqual(["@bot other chat"]);
    expect(await store.heldUntil("memo:dm")).toBeGreaterThan(clock.now());
    await clock.advance(2000);
    await until("all parts", () => texts().length === 4);
    expect(
      texts()
        .slice(1)
        .map((text) => text[0]),
    ).toEqual(["a", "b", "c"]);
  });

  it("lets the other threads of a chat go on where each is limited for itself", async () => {
    const server = createMemoServer();
    const { limits } = createMemoAdapter(server);
    const { say, texts } = start(echo, {
      server,
      adapter: { limits: { ...limits, waits: [{ scope: "thread", methods: METHODS }] } },
    });
    server.faults.push({ call: "send", code: "rate_limited", retryAfterMs: 26_000, times: 1 });
    const of = (thread: string) => ({ place: groupPlace, thread: threadKey(thread), mentionsBot: true });
    await say("one", of("memo:g:1"));
    await until("the refusal", () => server.faults[0]?.times === 0);
    await say("two", of("memo:g:2"));
    await until("the other thread", () => texts().includes("two"));
    expect(texts()).toEqual(["two"]);
  });

  it("tries again without end when the platform is away, in order", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "send", code: "unavailable", times: 5 });
    const { say, clock, texts } = start(echo, { server });
    await say("one");
    await until("the first failure", () => server.calls.length === 1);
    await say("two");
    await until("both", async () => {
      await clock.advance(30_000);
      return texts().length === 2;
    });
    expect(texts()).toEqual(["one", "two"]);
  });

  it("sends a final again after an unknown outcome, and searches first where the platform can be searched", async () => {
    for (const searchable of [false, true]) {
      const server = createMemoServer();
      server.searchable = searchable;
      server.faults.push({ call: "send", code: "unknown_outcome", done: true, times: 1 });
      const { say, clock, texts, store } = start(echo, { server });
      await say("hello");
      await until("the first try", () => server.calls.length === 1);
      await clock.advance(2000);
      await until("the receipt", async () => (await store.unsettledThreads()).length === 0);
      expect(texts()).toEqual(searchable ? ["hello"] : ["hello", "hello"]);
    }
  });

  it("gives a post of unknown outcome up where the bot was shut out, and sends it again where it only cannot be searched", async () => {
    for (const code of ["forbidden", "invalid"] as const) {
      const server = createMemoServer();
      server.faults.push({ call: "send", code: "unknown_outcome", times: 1 });
      let searches = 0;
      const find: Adapter["find"] = async () => {
        searches += 1;
        throw new AdapterError(code, code);
      };
      const { say, clock, texts, store } = start(echo, { server, adapter: { find } });
      await say("hello");
      await until("the first try", () => server.calls.length === 1);
      await clock.advance(2000);
      await until("the end of it", async () => (await store.unsettledThreads()).length === 0);
      expect(searches).toBe(1);
      expect(texts()).toEqual(code === "invalid" ? ["hello"] : []);
    }
  });

  it("waits for nothing that a clock set back has put into the far future", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "send", code: "unavailable", times: 1 });
    const hand = createClock();
    let back = 0;
    const { say, texts, store } = start(echo, { server, clock: { ...hand, now: () => hand.now() - back } });
    await say("one");
    await until("the refusal", () => server.faults[0]?.times === 0);
    await store.hold("memo:dm", hand.now() + 500_000);
    back = 3_600_000;
    await say("two");
    await until("a reply", () => texts().length > 0);
  });

  it("EDIT-08: replaces a card that somebody deleted, once, and goes on with the new one", async () => {
    const server = createMemoServer();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { say, clock, texts } = start(
      async function* () {
        yield { type: "started", model: "Big" };
        yield { type: "task", task: task("running") };
        await held;
        yield { type: "task", task: task("completed", 200) };
        yield { type: "text", markdown: "answer" };
        yield { type: "end", outcome: "done" };
      },
      { server },
    );
    await say("go");
    await until("the card", () => server.posts.length === 1);
    server.posts.length = 0;
    release();
    await until("the reply", () => texts().includes("answer"));
    await clock.advance(1100);
    await until("card and reply", () => texts().length === 2);
    expect(texts().toSorted()).toEqual([
      expect.stringMatching(/^Done\n.*look it up: researcher · Small · 200 tokens/),
      "answer",
    ]);
  });

  it("gives one refused part up without losing the others or stopping the thread", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "send", code: "invalid", times: 1 });
    const { say, texts } = start(
      (input, signal) =>
        input.type === "messages" && input.messages[0]?.text === "long" ? long(input, signal) : echo(input, signal),
      { server },
    );
    await say("long");
    await until("the rest, and that something is missing", () => texts().length === 3);
    expect(texts().filter((text) => text.includes("A part of my answer could not be shown"))).toHaveLength(1);
    await say("next");
    await until("the next turn", () => texts().includes("next"));
  });

  it("says which file is larger than the platform takes, and does not try to send it", async () => {
    const file = path.join(tempFolder(), "big_one.txt");
    writeFileSync(file, "x".repeat(1_000_001));
    const { say, texts } = start(async function* () {
      yield { type: "started", model: "Model" };
      yield { type: "file", path: file };
      yield { type: "text", markdown: "here it is" };
      yield { type: "end", outcome: "done" };
    });
    await say("go");
    await until("notice and reply", () => texts().length === 2);
    expect(texts().toSorted()).toEqual([
      String.raw`The file big\_one\.txt is larger than the 1 MB that can be shown here.`,
      "here it is",
    ]);
  });

  it("says which file the platform refused, instead of losing it in silence", async () => {
    const file = path.join(tempFolder(), "empty.txt");
    writeFileSync(file, "");
    const refuse = () => Promise.reject(new AdapterError("invalid", "Expected a file that is not empty."));
    const { say, texts } = start(
      async function* () {
        yield { type: "started", model: "Model" };
        yield { type: "file", path: file };
        yield { type: "text", markdown: "here it is" };
        yield { type: "end", outcome: "done" };
      },
      { adapter: { upload: refuse } },
    );
    await say("go");
    await until("notice and reply", () => texts().length === 2);
    expect(texts().toSorted()).toEqual([
      "The file `empty.txt` could not be shown here: the platform refused it.",
      "here it is",
    ]);
  });
});

describe("what fails in one place", () => {
  it("is one line of the log where the bot is shut out, not one for each message, and again after it was let in", async () => {
    const server = createMemoServer();
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    const { say, texts, store } = start(echo, { server, log });
    const blocked = { call: "send", code: "forbidden", times: 3 } as const;
    const fault: Fault = { ...blocked };
    server.faults.push(fault);
    const settled = () => until("the end of it", async () => (await store.unsettledThreads()).length === 0);
    for (const left of [2, 1, 0]) {
      await say("hello");
      await until("the refusal", () => fault.times === left);
      await settled();
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("memo:dm");
    await say("hello");
    await until("the reply", () => texts().includes("hello"));
    await settled();
    server.faults.push({ ...blocked, times: 1 });
    await say("hello");
    await until("the second line", () => lines.length === 2);
  });

  it("holds nothing else: failing edits of a card do not hold the reply", async () => {
    const { held, release } = gate();
    const { say, server, clock, texts, inputs } = start(async function* () {
      yield { type: "started", model: "M" };
      await held;
      yield* reply("done");
    });
    await say("hi");
    await until("the run", () => inputs.length === 1);
    await clock.advance(5100);
    server.faults.push({ call: "edit", code: "unavailable", times: 6 });
    await clock.advance(60_000);
    release();
    await clock.advance(100);
    await until("the reply", () => texts().includes("done"), 1000);
  });

  it("holds nothing else: a view that cannot be drawn does not silence its thread", async () => {
    const server = createMemoServer();
    const memo = createMemoAdapter(server);
    const render: Adapter["render"] = (view) => {
      if (view.type === "reply" && view.markdown === "bad") throw new TypeError("cannot draw this");
      return memo.render(view);
    };
    const { say, texts } = start(echo, { server, adapter: { render } });
    await say("bad");
    await say("good");
    await until("the next reply", () => texts().includes("good"));
    expect(texts()[0]).toContain("could not be shown");
  });

  it("is tried again later when the store cannot be read, without a hot loop", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    let reads = 0;
    let broken = false;
    const thread: typeof store.thread = (id) => {
      if (!broken) return store.thread(id);
      reads += 1;
      throw new Error("input/output error");
    };
    const { say, texts } = start(echo, { clock, store: { ...store, thread } });
    await say("hi");
    await until("the reply", () => texts().includes("hi"));
    broken = true;
    await say("/status");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reads).toBeLessThan(5);
    broken = false;
    await clock.advance(2000);
    await until("the status", () => texts().length === 2);
  });

  it("holds its place for the longest wait that was asked for", async () => {
    const { store } = tempStore();
    await store.hold("p" as never, 30_000);
    await store.hold("p" as never, 3000);
    expect(await store.heldUntil("p" as never)).toBe(30_000);
  });
});
