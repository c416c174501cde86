import { describe, expect, it } from "vitest";
import { type Adapter, AdapterError, METHODS, threadKey, type Wait } from "../../gateway/contract.ts";
import { createClock, groupPlace, press, tempStore, until } from "../helpers.ts";
import { createMemoAdapter, createMemoServer } from "../memo-platform.ts";
import { asks, choice, echo, gate, hangs, reply, type Script, start, task } from "./bench.ts";

/** A card, then one more state each time `more` is called; ends as `done` after `release`. */
function growing() {
  const { held, release } = gate();
  const show: (() => void)[] = [];
  const script: Script = async function* () {
    yield { type: "started", model: "Big" };
    yield { type: "task", task: task("running", 1) };
    let [state, ended] = [1, false];
    void held.then(() => (ended = true));
    while (!ended) {
      await Promise.race([held, new Promise<void>((resolve) => show.push(resolve))]);
      if (!ended) yield { type: "task", task: task("running", ++state * 100) };
    }
    yield* reply("done");
  };
  return { script, release, more: () => show.splice(0).forEach((next) => next()) };
}
const thread = (name: string) => ({ place: groupPlace, thread: threadKey(`memo:g:${name}`), mentionsBot: true });
const byMethod: readonly Wait[] = METHODS.map((method) => ({ scope: "place", methods: [method] }));

describe("cards", () => {
  it("of twelve threads in one group share its pace, also when all are due in the same moment", async () => {
    const { script, more } = growing();
    const { say, server, clock } = start(script);
    for (let i = 0; i < 12; i += 1) await say("@bot go", thread(`${i}`));
    await clock.advance(40_000);
    await until("all cards", () => server.posts.length === 12);
    await clock.advance(3000);
    const from = server.calls.length;
    for (let second = 0; second < 60; second += 1) {
      more();
      await clock.advance(1000);
    }
    const edits = server.calls.slice(from);
    expect(edits.length).toBeGreaterThan(15);
    expect(edits.length).toBeLessThanOrEqual(21);
    expect(new Set(edits.slice(0, 12).map((edit) => edit.thread)).size).toBe(12);
  });

  it("EDIT-05: after a 429 of 9 s are edited once when it is over, with the newest state; other chats go on", async () => {
    const { script, more } = growing();
    const { say, server, clock } = start(script);
    await say("go");
    await until("the card", () => server.posts.length === 1);
    server.faults.push({ call: "edit", code: "rate_limited", retryAfterMs: 9000, times: 1 });
    await say("@bot go", thread("other"));
    await until("the other card", () => server.posts.length === 2);
    const own = () => server.calls.filter(({ call, thread: where }) => call === "edit" && where === "memo:dm");
    await clock.advance(1000);
    for (let i = 0; i < 10; i += 1) {
      more();
      await clock.advance(100);
    }
    await until("the refusal", () => server.faults[0]?.times === 0);
    await clock.advance(6900);
    expect(own()).toHaveLength(1);
    expect(server.posts[1]?.edits).toBeGreaterThan(0);
    await clock.advance(2500);
    expect(own()).toHaveLength(2);
    expect(server.posts[0]?.text).toMatch(/\b1\.\dk tokens/);
  });

  it("EDIT-05: of several threads in one chat are all silent until its 429 is over", async () => {
    const { script, more } = growing();
    const { say, server, clock } = start(script);
    for (let i = 0; i < 5; i += 1) await say("@bot go", thread(`${i}`));
    await clock.advance(20_000);
    await until("all cards", () => server.posts.length === 5);
    server.faults.push({ call: "edit", code: "rate_limited", retryAfterMs: 60_000, times: 1 });
    more();
    await clock.advance(3000);
    await until("the refusal", () => server.faults[0]?.times === 0);
    const before = server.calls.length;
    for (let second = 0; second < 55; second += 1) {
      more();
      await clock.advance(1000);
    }
    expect(server.calls).toHaveLength(before);
  });

  it("hold no answer back with their 429 where the platform limits each method for itself", async () => {
    const server = createMemoServer();
    const { limits } = createMemoAdapter(server);
    const { script, more, release } = growing();
    const { say, clock, texts } = start(script, { server, adapter: { limits: { ...limits, waits: byMethod } } });
    await say("go");
    await until("the card", () => server.posts.length === 1);
    server.faults.push({ call: "edit", code: "rate_limited", retryAfterMs: 60_000, times: 1 });
    more();
    await clock.advance(1100);
    await until("the refusal", () => server.faults[0]?.times === 0);
    release();
    await until("the answer", () => texts().includes("done"));
    expect(texts()[0]).toMatch(/^Working/);
    await clock.advance(62_000);
    expect(texts()[0]).toMatch(/^Done/);
  });

  it("give way to answers when the 429 that held both is over", async () => {
    const { script, more, release } = growing();
    const { say, server, clock } = start(
      (input, signal) => (JSON.stringify(input).includes("quick") ? echo(input, signal) : script(input, signal)),
      {},
    );
    await say("@bot slow", thread("slow"));
    await until("the card", () => server.posts.length === 1);
    server.faults.push({ call: "edit", code: "rate_limited", retryAfterMs: 20_000, times: 1 });
    more();
    await clock.advance(3100);
    await until("the refusal", () => server.faults[0]?.times === 0);
    more();
    await say("@bot quick", thread("quick"));
    const from = server.calls.length;
    await clock.advance(25_000);
    expect(server.calls.slice(from).map(({ call }) => call)).toEqual(["send", "edit"]);
    release();
  });

  it("EDIT-07: show the last state of a burst within their pace, with no further event", async () => {
    const { script, more } = growing();
    const { say, server, clock } = start(script);
    await say("@bot go", thread("g"));
    await until("the card", () => server.posts.length === 1);
    for (const ms of [100, 200]) {
      more();
      await clock.advance(ms);
    }
    await clock.advance(2800);
    expect(server.posts[0]?.text).toContain("300 tokens");
    expect(server.calls).toHaveLength(2);
  });
});

