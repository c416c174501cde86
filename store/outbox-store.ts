/**
 * Slots and receipts: what threads should show, and what their platforms have confirmed.
 *
 * A slot's version rises with each new view. It is settled when that very version has been confirmed; a view that came
 * while an older one was being sent keeps it open. A final view is never replaced.
 */
import type { Database } from "better-sqlite3";
import { type Part, type PostRef, postRef, type ThreadKey, type View } from "../gateway/contract.ts";
import type { GatewayStore, OpenSlot, Receipt, Slot, SlotWrite } from "../gateway/store-contract.ts";
import { type ThreadId, threadId } from "../subagents/contract.ts";
import { soon } from "./commit.ts";
import { fromJson } from "./database.ts";

interface SlotRow {
  slot: Slot;
  view: string;
  final: number;
  if_posted: number;
  version: number;
  parts: string | null;
}
interface PostRow {
  idx: number;
  generation: number;
  state: Receipt["state"];
  post: string | null;
  part: string | null;
  at: number;
}
type OutboxVerbs = Pick<
  GatewayStore,
  | "show"
  | "unsettledThreads"
  | "unsettled"
  | "receipts"
  | "hasReceipt"
  | "decideParts"
  | "decideAgain"
  | "record"
  | "settle"
  | "hold"
  | "heldUntil"
>;
/** The rest is for use inside another transaction. */
export interface OutboxStore extends OutboxVerbs {
  put(thread: ThreadId, write: SlotWrite): void;
  /** A post that shows this slot a second time: a surplus part, which goes when the slot is next delivered. */
  adopt(thread: ThreadId, slot: Slot, post: PostRef): void;
  /** It is to be looked at again, also when it is being delivered at this moment. */
  reopen(slot: Slot): void;
}
/** Adopted posts stand far behind the real parts. */
export const ADOPTED_FROM = 1000;

export function createOutboxStore(db: Database, now: () => number): OutboxStore {
  // The same final view again (a repeated event, a resumed run) changes nothing; a final view stays.
  const putSlot = db.prepare(
    `insert into slots(slot, thread, view, final, if_posted, version, settled) values(?, ?, ?, ?, ?, 1, 0)
     on conflict(slot) do update set view = excluded.view, final = excluded.final, if_posted = excluded.if_posted,
       version = version + 1, settled = 0
     where slots.final = 0 and (slots.view <> excluded.view or slots.final <> excluded.final)`,
  );
  const openThreads = db.prepare<[], string>("select distinct thread from slots where settled = 0").pluck();
  const openSlots = db.prepare<[string], SlotRow>(
    "select slot, view, final, if_posted, version, parts from slots where thread = ? and settled = 0 order by seq",
  );
  const receipts = db.prepare<[string], PostRow>(
    "select idx, generation, state, post, part, at from posts where slot = ? order by idx",
  );
  const receiptOf = db.prepare<[string], number>("select 1 from posts where post = ? limit 1").pluck();
  const setParts = db.prepare("update slots set parts = ? where slot = ?");
  const dropParts = db.prepare("update slots set parts = null, settled = 0, version = version + 1 where slot = ?");
  const putPost = db.prepare(
    `insert into posts(slot, idx, thread, generation, state, post, part, at) values(?, ?, ?, ?, ?, ?, ?, ?)
     on conflict(slot, idx) do update set at = iif(generation = excluded.generation, at, excluded.at),
       generation = excluded.generation, state = excluded.state, post = excluded.post, part = excluded.part`,
  );
  const postOf = db
    .prepare<[string, number], string | null>("select post from posts where slot = ? and idx = ?")
    .pluck();
  const adopt = db.prepare(
    `insert into posts(slot, idx, thread, generation, state, post, at)
     select ?, ${ADOPTED_FROM} + count(*), ?, 0, 'sent', ?, 0 from posts where slot = ? and idx >= ${ADOPTED_FROM}`,
  );
  // The thread that opened there is the current one, also if somebody was quicker than our receipt.
  const rename = db.prepare(
    `update threads set key = @key, selected = (select coalesce(max(selected), 0) + 1 from threads as other
       where other.platform = threads.platform and other.key = @key) where id = @thread`,
  );
  const reopen = db.prepare("update slots set settled = 0, version = version + 1 where slot = ?");
  const settle = db.prepare("update slots set settled = 1 where slot = ? and version = ?");
  const hold = db.prepare(
    `insert into holds(key, held_until, since) values(@key, @until, @now) on conflict(key) do update set
       held_until = iif(since > @now, excluded.held_until, max(held_until, excluded.held_until)), since = excluded.since`,
  );
  const held = db
    .prepare<[string, number], number>("select held_until from holds where key = ? and since <= ?")
    .pluck();

  const put = (thread: ThreadId, { slot, view, final, ifPosted }: SlotWrite) =>
    void putSlot.run(slot, thread, JSON.stringify(view), final ? 1 : 0, ifPosted ? 1 : 0);
  const record = soon(db, (thread: ThreadId, slot: Slot, receipt: Omit<Receipt, "at">, key?: ThreadKey): void => {
    const { index, generation, state, post = null, part } = receipt;
    const known = postOf.get(slot, index) ?? null;
    // A press has confirmed another copy while this one was on its way.
    if (post !== null && known !== null && known !== post) {
      adopt.run(slot, thread, known, slot);
      reopen.run(slot);
    }
    putPost.run(slot, index, thread, generation, state, post, part ? JSON.stringify(part) : null, now());
    if (key !== undefined) rename.run({ key, thread });
  });

  return {
    put,
    show: soon(db, (thread: ThreadId, slots: readonly SlotWrite[]) => slots.forEach((one) => put(thread, one))),
    unsettledThreads: () => openThreads.all().map(threadId),
    unsettled: (thread: ThreadId) => openSlots.all(thread).map(toSlot),
    receipts: (slot: Slot) => receipts.all(slot).map(toReceipt),
    hasReceipt: (post: PostRef) => receiptOf.get(post) !== undefined,
    decideParts: soon(
      db,
      (slot: Slot, parts: readonly Part[], beside?: { readonly thread: ThreadId; readonly write: SlotWrite }) => {
        setParts.run(JSON.stringify(parts), slot);
        if (beside) put(beside.thread, beside.write);
      },
    ),
    decideAgain: soon(db, (slot: Slot) => void dropParts.run(slot)),
    adopt: (thread, slot, post) => void adopt.run(slot, thread, post, slot),
    reopen: (slot) => void reopen.run(slot),
    record,
    settle: soon(db, (slot: Slot, version: number) => void settle.run(slot, version)),
    hold: soon(db, (key: string, until: number) => void hold.run({ key, until, now: now() })),
    heldUntil: (...keys) => Math.max(0, ...keys.map((key) => held.get(key, now()) ?? 0)),
  };
}

function toSlot(row: SlotRow): OpenSlot {
  return {
    slot: row.slot,
    view: fromJson<View>(row.view),
    final: row.final === 1,
    ifPosted: row.if_posted === 1,
    version: row.version,
    ...(row.parts !== null && { parts: fromJson<Part[]>(row.parts) }),
  };
}

function toReceipt(row: PostRow): Receipt {
  return {
    index: row.idx,
    generation: row.generation,
    state: row.state,
    at: row.at,
    ...(row.post !== null && { post: postRef(row.post) }),
    ...(row.part !== null && { part: fromJson<Part>(row.part) }),
  };
}
