/**
 * An answer of many messages would bury the thread: its beginning stands there, and all of it comes as a file. Where there
 * can be no such file (too large for the platform, or refused), all parts come after all.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FileView, NoticeView } from "./contract.ts";
import type { ThreadId } from "../subagents/contract.ts";
import { type OpenSlot, type Slot, slot, type SlotWrite } from "./store-contract.ts";

const NAME = "answer.md";

/** Stands behind the beginning. */
export const IN_FILE: NoticeView = {
  type: "notice",
  markdown: `… The whole answer is in the file **${NAME}**.`,
  tone: "info",
};

/** The slot of the file that has the whole of this reply: one of its run's files, which go with the run. */
export const answerFile = (reply: Slot): Slot => slot("file", `${runOf(reply)}/${NAME}`);

/** The reply whose file this is; undefined for any other slot. */
export function replyOf(file: Slot): Slot | undefined {
  const [, run] = /^file:([^/]+)\/answer\.md$/.exec(file) ?? [];
  return run === undefined ? undefined : slot("reply", run);
}

const runOf = (reply: Slot): string => reply.replace(/^reply:/, "");

/** Puts the answer, as the model wrote it, among what the agent has made in this thread. Undefined: it is no answer. */
export async function writeAnswer(
  { slot: reply, view }: OpenSlot,
  thread: ThreadId,
  threadsFolder: string,
): Promise<SlotWrite | undefined> {
  if (view.type !== "reply") return undefined;
  const folder = path.join(threadsFolder, thread, "outputs");
  const file = path.join(folder, `answer-${runOf(reply)}.md`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, view.markdown);
  const shown: FileView = {
    type: "file",
    path: file,
    name: NAME,
    mime: "text/markdown",
    sizeBytes: Buffer.byteLength(view.markdown),
  };
  return { slot: answerFile(reply), view: shown, final: true };
}