describe("an answer", () => {
  it("EDIT-03: that gets a 429 of 26 s three times waits each of them out in silence, and arrives once", async () => {
    const server = createMemoServer();
    const times: number[] = [];
    const clock = createClock();
    const memo = createMemoAdapter(server);
    const touch = () => void times.push(clock.now());
    const adapter: Partial<Adapter> = {
      send: (...call) => (touch(), memo.send(...call)),
      presence: async (_thread, on) => (on ? touch() : undefined),
    };
    const { say, texts } = start(
      (input, signal) => (JSON.stringify(input).includes("again") ? hangs(input, signal) : echo(input, signal)),
      { server, clock, adapter },
    );
    server.faults.push({ call: "send", code: "rate_limited", retryAfterMs: 26_000, times: 3 });
    const began = clock.now();
    await say("hello");
    await until("the first refusal", () => server.calls.length === 1);
    await say("again"); // a run that would show that it works
    await clock.advance(77_900);
    expect(texts()).toEqual([]);
    await clock.advance(200);
    await until("the answer", () => texts().includes("hello"));
    const sent = server.calls.filter(({ text }) => text === "hello");
    expect(sent).toHaveLength(4);
    const after = times.map((at) => at - began).filter((at) => at > 0);
    expect(after.every((at) => [26_000, 52_000].includes(at) || at >= 78_000)).toBe(true);
  });

  it("does not wait for the edit that closes its question, where that alone got a 429", async () => {
    const server = createMemoServer();
    const { limits } = createMemoAdapter(server);
    const { say, gateway, texts, clock } = start(asks(choice("q")), {
      server,
      adapter: { limits: { ...limits, waits: byMethod } },
    });
    await say("go");
    const question = await until("the question", () => server.posts[0]);
    server.faults.push({ call: "edit", code: "rate_limited", retryAfterMs: 60_000, times: 1 });
    await gateway.deliver(press(question.buttons[0] ?? ""));
    await until("the answer", () => texts().some((text) => text.startsWith("got")));
    expect(question.buttons).not.toEqual([]);
    await clock.advance(61_000);
    expect(question.buttons).toEqual([]);
  });

  it("waits in every chat where a 429 is for the whole bot, and only until it is over", async () => {
    const server = createMemoServer();
    const { say, texts, clock } = start(echo, { server });
    server.faults.push({ call: "send", code: "rate_limited", retryAfterMs: 9000, everywhere: true, times: 1 });
    await say("first");
    await until("the refusal", () => server.faults[0]?.times === 0);
    await say("@bot second", thread("other"));
    await clock.advance(8900);
    expect(server.calls).toHaveLength(1);
    await clock.advance(200);
    await until("both answers", () => texts().length === 2);
  });

  it("waits out a 429 that an earlier process got", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const server = createMemoServer();
    server.faults.push({ call: "send", code: "rate_limited", retryAfterMs: 7_200_000, times: 1 });
    const before = start(echo, { clock, store, server });
    await before.say("hello");
    await until("the refusal", () => server.faults[0]?.times === 0);
    await before.gateway.stop();
    const after = start(echo, { clock, store, server });
    await after.gateway.recover();
    await clock.advance(7_199_000);
    expect(server.calls).toHaveLength(1);
    await clock.advance(2000);
    await until("the answer", () => after.texts().includes("hello"));
  });
});

