/** LangGraph's checkpoints in the same SQLite file, on the same connection. */
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { Database } from "better-sqlite3";

export function createCheckpointer(db: Database): SqliteSaver {
  return new SqliteSaver(db);
}
