/**
 * How near the store comes to what SQLite can do here: whole turns of a chat (inbox, checkpoint, outbox; the saves of a
 * real first turn, made one after the other), against one row of 3 KB a transaction that is flushed (`synchronous=FULL`),
 * which is what ours promises where the outside is told next.
 *
 * A commit of ours is what the write-ahead log marks as one: counted in turns that are not timed. It holds several rows of
 * several tables, where the raw one holds a single row of one table.
 */
import { type Cell, cell, interleaved, type Section, timed } from "../measure.ts";
import { openDatabase } from "../../../store/database.ts";
import { createStore } from "../../../store/gateway-store.ts";
import { commitsDuring } from "./commits.ts";
import { withFolder } from "./folder.ts";
import { recordSaves } from "./recorded-saves.ts";
import { openOurs } from "./saver.ts";
import { STORE_VERBS, storedTurn } from "./stored-turn.ts";

const RAW = "raw: one row a flushed commit";
const ROW = "x".repeat(3 * 1024);
/** A round: long enough for several automatic checkpoints of the log. */
const RAW_ROWS = 1000;
const CHATS = 60;

export function measureCommitRate(rounds: number): Promise<Section> {
  return withFolder(async (newFile) => {
    const raw = rawRows(newFile());
    const ours = await storedChats(newFile());
    const commits = await interleaved(rounds, {
      [RAW]: async () => (RAW_ROWS * 1000) / (await timed(raw.round)),
      ours: async () => (ours.commits * CHATS * 1000) / (await timed(ours.round)),
    });
    raw.close();
    ours.close();
    const asked = ours.writes / ours.commits;
    const cells = { ...commits, ours: scaled(commits["ours"], asked) };
    const row = "commits";
    return {
      title: "Commit rate",
      unit: "commits/s",
      variants: [RAW, "ours"],
      base: RAW,
      rows: [
        { point: row, cells: commits },
        { point: "writes asked for", cells },
      ],
      goals: [{ row, of: "ours", against: RAW, atLeast: 0.5 }],
      note: `Ours: first turns of new chats one after the other, each ${ours.writes} writes asked of the store and the saver, in ${ours.commits.toFixed(2)} commits (counted in the log of ${CHATS} turns).`,
    };
  });
}

const scaled = (rate: Cell | undefined, by: number) => cell((rate?.samples ?? []).map((sample) => sample * by));

function rawRows(file: string) {
  const db = openDatabase(file);
  db.pragma("synchronous = FULL");
  db.exec("create table raw(id integer primary key, body text not null)");
  const insert = db.prepare("insert into raw(body) values(?)");
  return {
    round: () => {
      for (let row = 0; row < RAW_ROWS; row += 1) insert.run(ROW);
    },
    close: () => void db.close(),
  };
}

async function storedChats(file: string) {
  const { saver, db } = openOurs(file);
  const store = createStore(db, Date.now);
  const saves = await recordSaves();
  let chats = 0;
  const round = async () => {
    for (let chat = 0; chat < CHATS; chat += 1) {
      await storedTurn(store, `chat ${(chats += 1)}`, 0, async (thread) => {
        for (const save of saves) await save(saver, thread);
      });
    }
  };
  await round();
  const commits = (await commitsDuring(db, round)) / CHATS;
  return { round, commits, writes: STORE_VERBS + saves.length, close: () => void db.close() };
}
