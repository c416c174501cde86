import { describe, expect, it } from "vitest";
import { bob, createClock, press, tempStore, until } from "../helpers.ts";
import { createMemoServer } from "../memo-platform.ts";
import { choice, echo, gate, reply, type Script, start, task } from "./bench.ts";

describe("progress", () => {
  const working: Script = async function* (_input, signal) {
    yield { type: "started", model: "Big" };
    yield { type: "task", task: task("running") };
    yield { type: "task", task: task("running", 300) };
    yield { type: "usage", tokens: 300 };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "task", task: task("cancelled", 300) };
    yield { type: "end", outcome: "cancelled" };
  };

  it("/stop cancels the run, ends its card with the tokens used so far, and says so once", async () => {
    const { say, texts, clock } = start(working);
    await say("go");
    await until("the card", () => texts().some((text) => text.includes("Working…")));
    await say("/stop");
    await clock.advance(2000);
    await until("the end", () =>
      texts().some((text) =>
        /Cancelled · 300 tokens\n.*look it up: cancelled · researcher · Small · 300 tokens/.test(text),
      ),
    );
    expect(texts().filter((text) => text.startsWith("Stopped"))).toHaveLength(1);
    expect(texts()).toHaveLength(2);
  });

  it("says once that it is stopped, however often it is asked to", async () => {
    const { say, texts, clock } = start(working);
    await say("go");
    await until("the card", () => texts().length === 1);
    await Promise.all([say("/stop"), say("/stop")]);
    await until("the notice", () => texts().includes("Stopped."));
    await clock.advance(1100);
    expect(texts()).toEqual([expect.stringMatching(/^Cancelled/), "Stopped."]);
  });

  it("replaces a card that can no longer be edited, so that none says working for ever", async () => {
    const server = createMemoServer();
    const { say, clock, texts } = start(working, { server });
    await say("go");
    await until("the card", () => server.posts.length === 1);
    server.faults.push({ call: "edit", code: "invalid", times: 1 });
    await clock.advance(1100);
    await say("/stop");
    await until("the notice", () => texts().includes("Stopped."));
    await clock.advance(1100);
    await until("the end of the card", () => texts().some((text) => text.startsWith("Cancelled")));
    expect(texts()).toHaveLength(2);
  });

  it("keeps its pace when the clock is set back", async () => {
    const clock = createClock();
    let back = 0;
    const { say, texts } = start(working, { clock: { ...clock, now: () => clock.now() - back } });
    await say("go");
    await until("the card", () => texts().length === 1);
    back = 3_600_000;
    await say("/stop");
    await clock.advance(1100);
    await until("the end of the card", () => texts().some((text) => text.startsWith("Cancelled")));
  });

  it("has a Stop button that only the asker may press", async () => {
    const { gateway, say, server, texts, clock } = start(working);
    await say("go");
    const card = await until("the card", () => server.posts.find((post) => post.text.includes("Working…")));
    const token = card.buttons[0] ?? "";
    expect(await gateway.deliver(press(token, { author: bob }))).toMatchObject({ accepted: false });
    await gateway.deliver(press(token));
    await clock.advance(2000);
    await until("the end", () => texts().some((text) => text.includes("Cancelled")));
    expect(card.buttons).toEqual([]);
  });

  it("EDIT-07: shows the last state of a burst without any further event, and only the newest", async () => {
    const { say, server, clock } = start(working);
    await say("go");
    await until("the card", () => server.posts.length === 1);
    await clock.advance(1500);
    await until("the newest state", () => server.posts[0]?.text.includes("Small · 300 tokens"));
    expect(server.calls.length).toBeLessThanOrEqual(3);
  });

  it("appears after 5 s without any task, and goes on in the same message", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { say, texts, clock } = start(async function* (input, signal) {
      await held;
      yield* echo(input, signal);
    });
    await say("slow one");
    await clock.advance(4900);
    expect(texts()).toEqual([]);
    await clock.advance(200);
    await until("the card", () => texts().length === 1);
    release();
    await until("the reply", () => texts().length === 2);
    await clock.advance(2000);
    await until("the end of the card", () => texts()[0]?.startsWith("Done"));
    expect(texts()[1]).toBe("slow one");
  });

  it("ORD-05: an edit that is slow never lands after the reply with a state that still works", async () => {
    const server = createMemoServer();
    server.editDelayMs = 100;
    const { say, clock, texts } = start(
      async function* () {
        yield { type: "started", model: "Big" };
        yield { type: "task", task: task("running") };
        await until("the card", () => server.posts.length === 1);
        yield { type: "task", task: task("running", 100) };
        await until("an edit under way", () => server.calls.some((call) => call.call === "edit"));
        yield { type: "task", task: task("completed", 200) };
        yield { type: "text", markdown: "x".repeat(450) };
        yield { type: "end", outcome: "done" };
      },
      { server },
    );
    await say("go");
    await until("the card", () => server.posts.length === 1);
    await clock.advance(1100);
    await until("three parts", () => texts().length === 4);
    await clock.advance(1100);
    await until("the end of the card", () => texts()[0]?.startsWith("Done"));
    const firstPart = server.calls.findIndex((call) => call.text.startsWith("xxx"));
    expect(server.calls.slice(firstPart).filter((call) => call.text.includes("Working…"))).toEqual([]);
    expect(
      texts()
        .slice(1)
        .map((text) => text.length),
    ).toEqual([200, 200, 50]);
  });
});

