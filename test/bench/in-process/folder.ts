/** Folders for the databases of one measurement: gone when it has ended, failed or was broken off. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Gives `work` what makes a new file name in a folder of its own. */
export async function withFolder<Result>(work: (newFile: () => string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), "threadline-bench-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once("exit", remove);
  let files = 0;
  try {
    return await work(() => path.join(folder, `${(files += 1)}.db`));
  } finally {
    process.off("exit", remove);
    remove();
  }
}
