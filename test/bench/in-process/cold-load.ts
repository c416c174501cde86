/** Loading a thread after a restart: a new connection, a new saver, the newest checkpoint with all its messages. */
import type { BaseMessage } from "@langchain/core/messages";
import { interleaved, type Measure, type Row, type Section, timed } from "../measure.ts";
import { withFolder } from "./folder.ts";
import { grownStock } from "./grown-thread.ts";
import { type FileSaver, openOurs, openStock } from "./saver.ts";
import { SPOKEN_THREAD, type SpokenCopy } from "./spoken-thread.ts";
import { MESSAGES_A_TURN } from "./turn-text.ts";

const STOCK = "stock SqliteSaver";

export async function measureColdLoad(points: readonly number[], rounds: number, spoken: SpokenCopy): Promise<Section> {
  const rows: Row[] = [];
  for (const turns of points) rows.push(await coldLoadAt(turns, rounds, spoken));
  return {
    title: "Cold load",
    unit: "ms",
    variants: [STOCK, "ours"],
    base: STOCK,
    rows,
    goals: [{ row: "turn 1000", of: "ours", against: STOCK, atMost: 0.1 }],
    note: "getTuple of a new saver on a new connection; the operating system has the file in memory.",
  };
}

function coldLoadAt(turns: number, rounds: number, spoken: SpokenCopy): Promise<Row> {
  return withFolder(async (newFile) => {
    const file = newFile();
    const { db } = await grownStock(file, turns);
    db.close();
    const cells = await interleaved(rounds, {
      [STOCK]: loadOf(openStock, file, turns),
      ours: loadOf(openOurs, spoken(turns), turns),
    });
    return { point: `turn ${turns}`, cells };
  });
}

function loadOf(open: (file: string) => FileSaver, file: string, turns: number): Measure {
  return async () => {
    const { saver, db } = open(file);
    let values: Record<string, unknown> | undefined;
    const ms = await timed(async () => {
      const tuple = await saver.getTuple({ configurable: { thread_id: SPOKEN_THREAD } });
      values = tuple?.checkpoint.channel_values;
    });
    db.close();
    // Boundary: LangGraph types the values of channels as unknown.
    check((values?.["messages"] ?? []) as BaseMessage[], turns * MESSAGES_A_TURN);
    return ms;
  };
}

function check(messages: readonly BaseMessage[], expected: number): void {
  if (messages.length === expected && messages.at(-1)?.text.startsWith("Answer ")) return;
  throw new Error(`Expected ${expected} messages that end in an answer, and loaded ${messages.length}`);
}
