/**
 * Brings one slot to what it shall show: posts, edits and removes until every part is confirmed. What was done is read
 * from the receipts and written to them, so that it can be broken off and begun again at any point.
 *
 * A receipt goes  (none) → intended → sent → removed → intended …
 * `intended` with no answer means unknown: the platform is searched first where it can be, else the part is sent again.
 * `given_up` is final: the platform refused this part for good.
 */
import { type Adapter, AdapterError, type Part, type View } from "./contract.ts";
import type { GatewayStore, Receipt, Slot, Thread } from "./store-contract.ts";

export interface SlotJob {
  readonly thread: Thread;
  readonly slot: Slot;
  readonly view: View;
  readonly parts: readonly Part[];
}
type Store = Pick<GatewayStore, "receipts" | "record">;
/** Called before every call of the platform; throws to break off. */
type BeforeCall = () => Promise<void>;

/** @throws AdapterError what cannot be dealt with here: to wait and to begin again. */
export async function deliverSlot(job: SlotJob, adapter: Adapter, store: Store, beforeCall: BeforeCall): Promise<void> {
  const receipts = new Map((await store.receipts(job.slot)).map((receipt) => [receipt.index, receipt]));
  const step = createStep(job, adapter, store, beforeCall);
  for (const [index, part] of job.parts.entries()) await step.bring(index, part, receipts.get(index));
  const surplus = [...receipts.values()].filter(({ index, state }) => index >= job.parts.length && state === "sent");
  for (const receipt of surplus.toSorted((a, b) => b.index - a.index)) await step.remove(receipt);
}

function createStep({ thread, slot, view }: SlotJob, adapter: Adapter, store: Store, beforeCall: BeforeCall) {
  const record = (receipt: Receipt) => store.record(thread.id, slot, receipt);

  async function bring(index: number, part: Part, known: Receipt | undefined): Promise<void> {
    switch (known?.state) {
      case undefined:
        return post({ index, generation: 0, state: "intended", part });
      case "removed":
        return post({ index, generation: known.generation + 1, state: "intended", part });
      case "intended":
        return settleUnknown(known, part);
      case "sent":
        return same(known.part, part) ? undefined : edit(known, part);
      case "given_up":
        return undefined;
    }
  }

  async function post(intent: Receipt & { readonly part: Part }): Promise<void> {
    await beforeCall();
    await record(intent);
    const nonce = nonceOf(intent);
    try {
      const { key } = thread;
      const ref = await (view.type === "file"
        ? adapter.upload(key, view, nonce)
        : adapter.send(key, intent.part, nonce));
      await record({ ...intent, state: "sent", post: ref });
    } catch (error) {
      if (isRefusal(error)) await record({ ...intent, state: "given_up" });
      throw error;
    }
  }

  /** The process died or the answer was lost between intent and receipt. */
  async function settleUnknown(known: Receipt, part: Part): Promise<void> {
    const intended = known.part ?? part;
    await beforeCall();
    const found = await adapter.find(thread.key, intended, nonceOf(known));
    if (found === "absent" || found === "unknowable") return post({ ...known, state: "intended", part });
    const sent: Receipt = { ...known, state: "sent", post: found, part: intended };
    await record(sent);
    return bring(known.index, part, sent);
  }

  async function edit(known: Receipt, part: Part): Promise<void> {
    if (known.post === undefined) return;
    await beforeCall();
    try {
      await adapter.edit(thread.key, known.post, part);
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      if (error.code === "not_found") {
        const removed: Receipt = { index: known.index, generation: known.generation, state: "removed" };
        await record(removed);
        return bring(known.index, part, removed);
      }
      // Refused for good: the message stays as it is, and asking again would not help.
      if (isRefusal(error)) await record({ ...known, part });
      if (error.code !== "not_modified") throw error;
    }
    await record({ ...known, part });
  }

  /** One that cannot be removed becomes `…`. */
  async function remove(known: Receipt): Promise<void> {
    if (known.post === undefined) return;
    await beforeCall();
    try {
      await adapter.remove(thread.key, known.post);
    } catch (error) {
      if (!isRefusal(error) && !isGone(error)) throw error;
      if (!isGone(error)) await blank(known);
    }
    await record({ index: known.index, generation: known.generation, state: "removed" });
  }

  async function blank(known: Receipt): Promise<void> {
    const [part] = adapter.render({ type: "notice", markdown: "…", tone: "info" });
    if (known.post !== undefined && part) await adapter.edit(thread.key, known.post, part).catch(() => {});
  }

  const nonceOf = ({ index, generation }: Receipt) => `${slot}/${index}/${generation}`;
  return { bring, remove };
}

/** No repeat of the same call will ever succeed. */
export function isRefusal(error: unknown): boolean {
  return (
    error instanceof AdapterError &&
    ["forbidden", "invalid", "too_long", "not_found"].includes(error.code) &&
    !isGone(error)
  );
}
function isGone(error: unknown): boolean {
  return error instanceof AdapterError && error.code === "not_found";
}
function same(a: Part | undefined, b: Part): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
