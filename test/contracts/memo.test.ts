/** The small extra platform passes what every platform passes: a new one needs no more than this. */
import { type Deliver, type Inbound, threadKey } from "../../gateway/contract.ts";
import { message, press } from "../helpers.ts";
import { createMemoAdapter, createMemoServer } from "../memo-platform.ts";
import { adapterContract } from "./adapter-contract.ts";

adapterContract(async () => {
  const server = createMemoServer();
  const adapter = createMemoAdapter(server);
  const inbound: Inbound[] = [];
  let refusals = 0;
  const deliver: Deliver = async (event) => {
    if (refusals-- > 0) throw new Error("the store refuses");
    inbound.push(event);
    return { accepted: true };
  };
  await adapter.start(deliver, { origin: "", mount: () => {} });
  // This platform delivers again, as all of them do, whatever was not acknowledged.
  const push = async (event: Inbound): Promise<void> => {
    await server.deliver?.(event).catch(() => push(event));
  };
  return {
    adapter,
    inbound,
    thread: threadKey("memo:dm"),
    refuseOnce: () => void (refusals = 1),
    say: (text) => push(message(text)),
    press: async (label) => {
      const tokens = server.posts.flatMap((post) => post.buttons);
      await push(press(tokens[Number(label.split(" ")[1])] ?? ""));
    },
    shown: async () => server.posts,
  };
});
