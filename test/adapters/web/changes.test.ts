import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { threadKey } from "../../../gateway/contract.ts";
import { type Running, startPage } from "./memory-gateway.ts";
import { aProgress, aReply } from "./views.ts";

let page: Running;
let headers: Record<string, string>;
beforeAll(async () => {
  page = await startPage();
  headers = await page.enter();
});
afterAll(() => page.close());
const newThread = () => threadKey(`web:${crypto.randomUUID()}`);

/** Changes as they come, one at a time. */
async function follow() {
  const stop = new AbortController();
  const response = await fetch(`${page.origin}/api/changes`, { headers, signal: stop.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const changes = read(response);
  return { next: async () => (await changes.next()).value, close: () => stop.abort() };
}
async function* read({ body }: Response): AsyncGenerator<Record<string, unknown>> {
  let rest = "";
  for await (const chunk of body ?? []) {
    const blocks = (rest + new TextDecoder().decode(chunk)).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.startsWith("data: ")) yield JSON.parse(block.slice(6)) as Record<string, unknown>;
    }
  }
}

describe("the stream of changes", () => {
  it("tells what is shown, edited and removed, each by its key and with a rising revision", async () => {
    const { next, close } = await follow();
    const thread = newThread();
    const post = await page.gateway.show(page.adapter, thread, "progress:1", aProgress());
    await page.gateway.show(page.adapter, thread, "progress:1", aProgress({ state: "done" }));
    await page.gateway.remove(page.adapter, thread, "progress:1", post);
    await page.adapter.presence(thread, true);
    const [shown, edited, removed, presence] = [await next(), await next(), await next(), await next()];
    expect(shown).toMatchObject({ type: "shown", thread, key: "progress:1", part: { state: "working" } });
    expect(edited).toMatchObject({ type: "shown", thread, key: "progress:1", part: { state: "done" } });
    expect(removed).toMatchObject({ type: "removed", thread, key: "progress:1" });
    expect(presence).toMatchObject({ type: "presence", thread, on: true, forMs: 10_000 });
    expect(Number(edited?.["revision"])).toBeGreaterThan(Number(shown?.["revision"]));
    close();
  });

  it("tells a message that was taken in, and none that was refused", async () => {
    const { next, close } = await follow();
    const thread = newThread();
    const send = (text: string) =>
      fetch(`${page.origin}/api/threads/${thread}/events`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ type: "message", id: crypto.randomUUID(), text, files: [] }),
      });
    page.gateway.answerWith(() => ({ accepted: false }));
    await send("refused");
    page.gateway.answerWith(() => ({ accepted: true }));
    await send("taken");
    expect(await next()).toMatchObject({ type: "said", thread, text: "taken" });
    close();
  });

  it("tells that a thread was deleted, and loads nothing of it any more", async () => {
    const { next, close } = await follow();
    const thread = newThread();
    await page.gateway.show(page.adapter, thread, "reply:1", aReply("hello"));
    page.gateway.delete(thread);
    const shown = await next();
    const deleted = await next();
    expect(deleted).toMatchObject({ type: "deleted", thread });
    expect(Number(deleted?.["revision"])).toBeGreaterThan(Number(shown?.["revision"]));
    const loaded = await (await fetch(`${page.origin}/api/threads/${thread}`, { headers })).json();
    expect(loaded).toEqual({ revision: deleted?.["revision"], entries: [] });
    close();
  });

  it("a send between subscribing and loading is in both, under one key, and the load says it is as new", async () => {
    const { next, close } = await follow();
    const thread = newThread();
    await page.gateway.show(page.adapter, thread, "reply:1", aReply("hello"));
    const loaded = (await (await fetch(`${page.origin}/api/threads/${thread}`, { headers })).json()) as {
      revision: number;
      entries: { key: string }[];
    };
    const change = await next();
    expect(loaded.entries.map(({ key }) => key)).toEqual([change?.["key"]]);
    expect(loaded.revision).toBe(change?.["revision"]);
    close();
  });

  it("sends the path of a file to nobody", async () => {
    const { next, close } = await follow();
    const file = { type: "file", path: "/secret/a.csv", name: "a.csv", mime: "text/csv", sizeBytes: 1 } as const;
    await page.gateway.show(page.adapter, newThread(), "file:1", file);
    expect(JSON.stringify(await next())).not.toContain("/secret");
    close();
  });

  it("the same post twice is the same post, and is always found", async () => {
    const thread = newThread();
    const [part] = page.adapter.render(aReply("x"));
    if (!part) throw new Error("Expected a part.");
    const first = await page.adapter.send(thread, part, "reply:9");
    expect(await page.adapter.send(thread, part, "reply:9")).toEqual(first);
    expect(await page.adapter.find(thread, part, "reply:9", 0, () => false)).toEqual(first);
  });

  it("ends when the adapter stops", async () => {
    const other = await startPage();
    const response = await fetch(`${other.origin}/api/changes`, { headers: await other.enter() });
    const ended = response.text();
    await other.adapter.stop();
    expect(await ended).toBe("retry: 1000\n\n");
    await other.close();
  });
});
