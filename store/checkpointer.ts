/**
 * LangGraph's checkpoints in the one SQLite file, on its connection: a drop-in for `SqliteSaver` whose cost does not grow
 * with the thread. That one writes the whole state into every checkpoint and reads it node by node; here a message is one
 * row for ever, a large value is a row until it changes, and a checkpoint refers to both.
 *
 * - `graph_scopes`: one thread and namespace (the lead agent's graph, or one subagent's) is a scope.
 * - `graph_pieces`: its messages and large values. See `pieces.ts`.
 * - `graph_checkpoints`: `channels` has each channel's value as JSON, with references; what did not change is taken over
 *   from the parent as text. `pieces` lists what is referred to, for whoever sweeps up.
 * - `graph_writes`: what tasks of a step have written, until the next checkpoint has it.
 *
 * `put` and `putWrites` resolve when every read sees what they wrote. It is on disk at the end of the turn of the event loop,
 * with all else that was written in it, and before anything that follows from it leaves the process (`commit.ts`): so a
 * crash loses at most the last moment, and never one part of it without the other. To wait for the disk each time would
 * hold every step of a graph, since LangGraph writes its checkpoints one after the other.
 *
 * Two things that other savers allow: messages that are read are shared with other reads of the same thread, so a graph must
 * return what it edits in place; and pruning drops a subgraph's state with the step that it belongs to, so one that shall
 * remember from turn to turn (`checkpointer: true`) must not be pruned.
 */
import { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  maxChannelVersion,
  type PendingWrite,
  TASKS,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { Database } from "better-sqlite3";
import { type CheckpointRow, type CheckpointSql, createCheckpointSql } from "./checkpoint-sql.ts";
import { apart, decode, encode, referredBy } from "./checkpoint-codec.ts";
import { onUndone, soon } from "./commit.ts";
import { fromJson } from "./database.ts";
import { Pieces } from "./pieces.ts";
import { cover, type Ranges } from "./ranges.ts";

/** `db` comes from `openDatabase`. */
export const createCheckpointer = (db: Database): Checkpointer => new Checkpointer(db);

/** What a checkpoint has of one channel. */
interface Entry {
  readonly version: number | string | undefined;
  readonly text: string;
  readonly pieces: Ranges;
}
type Entries = ReadonlyMap<string, Entry>;
/** What is kept in memory of a scope; dropped without harm. */
interface Kept {
  readonly pieces: Pieces;
  newest: { readonly id: string; readonly entries: Entries } | undefined;
}
/** A checkpoint without its values, which are in `channels`. */
type Body = Omit<Checkpoint, "channel_values" | "id">;

/** Characters of messages kept in memory over all scopes: ten threads of four hundred turns. Ours. */
const KEEP_CHARS = 16_000_000;
const KEEP_SCOPES = 300;

interface Configurable {
  readonly thread_id?: string;
  readonly checkpoint_ns?: string;
  readonly checkpoint_id?: string | undefined;
}
type Place = Configurable & { readonly thread_id: string; readonly checkpoint_ns: string };

export class Checkpointer extends SqliteSaver {
  readonly #sql: CheckpointSql;
  readonly #kept = new Map<number, Kept>();
  readonly #put: (at: Place, checkpoint: Checkpoint, metadata: CheckpointMetadata, news: ChannelVersions) => void;
  readonly #giveUp: (thread: string) => void;
  readonly #putWrites: (at: Place, writes: readonly PendingWrite[], task: string, path: string) => void;

  constructor(db: Database) {
    super(db);
    this.isSetup = true; // its own tables are not used
    this.#sql = createCheckpointSql(db);
    this.#put = soon(db, (...args) => this.#store(...args));
    this.#putWrites = soon(db, (...args) => this.#storeWrites(...args));
    this.#giveUp = soon(db, (thread: string) => {
      for (const scope of this.#sql.scopesOf(thread)) this.#kept.delete(scope);
      this.#sql.giveUp(thread);
    });
    onUndone(db, () => this.#kept.clear());
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = configurableOf(config);
    const scope = thread_id === undefined ? undefined : this.#sql.scope(thread_id, checkpoint_ns);
    if (scope === undefined) return undefined;
    const found = checkpoint_id ? this.#sql.checkpoint(scope, checkpoint_id) : this.#sql.newest(scope);
    const row = found && (await this.#loaded(found));
    return row && this.#tuple(row);
  }

  /** A long thread that is not in memory is read without holding everything up; it may be swept away meanwhile. */
  async #loaded(row: CheckpointRow): Promise<CheckpointRow | undefined> {
    const { pieces } = this.#keep(row.scope);
    if (!pieces.isEmpty) return row;
    await pieces.load(referredBy(JSON.parse(row.channels), pieces));
    return this.#sql.checkpoint(row.scope, row.id);
  }

  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id, checkpoint_ns, checkpoint_id } = configurableOf(config);
    const { limit, filter } = options;
    const before = options.before && configurableOf(options.before).checkpoint_id;
    const found = { thread: thread_id, ns: checkpoint_ns, id: checkpoint_id, before, filter, limit };
    for (const { scope, id } of this.#sql.find(found)) {
      // Read one by one: a checkpoint may be swept away meanwhile.
      const row = this.#sql.checkpoint(scope, id);
      if (row) yield await this.#tuple(row);
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions = checkpoint.channel_versions,
  ): Promise<RunnableConfig> {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = configurableOf(config);
    if (!thread_id) throw new Error('Expected "thread_id" in "configurable", got none');
    this.#write(() => this.#put({ thread_id, checkpoint_ns, checkpoint_id }, checkpoint, metadata, newVersions));
    return { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } };
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], task: string, path = ""): Promise<void> {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = configurableOf(config);
    if (!thread_id) throw new Error('Expected "thread_id" in "configurable", got none');
    if (!checkpoint_id) throw new Error('Expected "checkpoint_id" in "configurable", got none');
    this.#write(() => this.#putWrites({ thread_id, checkpoint_ns, checkpoint_id }, writes, task, path));
  }

  override async deleteThread(thread: string): Promise<void> {
    this.giveUp(thread);
  }

  /** The thread is gone at once for whoever reads; its rows are swept away in small steps (`checkpoint-upkeep.ts`). */
  giveUp(thread: string): void {
    this.#giveUp(thread);
  }

  /** Rows of this scope are no longer there. */
  swept(scope: number, from: number, to: number): void {
    this.#kept.get(scope)?.pieces.forget(from, to);
  }

  /** A write that fails is undone, and what was learnt from it would be wrong. */
  #write(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#kept.clear();
      throw error;
    }
  }

  #store(
    { thread_id, checkpoint_ns, checkpoint_id: parent }: Place,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): void {
    const scope = this.#sql.scope(thread_id, checkpoint_ns) ?? this.#sql.addScope(thread_id, checkpoint_ns);
    const kept = this.#keep(scope);
    const pieces = kept.pieces.beginWriting(metadata.source === "loop" ? "step" : "state");
    const inherited = parent === undefined ? undefined : this.#entries(scope, parent, kept);
    const entries = new Map<string, Entry>();
    for (const [channel, value] of Object.entries(checkpoint.channel_values)) {
      const version = checkpoint.channel_versions[channel];
      const known = inherited?.get(channel);
      // Messages are looked at each time: somebody may have edited one in place.
      if (known && known.version === version && !hasMessages(value)) entries.set(channel, known);
      // Without a parent only what is new counts, as the library's suite asks; a fork says that nothing is, and yet holds
      // what its parent may not.
      else if (parent !== undefined || channel in newVersions || metadata.source === "fork")
        entries.set(channel, { version, ...apart(encode(value, pieces), pieces) });
    }
    const { id, channel_values: _, ...body } = checkpoint;
    this.#sql.addCheckpoint({
      scope,
      id,
      parent: parent ?? null,
      body: JSON.stringify(body satisfies Body),
      channels: joined(entries),
      metadata: JSON.stringify(metadata),
      pieces: JSON.stringify(cover([...entries.values()].flatMap(({ pieces }) => pieces))),
    });
    kept.newest = { id, entries };
  }

  #storeWrites(
    { thread_id, checkpoint_ns, checkpoint_id }: Place,
    writes: readonly PendingWrite[],
    task: string,
    path: string,
  ) {
    const scope = this.#sql.scope(thread_id, checkpoint_ns) ?? this.#sql.addScope(thread_id, checkpoint_ns);
    const writer = this.#keep(scope).pieces.beginWriting("writes");
    // Errors, interrupts and answers replace what was there; the rest is written once, however often it is said.
    const replace = writes.every(([channel]) => channel in WRITES_IDX_MAP);
    for (const [index, [channel, value]] of writes.entries()) {
      const bytes = value instanceof Uint8Array;
      const { text, pieces } = bytes ? { text: Buffer.from(value), pieces: [] } : encode(value, writer);
      const idx = WRITES_IDX_MAP[channel] ?? index;
      const row = { scope, checkpoint: checkpoint_id ?? "", path, task, idx, channel };
      this.#sql.addWrite({ ...row, value: text, pieces: JSON.stringify(cover(pieces)) }, replace);
    }
  }

  /** The entries of an earlier checkpoint, as text; undefined when it is not there. */
  #entries(scope: number, id: string, kept: Kept): Entries | undefined {
    if (kept.newest?.id === id) return kept.newest.entries;
    const row = this.#sql.checkpoint(scope, id);
    if (!row) return undefined;
    if (kept.pieces.isEmpty) kept.pieces.learn(fromJson<Ranges>(row.pieces));
    const { channel_versions } = fromJson<Body>(row.body);
    const channels = Object.entries(fromJson<Record<string, unknown>>(row.channels));
    const entry = (channel: string, value: unknown): Entry => ({
      version: channel_versions[channel],
      text: JSON.stringify(value),
      pieces: referredBy(value, kept.pieces),
    });
    return new Map(channels.map(([channel, value]) => [channel, entry(channel, value)]));
  }

  async #tuple(row: CheckpointRow): Promise<CheckpointTuple> {
    const { thread, ns, scope, id, parent } = row;
    const { pieces } = this.#keep(scope);
    const body = fromJson<Body>(row.body);
    // Boundary: `#store` wrote these.
    const channel_values = (await decode(row.channels, pieces)) as Record<string, unknown>;
    const checkpoint: Checkpoint = { ...body, id, channel_values };
    if (body.v < 4 && parent !== null) await this.#migrateSends(checkpoint, scope, parent);
    const pendingWrites: CheckpointPendingWrite[] = [];
    for (const write of this.#sql.writes(scope, id))
      pendingWrites.push([write.task, write.channel, await this.#writtenValue(write.value, pieces)]);
    const at = { thread_id: thread, checkpoint_ns: ns };
    return {
      config: { configurable: { ...at, checkpoint_id: id } },
      checkpoint,
      metadata: (await decode(row.metadata, pieces)) as CheckpointMetadata,
      pendingWrites,
      ...(parent !== null && { parentConfig: { configurable: { ...at, checkpoint_id: parent } } }),
    };
  }

  async #writtenValue(value: string | Buffer, pieces: Pieces): Promise<unknown> {
    return typeof value === "string" ? decode(value, pieces) : new Uint8Array(value);
  }

  /** Before version 4 the sends of a step were kept with the parent, as writes. */
  async #migrateSends(checkpoint: Checkpoint, scope: number, parent: string): Promise<void> {
    const { pieces } = this.#keep(scope);
    const sends = this.#sql.writes(scope, parent).filter(({ channel }) => channel === TASKS);
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => this.#writtenValue(value, pieces)));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  #keep(scope: number): Kept {
    const known = this.#kept.get(scope);
    const kept = known ?? { pieces: new Pieces(this.#sql.pieces(scope)), newest: undefined };
    // The one used last is the last to be dropped.
    this.#kept.delete(scope);
    this.#kept.set(scope, kept);
    if (!known) this.#trim();
    return kept;
  }

  /** What one more scope is too much for is dropped, the least used first. */
  #trim(): void {
    let size = 0;
    for (const { pieces } of this.#kept.values()) size += pieces.size;
    for (const [scope, { pieces }] of this.#kept) {
      if ((size <= KEEP_CHARS && this.#kept.size <= KEEP_SCOPES) || this.#kept.size === 1) return;
      this.#kept.delete(scope);
      size -= pieces.size;
    }
  }
}

/** Boundary: the library types what stands in a configuration as unknown. */
const configurableOf = (config: RunnableConfig): Configurable => (config.configurable ?? {}) as Configurable;

const hasMessages = (value: unknown): boolean => Array.isArray(value) && BaseMessage.isInstance(value[0]);

function joined(entries: Entries): string {
  return `{${[...entries].map(([channel, { text }]) => `${JSON.stringify(channel)}:${text}`).join(",")}}`;
}
