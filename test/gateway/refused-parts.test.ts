/** What becomes of a part that the platform refuses for its content. */
import { describe, expect, it } from "vitest";
import { createMemoServer } from "../memo-platform.ts";
import { until } from "../helpers.ts";
import { asks, choice, echo, gate, start, task } from "./bench.ts";

const refused = (call: "send" | "edit", times: number) => ({ call, code: "invalid", times }) as const;

describe("a part that is refused for its content", () => {
  it("is sent again without its marks, and nobody is told of it", async () => {
    const server = createMemoServer();
    server.faults.push(refused("send", 1));
    const { say, texts, store } = start(echo, { server });
    await say("**hello** there");
    await until("the end of it", async () => texts().length > 0 && (await store.unsettledThreads()).length === 0);
    expect(texts()).toEqual(["hello there"]);
  });

  it("is given up, and the thread is told, when it is refused without them too", async () => {
    const server = createMemoServer();
    server.faults.push(refused("send", 2));
    const { say, texts, store } = start(echo, { server });
    await say("**hello** there");
    await until("the end of it", async () => texts().length > 0 && (await store.unsettledThreads()).length === 0);
    expect(texts()).toEqual(["A part of my answer could not be shown here: the platform refused it."]);
  });

  it("is shown without its marks in the edit of a growing card", async () => {
    const server = createMemoServer();
    const { held, release } = gate();
    const { say, clock, texts } = start(
      async function* () {
        yield { type: "started", model: "Big" };
        yield { type: "task", task: task("running") };
        await held;
        yield { type: "task", task: task("running", 200) };
        await new Promise(() => {});
      },
      { server },
    );
    await say("go");
    await until("the card", () => server.posts[0]?.buttons.length === 1);
    server.faults.push(refused("edit", 1));
    release();
    await until("the tokens", async () => {
      await clock.advance(1100);
      return texts()[0]?.includes("200 tokens");
    });
    expect(server.posts.map(({ buttons }) => buttons)).toEqual([[]]);
  });
});

describe("a question whose buttons are refused", () => {
  it("is asked in words, with its options numbered, and answered by typing a number", async () => {
    const server = createMemoServer();
    server.faults.push(refused("send", 1));
    const { say, texts } = start(asks(choice("i1")), { server });
    await say("paint it");
    await until("the question", () => texts().length === 1);
    expect(texts()[0]).toMatch(/Which\?\n1\. Red\n2\. Blue$/);
    await say("2");
    await until("the reply", () => texts().some((text) => text.includes("blue")));
    expect(texts()).toHaveLength(2);
  });
});
