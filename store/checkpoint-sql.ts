/** The statements of the checkpointer, prepared once. */
import type { Database } from "better-sqlite3";
import { createPieceSql, type PieceSql } from "./pieces.ts";

export interface CheckpointRow {
  readonly thread: string;
  readonly ns: string;
  readonly scope: number;
  readonly id: string;
  readonly parent: string | null;
  readonly body: string;
  readonly channels: string;
  readonly metadata: string;
  readonly pieces: string;
}
export type NewCheckpoint = Omit<CheckpointRow, "thread" | "ns">;
export interface WriteRow {
  readonly task: string;
  readonly channel: string;
  /** JSON, or the bytes of a `Uint8Array`. */
  readonly value: string | Buffer;
}
export interface NewWrite extends WriteRow {
  readonly scope: number;
  readonly checkpoint: string;
  readonly path: string;
  readonly idx: number;
  readonly pieces: string;
}
/** What `list` looks for; what is undefined is not asked about. */
export interface Search {
  readonly thread?: string | undefined;
  readonly ns?: string | undefined;
  readonly id?: string | undefined;
  readonly before?: string | undefined;
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly limit?: number | undefined;
}

export interface CheckpointSql {
  pieces(scope: number): PieceSql;
  scope(thread: string, ns: string): number | undefined;
  addScope(thread: string, ns: string): number;
  scopesOf(thread: string): readonly number[];
  giveUp(thread: string): void;
  checkpoint(scope: number, id: string): CheckpointRow | undefined;
  newest(scope: number): CheckpointRow | undefined;
  /** The newest first. */
  find(search: Search): readonly Pick<CheckpointRow, "scope" | "id">[];
  addCheckpoint(row: NewCheckpoint): void;
  /** In the order in which a step's writes are applied: by path, task and index. */
  writes(scope: number, checkpoint: string): readonly WriteRow[];
  addWrite(row: NewWrite, replace: boolean): void;
}

const SELECT = `select thread, ns, scope, graph_checkpoints.id, parent, body, channels, metadata, pieces
  from graph_checkpoints join graph_scopes on graph_scopes.id = scope`;

export function createCheckpointSql(db: Database): CheckpointSql {
  const scope = db.prepare<[string, string], number>("select id from graph_scopes where thread = ? and ns = ?").pluck();
  const addScope = db.prepare("insert into graph_scopes(thread, ns) values(?, ?)");
  const scopesOf = db.prepare<[string], number>("select id from graph_scopes where thread = ?").pluck();
  const giveUp = db.prepare("update graph_scopes set thread = null where thread = ?");
  const checkpoint = db.prepare<[number, string], CheckpointRow>(
    `${SELECT} where scope = ? and graph_checkpoints.id = ?`,
  );
  const newest = db.prepare<[number], CheckpointRow>(
    `${SELECT} where scope = ? order by graph_checkpoints.id desc limit 1`,
  );
  const addCheckpoint = db.prepare(
    `insert or replace into graph_checkpoints(scope, id, parent, body, channels, metadata, pieces)
     values(@scope, @id, @parent, @body, @channels, @metadata, @pieces)`,
  );
  // SQLite compares text by bytes of UTF-8, which is the order of code points that the library asks for.
  const writes = db.prepare<[number, string], WriteRow>(
    "select task, channel, value from graph_writes where scope = ? and checkpoint = ? order by path, task, idx",
  );
  const [replaceWrite, addWrite] = ["replace", "ignore"].map((otherwise) =>
    db.prepare(
      `insert or ${otherwise} into graph_writes(scope, checkpoint, path, task, idx, channel, value, pieces)
       values(@scope, @checkpoint, @path, @task, @idx, @channel, @value, @pieces)`,
    ),
  );
  return {
    pieces: createPieceSql(db),
    scope: (thread, ns) => scope.get(thread, ns),
    addScope: (thread, ns) => Number(addScope.run(thread, ns).lastInsertRowid),
    scopesOf: (thread) => scopesOf.all(thread),
    giveUp: (thread) => void giveUp.run(thread),
    checkpoint: (of, id) => checkpoint.get(of, id),
    newest: (of) => newest.get(of),
    find: (search) => find(db, search),
    addCheckpoint: (row) => void addCheckpoint.run(row),
    writes: (of, id) => writes.all(of, id),
    addWrite: (row, replace) => void (replace ? replaceWrite : addWrite)?.run(row),
  };
}

function find(
  db: Database,
  { thread, ns, id, before, filter = {}, limit }: Search,
): readonly Pick<CheckpointRow, "scope" | "id">[] {
  const fields = Object.entries(filter).filter(([, value]) => value !== undefined);
  const conditions: (readonly [sql: string, ...values: unknown[]] | undefined)[] = [
    ["thread is not null"],
    thread === undefined ? undefined : ["thread = ?", thread],
    ns === undefined ? undefined : ["ns = ?", ns],
    id === undefined ? undefined : ["graph_checkpoints.id = ?", id],
    before === undefined ? undefined : ["graph_checkpoints.id < ?", before],
    ...fields.map(
      ([key, value]) =>
        [
          "json_extract(metadata, ?) is json_extract(?, '$')",
          `$.${JSON.stringify(key)}`,
          JSON.stringify(value),
        ] as const,
    ),
  ];
  const given = conditions.filter((one) => one !== undefined);
  const sql = `select scope, graph_checkpoints.id as id from graph_checkpoints join graph_scopes on graph_scopes.id = scope
    where ${given.map(([text]) => text).join(" and ")} order by graph_checkpoints.id desc limit ?`;
  const values = given.flatMap(([, ...rest]) => rest);
  return db
    .prepare<unknown[], Pick<CheckpointRow, "scope" | "id">>(sql)
    .all(...values, limit === undefined ? -1 : Math.trunc(limit));
}