describe("a card that had to wait for a 429", () => {
  it("says that the run waits, also after a restart in between", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const server = createMemoServer();
    const { held, release } = gate();
    const before = start(
      async function* () {
        yield { type: "started", model: "M" };
        await held;
        yield { type: "question", request: choice("q") };
        yield { type: "end", outcome: "waiting" };
      },
      { clock, store, server },
    );
    await before.say("hi");
    await until("the run", () => before.inputs.length === 1);
    await clock.advance(5100);
    server.faults.push({ call: "edit", code: "rate_limited", retryAfterMs: 3000, times: 1 });
    release();
    await until("the question", () => server.posts.length === 2);
    await clock.advance(1100);
    await until(
      "the run to wait",
      async () => (await store.busyThreads()).length === 1 && server.faults[0]?.times === 0,
    );
    await before.gateway.stop();
    const after = start(echo, { clock, store, server });
    await after.gateway.recover();
    await clock.advance(60_000);
    expect(after.texts()[0]).toMatch(/^Waiting for an answer/);
  });

  it("and was never posted is not posted as done after the reply", async () => {
    const { held, release } = gate();
    const { say, server, clock, texts, inputs } = start(async function* () {
      yield { type: "started", model: "M" };
      await held;
      yield* reply("done");
    });
    await say("hi");
    await until("the run", () => inputs.length === 1);
    server.faults.push({ call: "send", code: "rate_limited", retryAfterMs: 8000, times: 1 });
    await clock.advance(5100);
    release();
    await clock.advance(20_000);
    await until("the reply", () => texts().length > 0);
    expect(texts()).toEqual(["done"]);
  });
});

describe("the card of a run that has ended", () => {
  it("is ended before anything of the next run is shown", async () => {
    const { held, release } = gate();
    let runs = 0;
    const { say, clock, texts, inputs } = start(async function* () {
      runs += 1;
      yield { type: "started", model: "M" };
      if (runs === 1) {
        await held;
        return yield* reply("one");
      }
      yield { type: "question", request: choice("q") };
      yield { type: "end", outcome: "waiting" };
    });
    await say("hi");
    await until("the run", () => inputs.length === 1);
    await clock.advance(5100);
    await say("second");
    release();
    await until("the question", () => texts().some((text) => text.includes("Which?")));
    expect(texts()[0]).toMatch(/^Done/);
  });
});
