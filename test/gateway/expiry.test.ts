/** `question_ttl`: what becomes of a question that nobody answers. */
import { describe, expect, it } from "vitest";
import { createClock, press, tempStore, until } from "../helpers.ts";
import { asks, choice, start } from "./bench.ts";

const TTL_MS = 40_000;

async function asked(questionTtlMs?: number) {
  const clock = createClock();
  const { store, reopen } = tempStore(clock);
  const bench = start(asks(choice("i1")), { store, clock, ...(questionTtlMs !== undefined && { questionTtlMs }) });
  await bench.say("paint it");
  const post = await until("the question", () => bench.server.posts.find((one) => one.buttons.length === 2));
  return { ...bench, post, reopen, token: post.buttons[1] ?? "" };
}
const outcomes = (db: ReturnType<typeof tempStore>["db"]) => db.prepare("select outcome from runs").pluck().all();

describe("a question that nobody answered in time", () => {
  it("BTN-05: is closed, its turn ends with a word about it, and a late press is told privately", async () => {
    const { gateway, clock, post, token, texts, inputs, reopen } = await asked(TTL_MS);
    await clock.advance(61_000);
    await until("the buttons to go", () => post.buttons.length === 0);
    await until("the notice", () => texts().length === 2);
    expect(texts()).toEqual([
      "🔀 Which? = closed",
      "I waited 40 seconds for an answer from Ana and have stopped. Just ask again to go on.",
    ]);
    expect(await gateway.deliver(press(token))).toMatchObject({
      accepted: false,
      reply: { text: "This is no longer active." },
    });
    expect(inputs).toHaveLength(1);
    await gateway.stop();
    expect(outcomes(reopen().db)).toEqual(["cancelled"]);
  });

  it("takes no press that comes after its time, also before anything has looked", async () => {
    const { gateway, clock, token, inputs } = await asked(TTL_MS);
    // Looked at after 30 and 60 seconds.
    await clock.advance(TTL_MS + 1);
    expect(await gateway.deliver(press(token))).toMatchObject({ reply: { text: "This is no longer active." } });
    expect(inputs).toHaveLength(1);
  });

  it("is answered by a press until then", async () => {
    const { gateway, clock, token, texts } = await asked(TTL_MS);
    await clock.advance(TTL_MS - 1000);
    await gateway.deliver(press(token));
    await until("the reply", () => texts().some((text) => text.startsWith("got")));
  });

  it("lets the next message begin a turn of its own", async () => {
    const { clock, say, texts, inputs } = await asked(TTL_MS);
    await clock.advance(61_000);
    await say("blue");
    await until("the next turn", () => inputs.length === 2);
    expect(inputs[1]).toMatchObject({ type: "messages", messages: [{ text: "blue" }] });
    await until("its question", () => texts().length === 3);
  });

  it("is closed by the next start when its time ran out meanwhile", async () => {
    const { gateway, clock, server, post, reopen } = await asked(TTL_MS);
    await gateway.stop();
    await clock.advance(2 * TTL_MS);
    const after = start(asks(choice("i1")), { store: reopen().store, server, clock, questionTtlMs: TTL_MS });
    await after.gateway.recover();
    await until("the buttons to go", () => post.buttons.length === 0);
    await until("the notice", () => after.texts().length === 2);
    expect(after.inputs).toEqual([]);
  });

  it("waits for ever unless a time is set", async () => {
    const { gateway, clock, token, texts } = await asked();
    await clock.advance(400 * 86_400_000);
    await gateway.deliver(press(token));
    await until("the reply", () => texts().some((text) => text.startsWith("got")));
  });
});
