import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../store/database.ts";
import { createStore } from "../../store/gateway-store.ts";
import { backUp } from "../../store/backup.ts";
import { lockDataFolder } from "../../store/lock.ts";
import { createClock, message, tempFolder } from "../helpers.ts";

/** A data folder in use, as a program leaves it. */
function dataFolder() {
  const folder = tempFolder();
  const dataDir = path.join(folder, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const db = openDatabase(path.join(dataDir, "threadline.db"));
  const store = createStore(db, () => createClock().now());
  const say = (text: string) =>
    store.accept(message(text), () => ({ rule: "test", effects: [{ type: "queue" }], addressed: true }));
  const write = (name: string, content: string | Buffer) => {
    const file = path.join(dataDir, name);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600 });
  };
  return { folder, dataDir, db, say, write, file: path.join(folder, "backup.tar.gz") };
}

function restore(file: string): string {
  const folder = tempFolder();
  execFileSync("tar", ["-xzf", file, "-C", folder]);
  return folder;
}
const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe("a backup", () => {
  it("holds the database and every file beside it, closed to others, and nothing of the process", async () => {
    const { dataDir, db, say, write, file } = dataFolder();
    const release = lockDataFolder(path.join(dataDir, "threadline.lock"));
    void say("hello");
    const long = "x".repeat(150);
    const big = Buffer.alloc(3_000_000, "Threadline ");
    write(`threads/t_1/uploads/${long}/ä b.txt`, "hello");
    write("threads/t_1/outputs/big.bin", big);
    write("threads/t_1/outputs/empty", "");
    write("threads/t_1/uploads/threadline.db", "a file that somebody sent");
    write("threads/t_1/uploads/report.new", "another one");
    write("threads/t_1/.incoming-1-2", "half of a file");
    write("web/0.part", "half of a file");
    write("discord/session.json.new", "{");
    write("discord/session.json", "{}");
    write("AGENTS.md", "be kind");
    mkdirSync(path.join(dataDir, "threads/t_1/workspace"), { mode: 0o700 });
    symlinkSync("/etc/hosts", path.join(dataDir, "threads/t_1/workspace/link"));
    const { threads, files, bytes } = await backUp(dataDir, file);
    release();
    db.close();
    expect({ threads, files, bytes }).toEqual({ threads: 1, files: 7, bytes: statSync(file).size });
    expect(mode(file)).toBe("600");

    const restored = restore(file);
    const found = readdirSync(restored, { recursive: true, encoding: "utf8" }).toSorted();
    expect(found.filter((name) => statSync(path.join(restored, name)).isFile())).toEqual([
      "AGENTS.md",
      "discord/session.json",
      "threadline.db",
      "threads/t_1/outputs/big.bin",
      "threads/t_1/outputs/empty",
      "threads/t_1/uploads/report.new",
      "threads/t_1/uploads/threadline.db",
      `threads/t_1/uploads/${long}/ä b.txt`,
    ]);
    expect(found).toContain("threads/t_1/workspace");
    for (const name of found) expect(mode(path.join(restored, name))).toMatch(/^[67]00$/);
    expect(readFileSync(path.join(restored, "threads/t_1/outputs/big.bin")).equals(big)).toBe(true);
    const copy = openDatabase(path.join(restored, "threadline.db"));
    expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(copy.prepare("select event_json ->> '$.text' from inbox").pluck().all()).toEqual(["hello"]);
    copy.close();
  });

  it("has what was stored a moment before, though it is in the write-ahead log alone, and blocks no writer", async () => {
    const { dataDir, db, say, file } = dataFolder();
    db.pragma("wal_autocheckpoint = 0");
    for (let count = 1; count <= 200; count += 1) void say(`message ${count}`);
    const done = { is: false };
    let during = 0;
    const made = backUp(dataDir, file).then(() => (done.is = true));
    while (!done.is) {
      void say(`later ${during++}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await made;
    expect(during).toBeGreaterThan(3);
    db.close();
    const copy = new Database(path.join(restore(file), "threadline.db"), { readonly: true });
    const texts = copy.prepare<[], string>("select event_json ->> '$.text' from inbox order by seq").pluck().all();
    copy.close();
    expect(texts.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, index) => `message ${index + 1}`));
  });

  it("is refused with what to do, and leaves nothing behind", async () => {
    const { folder, dataDir, db, file } = dataFolder();
    db.close();
    writeFileSync(path.join(folder, "there.tar.gz"), "an older backup");
    for (const [target, sentence] of [
      [path.join(folder, "there.tar.gz"), /is there already; remove it, or name another file/],
      [path.join(dataDir, "backup.tar.gz"), /a file outside the data folder/],
      [path.join(dataDir, "threads/t_1/uploads/b.tar.gz"), /a file outside the data folder/],
      [path.join(folder, "nowhere/b.tar.gz"), /There is no folder .*nowhere; make it first/],
    ] as const)
      await expect(backUp(dataDir, target)).rejects.toThrow(sentence);
    await expect(backUp(path.join(folder, "other"), file)).rejects.toThrow(
      /no threadline.db in the data folder .*other/,
    );
    expect(readFileSync(path.join(folder, "there.tar.gz"), "utf8")).toBe("an older backup");
    expect(readdirSync(folder).toSorted()).toEqual(["data", "there.tar.gz"]);
  });

  it("that breaks off leaves no file that looks like one", async () => {
    const { folder, dataDir, db, say, write, file } = dataFolder();
    void say("hello");
    db.close();
    // A folder where a database should be: it is there, and cannot be copied.
    write("threads/t_1/uploads/a.txt", "a");
    writeFileSync(
      path.join(dataDir, "threadline.db"),
      "no database at all, and long enough to be told apart".repeat(99),
    );
    await expect(backUp(dataDir, file)).rejects.toThrow(/The backup .* could not be made .*not a database/);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(folder)).toEqual(["data"]);
  });
});
