/** Bytes that a turn adds to the file, and the whole of a thread that was really spoken from its first word on. */
import { type Cell, cell, type Row, type Section } from "../measure.ts";
import { createBot } from "./bot.ts";
import { withFolder } from "./folder.ts";
import { type Grown, grownOurs, grownStock } from "./grown-thread.ts";
import { fileBytes, type FileSaver, openOurs, openStock } from "./saver.ts";
import type { SpokenCopy } from "./spoken-thread.ts";
import { history } from "./turn-text.ts";

const RAW = "raw message JSON";
const STOCK = "stock SqliteSaver";
const KB = 1024;
/** A page is 4 KB: over ten small turns that is 0.4 KB a turn, over two large ones nothing. */
const TURNS = { ours: 10, stock: 2 };

export async function measureDiskPerTurn(points: readonly number[], spoken: SpokenCopy): Promise<Section> {
  const rows: Row[] = [];
  for (const point of points) {
    const cells = {
      [STOCK]: await withFolder(async (newFile) => perTurn(await grownStock(newFile(), point), TURNS.stock)),
      ours: await perTurn(grownOurs(spoken, point), TURNS.ours),
    };
    rows.push({ point: `turn ${point}`, cells });
  }
  return {
    title: "Disk a turn",
    unit: "KB",
    variants: [STOCK, "ours"],
    base: STOCK,
    rows,
    goals: [{ row: "turn 1000", of: "ours", againstRow: "turn 10", atMost: 1.2 }],
    note: `Growth of the file over the next ${TURNS.ours} turns (stock: ${TURNS.stock}); a count of pages, so one sample.`,
  };
}

async function perTurn({ bot, thread, db }: Grown, turns: number): Promise<Cell> {
  const start = await fileBytes(db);
  for (let turn = 0; turn < turns; turn += 1) await bot.turn(thread);
  const end = await fileBytes(db);
  db.close();
  return cell([(end - start) / turns / KB]);
}

const SPOKEN_TURNS = 100;

/** Nothing is removed meanwhile: every checkpoint of all 100 turns is kept. */
export async function measureWholeThread(spoken: SpokenCopy): Promise<Section> {
  const raw = Buffer.byteLength(JSON.stringify(history(SPOKEN_TURNS)));
  const cells = {
    [RAW]: cell([raw / KB]),
    [STOCK]: cell([(await stockThread()) / KB]),
    ours: cell([(await ourThread(spoken)) / KB]),
  };
  const row = `${SPOKEN_TURNS} turns`;
  return {
    title: "File of a thread",
    unit: "KB",
    variants: [RAW, STOCK, "ours"],
    base: STOCK,
    rows: [{ point: row, cells }],
    goals: [
      { row, of: "ours", against: STOCK, atMost: 0.02 },
      { row, of: "ours", against: RAW, atMost: 5 },
    ],
    note: "All checkpoints of a spoken thread, without what an empty file has; a count of pages, so one sample.",
  };
}

function stockThread(): Promise<number> {
  return withFolder(async (newFile) => {
    const { saver, db } = openStock(newFile());
    const bot = createBot(saver);
    for (let turn = 0; turn < SPOKEN_TURNS; turn += 1) await bot.turn("thread");
    return sizeAndClose(db);
  });
}

/** An empty file of ours has the tables of the whole gateway. */
function ourThread(spoken: SpokenCopy): Promise<number> {
  return withFolder(async (newFile) => {
    const empty = await sizeAndClose(openOurs(newFile()).db);
    return (await sizeAndClose(grownOurs(spoken, SPOKEN_TURNS).db)) - empty;
  });
}

async function sizeAndClose(db: FileSaver["db"]): Promise<number> {
  const bytes = await fileBytes(db);
  db.close();
  return bytes;
}
