/** The page keeps no messages itself: the bench stores each intent first, as the outbox does, and loads as a page does. */
import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { type Adapter, threadKey } from "../../gateway/contract.ts";
import { createMemoryGateway, type MemoryGateway, startPage } from "../adapters/web/memory-gateway.ts";
import { adapterContract } from "./adapter-contract.ts";

/** What index.html and its scripts would draw of a part: its words, and what can be pressed. */
const button = z.object({ token: z.string(), label: z.string() });
const html = z.string().transform((text) => text.replace(/<[^>]*>/g, " "));
const partSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("reply"), html, footer: z.string().optional() }),
  z.object({ type: z.literal("notice"), html, actions: z.array(button) }),
  z.object({
    type: z.literal("question"),
    html,
    options: z.array(button),
    closed: z.record(z.string(), z.string()).optional(),
  }),
  z.object({
    type: z.literal("progress"),
    heading: z.string(),
    rows: z.array(z.object({ title: z.string(), details: z.string() })),
    footer: z.string(),
    stopToken: z.string().optional(),
  }),
]);
const threadSchema = z.object({
  entries: z.array(z.object({ type: z.string(), part: z.unknown() })),
});

function draw(part: z.infer<typeof partSchema>): { text: string; buttons: { token: string; label: string }[] } {
  switch (part.type) {
    case "reply":
      return { text: [part.html, part.footer].join("\n"), buttons: [] };
    case "notice":
      return { text: part.html, buttons: part.actions };
    case "question":
      return { text: [part.html, ...Object.values(part.closed ?? {})].join("\n"), buttons: part.options };
    case "progress":
      return {
        text: [part.heading, ...part.rows.flatMap(({ title, details }) => [title, details]), part.footer].join("\n"),
        buttons: part.stopToken === undefined ? [] : [{ token: part.stopToken, label: "Stop" }],
      };
  }
}

/** The adapter behind what the outbox does around it: an intent is stored before each call. */
function behindOutbox(adapter: Adapter, gateway: MemoryGateway): Adapter {
  const at = (thread: Parameters<Adapter["send"]>[0], key: string) =>
    gateway.of(thread).findIndex((entry) => entry.type === "post" && entry.nonce === key);
  return {
    ...adapter,
    send(thread, part, nonce) {
      gateway.of(thread).push({ type: "post", at: Date.now(), post: null, nonce, part });
      return adapter.send(thread, part, nonce);
    },
    edit(thread, post, part) {
      const index = at(thread, post);
      if (index >= 0) gateway.of(thread)[index] = { type: "post", at: Date.now(), post, nonce: post, part };
      return adapter.edit(thread, post, part);
    },
    remove(thread, post) {
      gateway.of(thread).splice(at(thread, post), 1);
      return adapter.remove(thread, post);
    },
  };
}

adapterContract(async () => {
  const gateway = createMemoryGateway();
  const page = await startPage({ gateway });
  onTestFinished(() => page.close());
  const { adapter, origin } = page;
  const headers = await page.enter();
  const thread = threadKey(`web:${randomUUID()}`);
  let refusals = 0;
  gateway.answerWith(() => {
    if (refusals-- > 0) throw new Error("the store refuses");
    return { accepted: true };
  });

  const address = `${origin}/api/threads/${encodeURIComponent(thread)}`;
  const shown = async () => {
    const { entries } = threadSchema.parse(await (await fetch(address, { headers })).json());
    return entries.flatMap(({ type, part }) => (type === "shown" ? [draw(partSchema.parse(part))] : []));
  };
  /** The page posts the same event again while the server says that it is worth it. */
  const post = async (event: Readonly<Record<string, unknown>>): Promise<void> => {
    const response = await fetch(`${address}/events`, {
      method: "POST",
      headers: { ...headers, origin, "content-type": "application/json" },
      body: JSON.stringify(event),
    });
    if (response.status >= 500) return post(event);
    if (!response.ok) throw new Error(`Expected the page to take the event, got ${response.status}.`);
  };

  return {
    adapter: behindOutbox(adapter, gateway),
    inbound: gateway.events,
    thread,
    refuseOnce: () => void (refusals = 1),
    say: (text) => post({ type: "message", id: randomUUID(), text, files: [] }),
    press: async (label) => {
      const found = (await shown()).flatMap(({ buttons }) => buttons).find((one) => one.label === label);
      if (!found) throw new Error(`Expected a button "${label}" on the page, found none.`);
      await post({ type: "press", id: randomUUID(), token: found.token });
    },
    shown: async () =>
      (await shown()).map(({ text, buttons }) => ({ text, buttons: buttons.map(({ label }) => label) })),
  };
});
