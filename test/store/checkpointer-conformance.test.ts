/** LangGraph's own suite for savers, whole. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createCheckpointer } from "../../store/checkpointer.ts";
import { openDatabase } from "../../store/database.ts";

// The suite expects vitest's functions to be global.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi });
const { validate } = await import("@langchain/langgraph-checkpoint-validation");

const folder = mkdtempSync(path.join(tmpdir(), "threadline-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

validate({
  checkpointerName: "Threadline's checkpointer",
  createCheckpointer: () => createCheckpointer(openDatabase(path.join(folder, `${(count += 1)}.db`))),
  destroyCheckpointer: (checkpointer) => void checkpointer.db.close(),
});
