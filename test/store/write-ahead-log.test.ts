import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { soon } from "../../store/commit.ts";
import { openDatabase } from "../../store/database.ts";
import { tempFolder } from "../helpers.ts";

const MB = 1_000_000;

/** Writes one row of 100 kB a commit. */
async function write(db: ReturnType<typeof openDatabase>, commits: number): Promise<void> {
  db.exec("create table if not exists lines(text text)");
  const insert = db.prepare("insert into lines values(?)");
  const add = soon(db, () => void insert.run("x".repeat(100_000)));
  for (let count = 0; count < commits; count += 1) {
    add();
    await nextTurn();
  }
}

describe("the write-ahead log", () => {
  it("stays short however much is written, and all of it is there", async () => {
    const file = path.join(tempFolder(), "threadline.db");
    const db = openDatabase(file);
    for (let part = 0; part < 10; part += 1) {
      await write(db, 100);
      // A thread beside the loop needs a moment, as it has while a model is waited for.
      await expect.poll(() => statSync(file).size, { timeout: 10_000 }).toBeGreaterThan((part - 1) * 10 * MB);
    }
    expect(statSync(`${file}-wal`).size).toBeLessThan(40 * MB);
    expect(db.prepare("select count(*) from lines").pluck().get()).toBe(1000);
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    db.close();
  });

  it("is gone with the connection, also when it was just being moved", async () => {
    const file = path.join(tempFolder(), "threadline.db");
    const db = openDatabase(file);
    await write(db, 65);
    db.close();
    await expect.poll(() => existsSync(`${file}-wal`), { timeout: 10_000 }).toBe(false);
    const again = openDatabase(file);
    expect(again.prepare("select count(*) from lines").pluck().get()).toBe(65);
    again.close();
  });
});
