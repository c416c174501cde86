/** How many transactions a turn commits: the savers alone, and all that ours stores in a turn. */
import { type Cell, cell, type Section } from "../measure.ts";
import { createStore, type Store } from "../../../store/gateway-store.ts";
import { personId, type RunId, type ThreadId } from "../../../subagents/contract.ts";
import { createBot } from "./bot.ts";
import { commitsDuring } from "./commits.ts";
import { withFolder } from "./folder.ts";
import { type FileSaver, openOurs, openStock } from "./saver.ts";
import { storedTurn } from "./stored-turn.ts";

const STOCK = "stock SqliteSaver";
/** Turns before the counted one. */
const BEFORE = 10;
/** Real models and tools take time, in which the loop turns: without, a whole turn would be one turn of the loop. */
const TAKING_TIME = { delayMs: 2, toolMs: 2 };

export async function measureTransactions(): Promise<Section> {
  return {
    title: "Transactions a turn",
    unit: "commits",
    variants: [STOCK, "ours"],
    rows: [
      { point: "checkpoints", cells: { [STOCK]: await ofSaver(openStock), ours: await ofSaver(openOurs) } },
      { point: "inbox, usage, checkpoints, outbox", cells: { ours: await ofStore() } },
    ],
    note: "Commit marks in the write-ahead log of one turn with one tool call, after ten others. At most 6 in all are wanted.",
  };
}

function ofSaver(open: (file: string) => FileSaver): Promise<Cell> {
  return withFolder(async (newFile) => {
    const { saver, db } = open(newFile());
    const bot = createBot(saver, TAKING_TIME);
    for (let turn = 0; turn < BEFORE; turn += 1) await bot.turn("t");
    const commits = await commitsDuring(db, () => bot.turn("t"));
    db.close();
    return cell([commits]);
  });
}

function ofStore(): Promise<Cell> {
  return withFolder(async (newFile) => {
    const { saver, db } = openOurs(newFile());
    const store = createStore(db, Date.now);
    let running: { thread: ThreadId; run: RunId } | undefined;
    const bot = createBot(saver, { ...TAKING_TIME, onCall: (call) => running && bookCall(store, running, call) });
    const turn = (number: number) =>
      storedTurn(store, "chat", number, async (thread, run) => {
        running = { thread, run };
        await bot.turn(thread);
      });
    for (let number = 0; number < BEFORE; number += 1) await turn(number);
    const commits = await commitsDuring(db, () => turn(BEFORE));
    db.close();
    return cell([commits]);
  });
}

function bookCall({ ledger }: Store, { thread, run }: { thread: ThreadId; run: RunId }, call: number): void {
  ledger.modelCall({
    callId: `${run}:${call}`,
    runId: run,
    threadId: thread,
    principal: personId("ana"),
    caller: "lead",
    model: "instant",
    usage: { input: 10, output: 5, total: 15 },
    at: Date.now(),
  });
}