describe("a sign of life", () => {
  function signs(limits: Partial<Adapter["limits"]> = {}) {
    const clock = createClock();
    const server = createMemoServer();
    const memo = createMemoAdapter(server);
    const began = clock.now();
    const shown: (readonly [at: number, on: boolean])[] = [];
    const presence: Adapter["presence"] = async (_thread, on) => void shown.push([clock.now() - began, on]);
    return { clock, server, shown, adapter: { presence, limits: { ...memo.limits, ...limits } } };
  }

  it("is renewed before it fades, and ends with the run", async () => {
    const { clock, server, shown, adapter } = signs();
    const { held, release } = gate();
    const { say, inputs } = start(
      async function* () {
        await held;
        yield* reply("done");
      },
      { clock, server, adapter },
    );
    await say("go");
    await until("the run", () => inputs.length === 1);
    await clock.advance(4600);
    expect(shown).toEqual([
      [0, true],
      [4500, true],
    ]);
    release();
    await until("its end", () => shown.some(([, on]) => !on));
  });

  it("is shown again after a post of ours, which wipes it away", async () => {
    const { clock, server, shown, adapter } = signs({ presenceMs: 100_000 });
    const { script } = growing();
    const { say } = start(script, { clock, server, adapter });
    await say("go");
    await until("the card", () => server.posts.length === 1);
    await clock.advance(0);
    expect(shown.length).toBeGreaterThanOrEqual(2);
    expect(shown.every(([at, on]) => at === 0 && on)).toBe(true);
  });

  it("that gets a 429 comes again when that is over, also for the chat's next run, and holds no answer", async () => {
    const { clock, server, shown, adapter } = signs();
    let limits = 1;
    const presence: Adapter["presence"] = async (at, on) => {
      await adapter.presence(at, on);
      if ((limits -= 1) >= 0) throw new AdapterError("rate_limited", "wait", { retryAfterMs: 30_000 });
    };
    const { script, release } = growing();
    const { say, texts } = start(
      (input, signal) => (JSON.stringify(input).includes("again") ? hangs(input, signal) : script(input, signal)),
      { clock, server, adapter: { ...adapter, presence } },
    );
    await say("go");
    await until("the card", () => server.posts.length === 1);
    await clock.advance(10_000);
    release();
    await until("the answer", () => texts().includes("done"));
    await say("again");
    await clock.advance(19_900);
    expect(shown).toEqual([[0, true]]);
    await clock.advance(200);
    expect(shown).toEqual([
      [0, true],
      [30_000, true],
    ]);
  });

  it("gives way to cards that wait, and comes when there is room", async () => {
    const { clock, server, shown, adapter } = signs({
      rates: [{ scope: "account", methods: ["post", "edit", "presence"], calls: 1, perMs: 1000 }],
    });
    const { script, more } = growing();
    const { say } = start(script, { clock, server, adapter });
    await say("go");
    await until("the run", () => shown.length === 1);
    await clock.advance(1000);
    await until("the card", () => server.posts.length === 1);
    more();
    await clock.advance(1000);
    expect(server.posts[0]?.edits).toBe(1);
    expect(shown).toHaveLength(1);
    await clock.advance(1000);
    expect(shown.map(([at]) => at)).toEqual([0, 3000]);
  });
});
