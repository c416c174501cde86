/**
 * Brings one slot to what it shall show: posts, edits and removes until every part is confirmed. What was done is read
 * from the receipts and written to them, so that it can be broken off and begun again at any point.
 *
 * A receipt goes  (none) → intended → sent → removed → intended …
 * `intended` with no answer means unknown: the platform is searched first where it can be, else `unknown-outcome.ts` says
 * what becomes of it.
 * `given_up` is final: the platform refused this part for good. Before that, a part that is refused for its content is
 * tried once more without marks, and a question whose buttons are refused is asked in words.
 */
import {
  type Adapter,
  AdapterError,
  type Method,
  type Part,
  type PostRef,
  type Sent,
  type ThreadKey,
  type View,
} from "./contract.ts";
import type { GatewayStore, Receipt, Slot, Thread } from "./store-contract.ts";
import { resolveUnknown } from "./unknown-outcome.ts";

export interface SlotJob {
  readonly thread: Thread;
  readonly slot: Slot;
  readonly view: View;
  readonly parts: readonly Part[];
  /** It will not change any more. */
  readonly final: boolean;
}
type Store = Pick<GatewayStore, "receipts" | "hasReceipt" | "record" | "safe">;
/** Called before every call of the platform; throws to break off. */
type BeforeCall = (method: Method) => Promise<void>;

/** @throws AdapterError what cannot be dealt with here: to wait and to begin again. */
export async function deliverSlot(job: SlotJob, adapter: Adapter, store: Store, beforeCall: BeforeCall): Promise<void> {
  try {
    await bringAll(job, adapter, store, beforeCall);
  } catch (error) {
    const view = isContentRefusal(error) ? inWords(job.view) : undefined;
    if (!view) throw error;
    await bringAll({ ...job, view, parts: adapter.render(view) }, adapter, store, beforeCall);
  }
}

/** Undefined: it has nothing that is pressed. */
function inWords(view: View): View | undefined {
  if (view.type !== "question" || view.closed || view.inWords) return undefined;
  return view.options.length > 0 || view.form ? { ...view, inWords: true } : undefined;
}

async function bringAll(job: SlotJob, adapter: Adapter, store: Store, beforeCall: BeforeCall): Promise<void> {
  const receipts = new Map((await store.receipts(job.slot)).map((receipt) => [receipt.index, receipt]));
  const step = createStep(job, adapter, store, beforeCall);
  for (const [index, part] of job.parts.entries()) await step.bring(index, part, receipts.get(index));
  const surplus = [...receipts.values()].filter(({ index, state }) => index >= job.parts.length && state === "sent");
  for (const receipt of surplus.toSorted((a, b) => b.index - a.index)) await step.remove(receipt);
}

type NewReceipt = Omit<Receipt, "at">;

