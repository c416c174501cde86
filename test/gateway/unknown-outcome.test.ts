/** A platform that neither tells nor can be searched, as Telegram is. */
import { describe, expect, it } from "vitest";
import type { PostRef } from "../../gateway/contract.ts";
import { createMemoServer } from "../memo-platform.ts";
import { executionId, type TaskSnapshot } from "../../subagents/contract.ts";
import { message, until } from "../helpers.ts";
import { asks, choice, echo, gate, type Script, start, task } from "./bench.ts";

const accepted = (times = 1) => ({ call: "send", code: "unknown_outcome", done: true, times }) as const;

/** Two tasks, the second one when it is let go on. */
function twoTasks(clock: { now(): number }) {
  const [first, second] = [gate(), gate()];
  const other = (state: TaskSnapshot["state"]): TaskSnapshot => ({
    ...task(state),
    taskId: "call_2",
    executionId: executionId("x2"),
    description: "count them",
    startedAt: clock.now(),
  });
  const script: Script = async function* () {
    yield { type: "started", model: "Big" };
    yield { type: "task", task: { ...task("running"), startedAt: clock.now() } };
    await first.held;
    yield { type: "task", task: other("running") };
    await second.held;
    yield { type: "text", markdown: "answer" };
    yield { type: "end", outcome: "done" };
  };
  return { script, first, second };
}

describe("of what may have been accepted", () => {
  it("a growing card is not shown a second time until there is more to tell", async () => {
    const server = createMemoServer();
    server.faults.push(accepted());
    const clock = { now: () => 0 };
    const { script, first, second } = twoTasks({ now: () => clock.now() });
    const bench = start(script, { server });
    clock.now = () => bench.clock.now();
    await bench.say("go");
    await until("the card", () => server.posts.length === 1);
    await bench.clock.advance(60_000);
    expect(bench.texts()).toHaveLength(1);
    first.release();
    await until("the card with the second task", async () => {
      await bench.clock.advance(1100);
      return server.posts.length === 2;
    });
    second.release();
    await until("the reply", () => bench.texts().includes("answer"));
    await until("the end of the card", async () => {
      await bench.clock.advance(1100);
      return bench.texts()[1]?.startsWith("Done");
    });
    expect(bench.texts()).toEqual([expect.stringMatching(/^Working/), expect.stringMatching(/^Done/), "answer"]);
  });

  it("a card is shown at the end of a run with tasks, and not of one without", async () => {
    for (const tasks of [true, false]) {
      const server = createMemoServer();
      server.faults.push(accepted());
      const { held, release } = gate();
      const { say, clock, texts, store } = start(
        async function* () {
          yield { type: "started", model: "Big" };
          if (tasks) yield { type: "task", task: task("running") };
          await held;
          yield { type: "text", markdown: "answer" };
          yield { type: "end", outcome: "done" };
        },
        { server },
      );
      await say("go");
      await clock.advance(6000);
      await until("the card", () => server.posts.length === 1);
      release();
      await until("the reply", () => texts().includes("answer"));
      await until("the rest", async () => {
        await clock.advance(2000);
        return (await store.unsettledThreads()).length === 0;
      });
      const [, ...after] = texts();
      expect(after).toEqual(tasks ? ["answer", expect.stringMatching(/^Done/)] : ["answer"]);
    }
  });

  it("a notice is not said twice", async () => {
    const server = createMemoServer();
    server.faults.push(accepted());
    const { say, clock, texts, store } = start(echo, { server });
    await say("/status");
    await until("the notice", () => texts().length === 1);
    await until("the end of it", async () => {
      await clock.advance(2000);
      return (await store.unsettledThreads()).length === 0;
    });
    expect(texts()).toHaveLength(1);
  });

  it("a question is asked again, and a press on either one answers it and takes both buttons away", async () => {
    const server = createMemoServer();
    server.faults.push(accepted());
    const { say, clock, texts, gateway } = start(asks(choice("i1")), { server });
    await say("paint it");
    await until("both questions", async () => {
      await clock.advance(2000);
      return texts().length === 2;
    });
    const [lost] = server.posts;
    if (!lost?.buttons[0]) throw new Error("Expected a question with buttons.");
    await gateway.deliver({ ...pressOn(lost.buttons[0], lost.ref) });
    await until("the reply", () => texts().some((text) => text.startsWith("got")));
    expect(server.posts.flatMap(({ buttons }) => buttons)).toEqual([]);
  });
});

const pressOn = (token: string, post: PostRef) => {
  const { text: _text, files: _files, mentionsBot: _mentions, ...base } = message("");
  return { ...base, type: "press", token, post } as const;
};

describe("a closed question", () => {
  it("that somebody deleted is not posted again", async () => {
    const server = createMemoServer();
    const { say, texts, store } = start(asks(choice("i1")), { server });
    await say("paint it");
    await until("the question", () => server.posts.length === 1);
    server.posts.length = 0;
    await say("Red");
    await until("the reply", () => texts().some((text) => text.startsWith("got")));
    await until("the end of it", async () => (await store.unsettledThreads()).length === 0);
    expect(texts()).toHaveLength(1);
  });
});
