/** A store with threads in it that really happened, and the upkeep of it, one step at a time. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import type { Database } from "better-sqlite3";
import type { InboundOf } from "../../gateway/contract.ts";
import type { Chore } from "../../gateway/store-contract.ts";
import { createCheckpointer } from "../../store/checkpointer.ts";
import { commitNow } from "../../store/commit.ts";
import { createUpkeep, type Retention, type UpkeepNews } from "../../store/upkeep.ts";
import { type ThreadId, threadId } from "../../subagents/contract.ts";
import { createClock, tempStore, until } from "../helpers.ts";
import { reply, type Script, start } from "../gateway/bench.ts";

export const DAY = 24 * 3_600_000;
/** Tables of which every row belongs to a thread. */
const OF_THREAD = ["inbox", "runs", "questions", "tokens", "slots", "posts"] as const;

export function upkeepBench(script?: Script) {
  const clock = createClock();
  const { db, store, file } = tempStore(clock);
  const dataDir = path.dirname(file);
  const checkpointer = createCheckpointer(db);
  const bench = start(script ?? answering(checkpointer), { store, clock });
  const news: string[] = [];

  const noted: UpkeepNews = {
    stuck: () => void news.push("stuck"),
    deleting: () => {},
    deleted: (rule, count) => void news.push(`${rule} deleted ${count}`),
    forgotten: (person) => void news.push(`forgotten ${person}`),
    rewriting: (tookMs) => void news.push(tookMs === undefined ? "rewriting" : "rewritten"),
    notRewritten: () => void news.push("not rewritten"),
    postponed: () => void news.push("postponed"),
  };
  const chores = (retention: Retention = {}, tell = noted): readonly Chore[] =>
    createUpkeep({
      db,
      checkpointer,
      dataDir,
      retention,
      now: () => clock.now(),
      showMs: 60_000,
      onDeleted: (platform, thread) => store.transcript.deleted(platform, thread),
      halt: (runs) => bench.gateway.halt(runs),
      tell,
    });

  /** One answered message; resolves to its thread when all is shown. */
  async function turn(text: string, over: Partial<InboundOf<"message">> = {}): Promise<ThreadId> {
    await bench.say(text, over);
    await settled();
    const found = db.prepare<[], string>("select thread from runs order by seq desc limit 1").pluck().get();
    return threadId(found ?? "");
  }
  async function settled(): Promise<void> {
    const open = db.prepare(
      `select 1 from runs where state = 'running' or state = 'stopping' union select 1 from inbox where state = 'queued'
       union select 1 from slots where settled = 0`,
    );
    await until("nothing under way", () => open.get() === undefined);
    commitNow(db);
  }
  function upload(thread: ThreadId, name: string, text = name): string {
    const folder = path.join(dataDir, "threads", thread, "uploads");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  }
  const hasFolder = (thread: ThreadId) => existsSync(path.join(dataDir, "threads", thread));
  return { ...bench, clock, db, store, file, dataDir, checkpointer, chores, news, turn, settled, upload, hasFolder };
}
export type UpkeepBench = ReturnType<typeof upkeepBench>;

/** Keeps what was said in the graph, answers with it, and says what it cost. */
function answering(checkpointer: ReturnType<typeof createCheckpointer>): Script {
  return async function* (input) {
    const at = { thread_id: input.threadId, checkpoint_ns: "" };
    const before = await checkpointer.getTuple({ configurable: at });
    const earlier = before?.checkpoint.channel_values["messages"];
    const said = input.type === "messages" ? input.messages : [];
    const texts = said.map((one) => `${one.author}: ${one.text}`);
    const asked = texts.filter((_, index) => said[index]?.type === "request");
    const messages = [
      ...(Array.isArray(earlier) ? earlier : []),
      ...texts.map((text, index) => new HumanMessage({ id: `${input.runId}:${index}`, content: text })),
    ];
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(0),
      channel_values: { messages },
      channel_versions: { messages: messages.length },
    };
    const config = { configurable: { ...at, ...(before && { checkpoint_id: before.checkpoint.id }) } };
    await checkpointer.put(config, checkpoint, { source: "loop", step: messages.length, parents: {} });
    yield* reply(`${asked.join("+").slice(0, 100)} (${messages.length} known)`);
  };
}

/** Until nothing is to be done; what waits is given a second each time. */
export async function doAll(chores: readonly Chore[], { clock }: Pick<UpkeepBench, "clock">): Promise<void> {
  for (let round = 0; round < 5000; round += 1) {
    const progress = await oneStep(chores);
    if (progress === "idle") return;
    if (progress === "waiting") await clock.advance(1000);
  }
  throw new Error("the upkeep never came to an end");
}
export async function oneStep(chores: readonly Chore[]) {
  let last: Awaited<ReturnType<Chore>> = "idle";
  for (const chore of chores) {
    const progress = await chore();
    if (progress === "more") return progress;
    if (progress === "waiting") last = progress;
  }
  return last;
}

/** How many rows each table has of this thread; only those that have any. */
export function rowsOf(db: Database, thread: ThreadId): Record<string, number> {
  const count = (sql: string) => db.prepare<[string], number>(sql).pluck().get(thread) ?? 0;
  const counts: Record<string, number> = Object.fromEntries([
    ...OF_THREAD.map((table) => [table, count(`select count(*) from ${table} where thread = ?`)] as const),
    ["threads", count("select count(*) from threads where id = ?")],
    ["graph_scopes", count("select count(*) from graph_scopes where thread = ?")],
    ["meta", count("select count(*) from meta where key like '%' || ?")],
  ]);
  return Object.fromEntries(Object.entries(counts).filter(([, rows]) => rows > 0));
}

/** Everything that is stored of this thread, to be compared. */
export function contentOf(db: Database, thread: ThreadId): unknown {
  const all = (sql: string) => db.prepare(sql).all(thread);
  return [
    ...OF_THREAD.map((table) => all(`select * from ${table} where thread = ? order by 1, 2`)),
    all("select * from threads where id = ?"),
    all("select tasks.* from tasks join runs on run = runs.id where thread = ?"),
    all(
      "select graph_checkpoints.* from graph_checkpoints join graph_scopes on scope = graph_scopes.id where thread = ?",
    ),
  ];
}

/** Rows of tables that belong to nothing any more. */
export function orphans(db: Database): number {
  const sql = `select
    (select count(*) from inbox where thread is not null and thread not in (select id from threads))
    + (select count(*) from runs where thread not in (select id from threads))
    + (select count(*) from tasks where run not in (select id from runs))
    + (select count(*) from tool_calls where run not in (select id from runs))
    + (select count(*) from questions where run not in (select id from runs))
    + (select count(*) from tokens where thread not in (select id from threads))
    + (select count(*) from slots where thread not in (select id from threads))
    + (select count(*) from posts where slot not in (select slot from slots))
    + (select count(*) from graph_checkpoints where scope not in (select id from graph_scopes))
    + (select count(*) from meta where key like 'removing:%')`;
  return db.prepare<[], number>(sql).pluck().get() ?? -1;
}

/** How often a word is in the bytes of the database and its journal. */
export function tracesOf(file: string, word: string): number {
  const files = [file, `${file}-wal`].filter((one) => existsSync(one));
  return files.reduce((sum, one) => sum + readFileSync(one).toString("latin1").split(word).length - 1, 0);
}