function createStep({ thread, slot, view, final }: SlotJob, adapter: Adapter, store: Store, beforeCall: BeforeCall) {
  /** A post may open or move its thread: what follows goes there. */
  let key: ThreadKey = thread.key;
  const record = (receipt: NewReceipt) => store.record(thread.id, slot, receipt);

  async function recordSent(receipt: NewReceipt, { post, thread: moved }: Sent): Promise<NewReceipt> {
    const sent: NewReceipt = { ...receipt, state: "sent", post };
    await store.record(thread.id, slot, sent, moved);
    key = moved ?? key;
    return sent;
  }

  async function bring(index: number, part: Part, known: Receipt | undefined): Promise<void> {
    switch (known?.state) {
      case undefined:
        return void (await post({ index, generation: 0, state: "intended", part }));
      case "removed":
        return void (await post({ index, generation: known.generation + 1, state: "intended", part }));
      case "intended":
        return settleUnknown(known, part);
      case "sent":
        return same(known.part, part) ? undefined : edit(known, part);
      case "given_up":
        return undefined;
    }
  }

  async function post(intent: NewReceipt & { readonly part: Part }): Promise<NewReceipt> {
    await beforeCall("post");
    await record(intent);
    await store.safe();
    const nonce = nonceOf(intent);
    try {
      const sent = await (view.type === "file"
        ? adapter.upload(key, view, nonce)
        : adapter.send(key, intent.part, nonce));
      return await recordSent(intent, sent);
    } catch (error) {
      const words = isContentRefusal(error) ? plainer(intent.part) : undefined;
      // Certainly not accepted: as if it had never been tried.
      if (isUntouched(error) || words) await record({ ...intent, generation: intent.generation - 1, state: "removed" });
      else if (isFinal(error)) await record({ ...intent, state: "given_up" });
      if (words === undefined || words === "in words") throw error;
      const sent = { ...(await post({ ...intent, part: words })), part: intent.part };
      await record(sent);
      return sent;
    }
  }

  /** What is tried when the platform refuses this part for its content; `in words`: the whole view, otherwise. */
  function plainer(part: Part): Part | "in words" | undefined {
    if (view.type === "file") return undefined;
    if (inWords(view)) return "in words";
    const words = adapter.plain(part);
    return same(words, part) ? undefined : words;
  }

  /**
   * The process died or the answer was lost between intent and receipt. What was intended then is found or sent again
   * under its own nonce; what is wanted now is an edit of it.
   */
  async function settleUnknown(known: Receipt, part: Part): Promise<void> {
    const intended = { ...known, state: "intended", part: known.part ?? part } as const;
    await beforeCall("find");
    const isKnown = (ref: PostRef) => store.hasReceipt(ref);
    const search = adapter.find(key, intended.part, nonceOf(known), known.at, isKnown);
    const found = await search.catch(async (error: unknown) => {
      if (isGone(error)) return "absent" as const;
      if (isForbidden(error)) await record({ ...intended, state: "given_up" });
      else if (isRefusal(error)) return "unknowable" as const;
      throw error;
    });
    if (found === "unknowable") return resolve(known, intended, part);
    const sent = found === "absent" ? await post(intended) : await recordSent(intended, found);
    return bring(known.index, part, { ...sent, at: known.at });
  }

  async function resolve(known: Receipt, intended: NewReceipt & { readonly part: Part }, part: Part): Promise<void> {
    switch (resolveUnknown(slot, view, final, known.at)) {
      case "send_again":
        return bring(known.index, part, { ...(await post(intended)), at: known.at });
      case "send_new":
        return void (await post({ ...intended, generation: known.generation + 1, part }));
      case "give_up":
        return record({ ...intended, state: "given_up" });
      case "leave":
        return undefined;
    }
  }

  /** `part`: what is sent; `wanted`: what it stands for. */
  async function edit(known: Receipt, part: Part, wanted = part): Promise<void> {
    if (known.post === undefined) return;
    const shown = { ...known, part: wanted };
    await beforeCall("edit");
    try {
      await adapter.edit(key, known.post, part);
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      if (error.code === "not_found") return replaceGone(known, wanted);
      const words = isContentRefusal(error) && !final ? plainer(part) : undefined;
      if (words === "in words") throw error;
      if (words) return edit(known, words, wanted);
      // Nothing can be shown here any more: asking again would not help.
      if (isForbidden(error) || (isRefusal(error) && !final)) await record(shown);
      else if (isRefusal(error)) return replace(known, wanted);
      if (error.code !== "not_modified") throw error;
    }
    await record(shown);
  }

  async function replaceGone(known: Receipt, part: Part): Promise<void> {
    // Somebody has tidied up: its answer was the point of it, and that has been given.
    if (view.type === "question" && view.closed) return record({ ...known, state: "given_up" });
    const removed = { index: known.index, generation: known.generation, state: "removed", at: known.at } as const;
    await record(removed);
    return bring(known.index, part, removed);
  }

  /** One that can no longer be edited (too old, say) must not go on saying what is no longer true. */
  async function replace(known: Receipt, part: Part): Promise<void> {
    await remove(known);
    const { index, generation, at } = known;
    return bring(index, part, { index, generation, state: "removed", at });
  }

  /** One that cannot be removed becomes `…`. */
  async function remove(known: Receipt): Promise<void> {
    if (known.post === undefined) return;
    await beforeCall("remove");
    try {
      await adapter.remove(key, known.post);
    } catch (error) {
      if (!isFinal(error)) throw error;
      if (!isGone(error)) await blank(known);
    }
    await record({ index: known.index, generation: known.generation, state: "removed" });
  }

  async function blank(known: Receipt): Promise<void> {
    const [part] = adapter.render({ type: "notice", markdown: "…", tone: "info" });
    if (known.post !== undefined && part) await adapter.edit(key, known.post, part).catch(() => {});
  }

  const nonceOf = ({ index, generation }: NewReceipt) => `${slot}/${index}/${generation}`;
  return { bring, remove };
}

/** No repeat of the same call will ever succeed. */
export function isFinal(error: unknown): boolean {
  return isRefusal(error) || isGone(error);
}
/** The platform takes this text, or anything in this place, from us never. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AdapterError && ["forbidden", "invalid", "too_long"].includes(error.code);
}
/** It may take other words, or the same ones without marks. */
function isContentRefusal(error: unknown): boolean {
  return isRefusal(error) && !isForbidden(error);
}
/** Nothing of ours is taken in this place: blocked, kicked, archived, no rights. */
export function isForbidden(error: unknown): boolean {
  return error instanceof AdapterError && error.code === "forbidden";
}
function isUntouched(error: unknown): boolean {
  return error instanceof AdapterError && ["rate_limited", "unavailable", "auth"].includes(error.code);
}
function isGone(error: unknown): boolean {
  return error instanceof AdapterError && error.code === "not_found";
}
function same(a: Part | undefined, b: Part): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
