import { expect, it } from "vitest";
import { tempStore } from "../helpers.ts";
import { withFolder } from "./in-process/folder.ts";
import { grownOurs, grownStock } from "./in-process/grown-thread.ts";
import { recordSaves } from "./in-process/recorded-saves.ts";
import { openOurs } from "./in-process/saver.ts";
import { speak } from "./in-process/spoken-thread.ts";
import { storedTurn } from "./in-process/stored-turn.ts";

it("a turn of the store leaves nothing to run and nothing to send", async () => {
  const { store } = tempStore();
  for (const turn of [0, 1]) await storedTurn(store, "chat", turn, async () => undefined);
  expect(await store.busyThreads()).toEqual([]);
  expect(await store.unsettledThreads()).toEqual([]);
});

it("a spoken thread is kept as it was at each point, and both savers go on from there with a checked turn", async () => {
  await withFolder(async (newFile) => {
    const spoken = await speak([1, 3], newFile);
    for (const turns of [1, 3]) {
      for (const grown of [await grownStock(newFile(), turns), grownOurs(spoken, turns)]) {
        await grown.bot.turn(grown.thread);
        const tuple = await grown.saver.getTuple({ configurable: { thread_id: grown.thread } });
        expect(tuple?.checkpoint.channel_values["messages"]).toHaveLength((turns + 1) * 4);
        grown.db.close();
      }
    }
    expect(() => spoken(2)).toThrow(/2 turns was not spoken, only of 1, 3/);
  });
});

it("recorded saves, made again, give another thread the same messages", async () => {
  await withFolder(async (newFile) => {
    const { saver, db } = openOurs(newFile());
    for (const save of await recordSaves()) await save(saver, "again");
    const tuple = await saver.getTuple({ configurable: { thread_id: "again" } });
    expect(tuple?.checkpoint.channel_values["messages"]).toHaveLength(4);
    db.close();
  });
});
