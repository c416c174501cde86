/**
 * All that the store is asked for in one turn of a chat, in the gateway's order, with neither a platform nor a gateway: the
 * event is accepted, its run claimed, the agent works, the run ends with its reply, the outbox posts it.
 */
import { type Inbound, placeKey, postRef, threadKey } from "../../../gateway/contract.ts";
import { type Decide, slot } from "../../../gateway/store-contract.ts";
import type { Store } from "../../../store/gateway-store.ts";
import type { RunId, ThreadId } from "../../../subagents/contract.ts";
import { loopTurn } from "./loop-gap.ts";
import { answerText, personText } from "./turn-text.ts";

/** The verbs of the store that a turn calls, the agent's part left out. */
export const STORE_VERBS = 7;

const queue: Decide = () => ({ rule: "all is for us", effects: [{ type: "queue" }], addressed: true });

/** The `turn`-th message of `chat`. `agent` does what the agent stores meanwhile. */
export async function storedTurn(
  store: Store,
  chat: string,
  turn: number,
  agent: (thread: ThreadId, run: RunId) => Promise<void>,
): Promise<void> {
  const { wake } = await store.accept(messageOf(chat, turn), queue);
  // Before the platform is told that its event was taken.
  await store.safe();
  const [thread] = wake;
  const claim = thread && (await store.claim(thread));
  if (claim?.type !== "messages") throw new Error(`A message of ${chat} must start a run, and did not`);
  await agent(claim.thread.id, claim.run);
  const view = { type: "reply", markdown: answerText(turn) } as const;
  const reply = slot("reply", claim.run);
  await store.finish(claim.run, "done", [{ slot: reply, view, final: true }]);
  await deliver(store, claim.thread.id);
}

async function deliver(store: Store, thread: ThreadId): Promise<void> {
  for (const open of await store.unsettled(thread)) {
    const part = { text: open.view.type === "reply" ? open.view.markdown : "" };
    await store.decideParts(open.slot, [part]);
    const receipt = { index: 0, generation: 0, part };
    await store.record(thread, open.slot, { ...receipt, state: "intended" });
    await store.safe();
    // Where the platform is called: its answer never comes in the same turn of the loop.
    await loopTurn();
    await store.record(thread, open.slot, { ...receipt, state: "sent", post: postRef(`post:${open.slot}`) });
    await store.settle(open.slot, open.version);
  }
}

function messageOf(chat: string, turn: number): Inbound {
  const id = `${chat}:${turn}`;
  return {
    type: "message",
    platform: "bench",
    account: "bot",
    eventId: id,
    place: { key: placeKey(chat), type: "direct", id: chat, single: true },
    thread: threadKey(chat),
    author: { id: `person of ${chat}`, name: "Ana", isBot: false },
    sentAt: 0,
    post: postRef(id),
    text: personText(turn),
    mentionsBot: true,
    files: [],
  };
}
