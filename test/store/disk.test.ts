import { describe, expect, it } from "vitest";
import { soon, stored } from "../../store/commit.ts";
import { watchWrites } from "../../store/disk.ts";
import { slot } from "../../gateway/store-contract.ts";
import { tempStore } from "../helpers.ts";
import { threadId } from "../../subagents/contract.ts";

const thread = threadId("t_1");
const write = (id: string, text: string) => ({
  slot: slot("notice", id),
  view: { type: "notice", markdown: text, tone: "info" } as const,
  final: true,
});
const LARGE = "large ".repeat(10_000);

function onFullDisk() {
  const { db, store } = tempStore();
  const writes = watchWrites(db);
  const reasons: string[] = [];
  writes.onShut((reason) => reasons.push(reason));
  const shown = async () => (await store.unsettled(thread)).map(({ slot: name }) => name);
  const show = (id: string, text = "small") => store.show(thread, [write(id, text)]);
  const pages = (count: number) => void db.pragma(`max_page_count = ${count}`);
  return { db, writes, reasons, shown, show, pages };
}

describe("writes on a full disk", () => {
  it("are all refused after the first that found no room, also small ones, until one succeeds again", async () => {
    const { db, writes, reasons, shown, show, pages } = onFullDisk();
    await show("before");
    await stored(db);
    pages(1);
    expect(() => show("large", LARGE)).toThrow(/full/);
    expect(reasons).toEqual([expect.stringMatching(/^SQLITE_FULL: /)]);
    expect(() => show("small")).toThrow(/Nothing can be stored until the disk takes writes again \(SQLITE_FULL/);
    expect(await shown()).toEqual(["notice:before"]);
    expect(() => writes.tryAgain()).toThrow(/full/);
    expect(() => show("small")).toThrow(/Nothing can be stored/);
    pages(1_000_000);
    writes.tryAgain();
    await show("small");
    await show("large", LARGE);
    await stored(db);
    expect(await shown()).toEqual(["notice:before", "notice:small", "notice:large"]);
    expect(reasons).toHaveLength(1);
    expect(db.prepare("select count(*) from meta where key = 'disk_probe'").pluck().get()).toBe(0);
  });

  it("are not refused for a mistake in what is written", async () => {
    const { db, reasons, shown, show } = onFullDisk();
    const mistake = soon(db, () => {
      throw new TypeError("a circle cannot be written");
    });
    expect(mistake).toThrow(/circle/);
    expect(() => db.prepare("insert into meta values('a', 'b'), ('a', 'c')").run()).toThrow(/UNIQUE/);
    await show("after");
    await stored(db);
    expect(reasons).toEqual([]);
    expect(await shown()).toEqual(["notice:after"]);
  });

  it("take with them what seemed to be written in the same turn: who waits for it is told", async () => {
    const { db, writes, reasons, shown, show } = onFullDisk();
    db.exec(`create table parents(one integer primary key);
      create table broken(one integer references parents(one) deferrable initially deferred)`);
    await show("undone");
    const waiting = stored(db);
    soon(db, () => db.exec("insert into broken values(1)"))();
    expect(await shown()).toEqual(["notice:undone"]);
    await expect(waiting).rejects.toThrow(/FOREIGN KEY/);
    expect(await shown()).toEqual([]);
    expect(reasons).toEqual([expect.stringMatching(/FOREIGNKEY/)]);
    expect(() => show("later")).toThrow(/Nothing can be stored/);
    writes.tryAgain();
    await show("later");
    expect(await shown()).toEqual(["notice:later"]);
  });

  it.each([
    ["writes", (add: (key: string) => void) => add("after")],
    ["writes as work of its own", (_: unknown, work: (key: string) => void) => work("after")],
    ["writes, whatever it is told", (add: (key: string) => void) => expect(() => add("after")).toThrow(/readonly/)],
    ["only returns", () => {}],
  ])("end the whole of a work that goes on after a part of it found no room, and %s", async (_, goOn) => {
    const { db } = tempStore();
    const insert = db.prepare("insert into meta values(?, ?)");
    const add = (key: string, value = "small") => void insert.run(key, value);
    const work = soon(db, add);
    const outer = soon(db, () => {
      add("before");
      expect(() => work("large", LARGE)).toThrow(/full/);
      goOn(add, work);
    });
    const keys = () =>
      db.prepare("select key from meta where key in ('before', 'large', 'after', 'later')").pluck().all();
    db.pragma("max_page_count = 1");
    expect(outer).toThrow(/full/);
    await stored(db);
    expect(keys()).toEqual([]);
    db.pragma("max_page_count = 1000000");
    work("later");
    await stored(db);
    expect(keys()).toEqual(["later"]);
  });
});
