/** A source, and what is said beside it. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Newest, withNewest } from "../../agent/newest.ts";

async function* slowly(...items: readonly (string | Error)[]) {
  for (const item of items) {
    for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    if (item instanceof Error) throw item;
    yield item;
  }
}

describe("what is said beside a source", () => {
  it("comes between its items, the newest only, also when it was said before anybody listened", async () => {
    const newest = new Newest<number>();
    const seen: unknown[] = [];
    newest.say(0);
    for await (const one of withNewest(slowly("a", "b"), newest)) {
      seen.push(one.type === "item" ? one.item : one.aside);
      if (one.type === "item" && one.item === "a") for (const number of [1, 2, 3]) newest.say(number);
    }
    expect(seen).toEqual([0, "a", 3, "b"]);
  });

  it("wakes a reader whose source is silent, and lets it go", async () => {
    const newest = new Newest<string>();
    const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const both = withNewest<never, string>(silent, newest);
    const first = both.next();
    await nextTurn();
    newest.say("heard");
    expect(await first).toEqual({ done: false, value: { type: "aside", aside: "heard" } });
    expect(await both.return(undefined)).toEqual({ done: true, value: undefined });
  });

  it("ends with the error of the source", async () => {
    const failing = withNewest(slowly("a", new Error("the source failed")), new Newest());
    await failing.next();
    await expect(failing.next()).rejects.toThrow("the source failed");
  });
});
