/**
 * Our saver's file as a thread grows, spoken really, turn by turn: each step leaves its checkpoints behind, and what a
 * saver refers to can grow with their number. A thread that was put in at once would hide that.
 */
import { copyFileSync } from "node:fs";
import { createBot } from "./bot.ts";
import { fileBytes, openOurs } from "./saver.ts";

export const SPOKEN_THREAD = "spoken";

/** A new copy of the file in which the thread has so many turns. Throws when it was not spoken so far. */
export type SpokenCopy = (turns: number) => string;

/** Speaks up to the last of `points` and keeps the file as it was at each. */
export async function speak(points: readonly number[], newFile: () => string): Promise<SpokenCopy> {
  const kept = new Map<number, string>();
  const { saver, db } = openOurs(newFile());
  const bot = createBot(saver);
  for (let turn = 1; turn <= Math.max(...points); turn += 1) {
    await bot.turn(SPOKEN_THREAD);
    if (points.includes(turn)) kept.set(turn, await copyOf(db, newFile()));
  }
  db.close();
  return (turns) => {
    const file = kept.get(turns);
    if (file === undefined)
      throw new Error(`A thread of ${turns} turns was not spoken, only of ${[...kept.keys()].join(", ")}`);
    const copy = newFile();
    copyFileSync(file, copy);
    return copy;
  };
}

/** The file alone: all commits are in it before. */
async function copyOf(db: Parameters<typeof fileBytes>[0], file: string): Promise<string> {
  await fileBytes(db);
  copyFileSync(db.name, file);
  return file;
}
