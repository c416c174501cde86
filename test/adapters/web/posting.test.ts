import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AdapterError, threadKey } from "../../../gateway/contract.ts";
import { createMemoryGateway, type Running, startPage } from "./memory-gateway.ts";
import { aForm, aReply } from "./views.ts";

let page: Running;
let headers: Record<string, string>;
beforeAll(async () => {
  page = await startPage({ gateway: createMemoryGateway() });
  headers = { ...(await page.enter()), "content-type": "application/json" };
});
afterAll(() => page.close());
beforeEach(() => {
  page.gateway.answerWith(() => ({ accepted: true }));
  page.gateway.events.length = 0;
});

const newThread = () => threadKey(`web:${crypto.randomUUID()}`);
const post = async (thread: string, event: unknown) => {
  const url = `${page.origin}/api/threads/${encodeURIComponent(thread)}/events`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(event) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const aMessage = (text: string) => ({ type: "message", id: crypto.randomUUID(), text, files: [] });
const open = async (thread: string) =>
  (await fetch(`${page.origin}/api/threads/${encodeURIComponent(thread)}`, { headers })).json();

describe("what the page posts", () => {
  it("is delivered as a message of the one owner, in a place that only they read", async () => {
    const thread = newThread();
    const message = aMessage("hello");
    expect(await post(thread, message)).toEqual({ status: 200, body: { accepted: true } });
    expect(page.gateway.events).toMatchObject([
      {
        type: "message",
        platform: "web",
        account: "local",
        eventId: `message:${message.id}`,
        place: { key: "web", type: "direct", id: "web" },
        thread,
        author: { id: "owner", isBot: false },
        post: message.id,
        text: "hello",
        mentionsBot: true,
        files: [],
      },
    ]);
  });

  it("is the same message when it is tried again", async () => {
    const thread = newThread();
    const message = aMessage("once");
    await Promise.all([post(thread, message), post(thread, message)]);
    await post(thread, message);
    expect(page.gateway.events).toHaveLength(1);
    expect(await open(thread)).toMatchObject({ entries: [{ type: "said", key: message.id, text: "once" }] });
  });

  it("carries presses and forms to the gateway with their token", async () => {
    const thread = newThread();
    await post(thread, { type: "press", id: crypto.randomUUID(), token: "t-1" });
    await post(thread, { type: "form", id: crypto.randomUUID(), token: "t-2", values: { a: 1, b: ["x"], c: true } });
    expect(page.gateway.events).toMatchObject([
      { type: "press", token: "t-1" },
      { type: "form", token: "t-2", values: { a: 1, b: ["x"], c: true } },
    ]);
  });

  it("brings back what the gateway says to that person alone", async () => {
    const press = { type: "press", id: crypto.randomUUID(), token: "t-1" };
    const replies = [
      { type: "notice", text: "It is sam who is asked." },
      { type: "invalid", errors: { who: "Too short." } },
      { type: "form", form: aForm },
    ] as const;
    for (const reply of replies) {
      page.gateway.answerWith(() => ({ accepted: false, reply }));
      expect((await post(newThread(), press)).body).toEqual({ accepted: false, reply });
    }
  });

  it("is told why it may not come in just now", async () => {
    const why = "The disk of the data folder is nearly full.";
    page.gateway.answerWith(() => Promise.reject(new AdapterError("unavailable", why)));
    expect(await post(newThread(), aMessage("hello"))).toEqual({ status: 503, body: { error: why } });
  });

  it("is not acknowledged when the store refuses it", async () => {
    page.gateway.answerWith(() => Promise.reject(new Error("disk full at /secret/path")));
    const { status, body } = await post(newThread(), aMessage("x"));
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain("/secret/path");
  });

  it.each([
    ["a thread that is none of ours", "telegram:1", aMessage("x"), 404],
    ["a thread key with more behind it", `web:${crypto.randomUUID()}/x`, aMessage("x"), 404],
    ["no JSON", newThread(), undefined, 400],
    ["an unknown type", newThread(), { type: "edited", id: crypto.randomUUID() }, 400],
    ["an unknown key", newThread(), { ...aMessage("x"), author: { id: "root" } }, 400],
    ["an id that is none", newThread(), { ...aMessage("x"), id: "1" }, 400],
    ["a token that is too long", newThread(), { type: "press", id: crypto.randomUUID(), token: "x".repeat(17) }, 400],
  ])("is refused with %s", async (_what, thread, event, status) => {
    const url = `${page.origin}/api/threads/${encodeURIComponent(thread)}/events`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(event) ?? "{" });
    expect(response.status).toBe(status);
    expect(page.gateway.events).toEqual([]);
  });
});

describe("a message longer than anyone writes", () => {
  it("is refused before it is read", async () => {
    const other = await startPage();
    const url = `${other.origin}/api/threads/${newThread()}/events`;
    const body = JSON.stringify(aMessage("x".repeat(3_000_000)));
    const cookie = await other.enter();
    const response = await fetch(url, { method: "POST", headers: { ...headers, ...cookie }, body });
    expect(response.status).toBe(413);
    expect(other.gateway.events).toEqual([]);
    await other.close();
  });
});

describe("what the page loads", () => {
  it("lists the threads with title, time and state", async () => {
    const thread = newThread();
    await post(thread, aMessage("my title"));
    page.gateway.setState(thread, "waiting");
    const { threads } = (await (await fetch(`${page.origin}/api/threads`, { headers })).json()) as {
      threads: unknown[];
    };
    expect(threads).toContainEqual({ thread, title: "my title", updatedAt: expect.any(Number), state: "waiting" });
  });

  it("opens a thread with what was said and shown, in order", async () => {
    const thread = newThread();
    await post(thread, aMessage("hi"));
    await page.gateway.show(page.adapter, thread, "reply:1", aReply("hello"));
    expect(await open(thread)).toMatchObject({
      revision: expect.any(Number),
      entries: [
        { type: "said", text: "hi" },
        { type: "shown", key: "reply:1", part: { type: "reply", html: '<p dir="auto">hello</p>' } },
      ],
    });
  });

  it("tells the lead what was said before, without cards", async () => {
    const thread = newThread();
    const last = aMessage("and now?");
    await post(thread, aMessage("hi"));
    await page.gateway.show(page.adapter, thread, "reply:1", aReply("**hello**"));
    await page.gateway.show(page.adapter, thread, "n", { type: "notice", markdown: "quiet", tone: "info" });
    await post(thread, last);
    const [entry] = page.gateway.of(thread).filter((one) => one.post === last.id);
    if (!entry?.post) throw new Error("Expected the message to be stored.");
    const name = expect.any(String);
    expect(await page.adapter.history(thread, entry.post, 20)).toEqual([
      { author: name, text: "hi", byBot: false },
      { author: "local page", text: "**hello**", byBot: true },
    ]);
    expect(await page.adapter.history(thread, entry.post, 1)).toMatchObject([{ text: "**hello**" }]);
  });

  it("says whether it flows, and takes nothing in after the stop", async () => {
    const other = await startPage();
    const cookie = await other.enter();
    expect(other.adapter.health()).toEqual({ connected: true });
    await other.adapter.stop();
    expect(other.adapter.health()).toEqual({ connected: false });
    expect((await fetch(other.origin, { headers: cookie })).status).toBe(503);
    await other.close();
  });
});
