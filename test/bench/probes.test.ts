import { expect, it } from "vitest";
import { tempStore } from "../helpers.ts";
import { commitsDuring } from "./in-process/commits.ts";
import { standstill, watchLag } from "./in-process/loop-gap.ts";
import { history, MESSAGES_A_TURN } from "./in-process/turn-text.ts";

it("commits are counted as the log marks them: one for a transaction of many rows, none for reading", async () => {
  const { db } = tempStore();
  db.exec("create table rows(body text)");
  const add = db.prepare("insert into rows values(?)");
  const many = db.transaction(() => {
    for (let row = 0; row < 50; row += 1) add.run("x".repeat(3000));
  });
  const commits = await commitsDuring(db, () => {
    add.run("first");
    many();
    db.prepare("select count(*) from rows").get();
    add.run("last");
  });
  expect(commits).toBe(3);
});

it("a standstill is found in the call, in a chain of promises and in what runs at the end of a turn of the loop", async () => {
  const busy = (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end;);
  };
  const inChain = async () => {
    for (let step = 0; step < 30; step += 1) await Promise.resolve().then(() => busy(1));
  };
  const atTheEnd = () =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        busy(30);
        resolve();
      });
    });
  expect((await standstill(async () => busy(30))).longest).toBeGreaterThan(29);
  expect((await standstill(inChain)).longest).toBeGreaterThan(29);
  expect((await standstill(atTheEnd)).longest).toBeGreaterThan(29);
});

it("a lag is what a timer feels beyond its own pause", async () => {
  const stop = watchLag();
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const end = performance.now() + 60; performance.now() < end;);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(stop()).toBeGreaterThan(50);
});

it("a turn is about 3.9 KB of message JSON, and the same text every time", () => {
  const [once, again] = [history(100), history(100)].map((messages) => JSON.stringify(messages));
  expect(once).toBe(again);
  expect(history(100)).toHaveLength(100 * MESSAGES_A_TURN);
  expect((once?.length ?? 0) / 100).toBeGreaterThan(3700);
  expect((once?.length ?? 0) / 100).toBeLessThan(4100);
});
