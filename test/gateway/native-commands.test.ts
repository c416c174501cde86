/** What comes by a platform's own commands, in no thread or seen by nobody. */
import { describe, expect, it } from "vitest";
import { type Adapter, type InboundOf, placeKey, threadKey } from "../../gateway/contract.ts";
import { createMemoAdapter, createMemoServer } from "../memo-platform.ts";
import { bob, event, groupPlace, message, until } from "../helpers.ts";
import { asks, choice, echo, hangs, start } from "./bench.ts";

const inGroup = { place: groupPlace, thread: threadKey("memo:g:1?") };
const asked = (text: string, over: Partial<InboundOf<"message">> = {}) =>
  message(text, { ...inGroup, mentionsBot: true, topLevel: true, unseen: true, ...over });
const called = (name: string, over: object = {}) =>
  event({ type: "command", name, args: "", topLevel: true, ...inGroup, thread: threadKey("memo:g"), ...over });

describe("a request that came by a command", () => {
  it("is shown first, quoted and named; that post opens the thread, and the answer stands in it", async () => {
    const { gateway, server, store } = start(echo);
    await gateway.deliver(asked("what is this?"));
    await until("request and reply", () => server.posts.length === 2);
    const [request, answer] = server.posts;
    expect(request?.text).toBe("Ana asked: what is this?");
    expect(answer?.text).toBe("what is this?");
    expect(answer?.thread).toBe(`memo:g:1:${request?.ref}`);
    expect(await store.busyThreads()).toEqual([]);
  });

  it("is gone on with by what is written in that thread", async () => {
    const { gateway, server, inputs } = start(echo);
    await gateway.deliver(asked("one"));
    await until("the reply", () => server.posts.length === 2);
    const thread = threadKey(`memo:g:1:${server.posts[0]?.ref}`);
    await gateway.deliver(message("two", { ...inGroup, thread }));
    await until("the second reply", () => server.posts.length === 3);
    expect(server.posts[2]?.thread).toBe(thread);
    expect(new Set(inputs.map((input) => input.threadId)).size).toBe(1);
  });

  it("owns the thread that its post opened, also if somebody mentioned the bot there before the receipt", async () => {
    const server = createMemoServer();
    const send: Adapter["send"] = async (thread, part, nonce) => {
      const sent = await createMemoAdapter(server).send(thread, part, nonce);
      const there = { ...inGroup, thread: sent.thread ?? thread };
      if (sent.thread) await gateway.deliver(message("quick", { ...there, mentionsBot: true }));
      return sent;
    };
    const { gateway, inputs } = start(echo, { server, adapter: { send } });
    // Several: of two equal ones a database may give either.
    for (let round = 1; round <= 6; round += 1) {
      const posts = () => server.posts.filter(({ thread }) => thread.startsWith(`memo:g:r${round}`));
      await gateway.deliver(asked(`one ${round}`, { thread: threadKey(`memo:g:r${round}?`) }));
      await until("request and two replies", () => posts().length === 3);
      const thread = threadKey(`memo:g:r${round}:${posts()[0]?.ref}`);
      await gateway.deliver(message("two", { ...inGroup, thread, mentionsBot: true }));
      await until("the next reply", () => posts().length === 4);
      const first = inputs.find((input) => input.type === "messages" && input.messages[0]?.text === `one ${round}`);
      expect(inputs.at(-1)?.threadId).toBe(first?.threadId);
    }
  });

  it("opens its thread once, also when the answer to the opening post was lost", async () => {
    const server = createMemoServer();
    server.searchable = true;
    server.faults.push({ call: "send", code: "unknown_outcome", done: true, times: 1 });
    const { gateway, clock } = start(echo, { server });
    await gateway.deliver(asked("one"));
    await until("the opening post", () => server.posts.length === 1);
    await clock.advance(5000);
    await until("the reply", () => server.posts.length === 2);
    expect(server.posts[1]?.thread).toBe(`memo:g:1:${server.posts[0]?.ref}`);
  });

  it("waits while somebody else is asked, and is shown all the same", async () => {
    const { gateway, server } = start(asks(choice("i1")));
    await gateway.deliver(message("paint it"));
    await until("the question", () => server.posts.length === 1);
    await gateway.deliver(message("make it green", { author: bob, unseen: true }));
    await until("request and notice", () => server.posts.length === 3);
    expect(server.posts.map((post) => post.text)).toContain("Bob asked: make it green");
  });
});

describe("a request that came by a command", () => {
  it("is never a command or an answer itself, whatever its words are", async () => {
    const { gateway, server, inputs } = start(asks(choice("i1")));
    await gateway.deliver(asked("/stop"));
    await until("the question", () => server.posts.length === 2);
    const thread = threadKey(`memo:g:1:${server.posts[0]?.ref}`);
    await gateway.deliver(message("blue", { ...inGroup, thread, unseen: true, mentionsBot: true }));
    await until("request and notice", () => server.posts.length === 4);
    expect(server.posts.map((post) => post.text)).toContain("Ana asked: blue");
    expect(inputs).toHaveLength(1);
  });

  it("where the bot may not write tells its author alone what to do, after asking who that is", async () => {
    const over = { cannotPost: "Invite me first." };
    const open = start(echo);
    expect(await open.gateway.deliver(asked("hi", over))).toMatchObject({ reply: { text: "Invite me first." } });
    expect(open.inputs).toEqual([]);
    const closed = start(echo, { policy: { access: { mode: "approved", places: [], users: [], admins: [] } } });
    expect(await closed.gateway.deliver(asked("hi", over))).toMatchObject({
      reply: { text: expect.stringContaining("access.places") },
    });
  });
});

describe("a command in no thread", () => {
  it.each(["help", "status", "new"])("/%s is answered to the caller alone, and shows nothing", async (name) => {
    const { gateway, server } = start(echo);
    const { reply } = await gateway.deliver(called(name));
    expect(reply).toMatchObject({ type: "notice", text: expect.stringMatching(/\S/) });
    expect(server.calls).toEqual([]);
  });

  it("/stop ends the caller's run in that place, not another's, and says so in its thread too", async () => {
    const { gateway, server, inputs } = start(hangs);
    await gateway.deliver(asked("Ana's work"));
    await gateway.deliver(asked("Bob's work", { author: bob, thread: threadKey("memo:g:2?") }));
    await until("two runs", () => inputs.length === 2);
    expect(await gateway.deliver(called("stop"))).toMatchObject({ reply: { type: "notice", text: "Stopped." } });
    await until("the notice", () => server.posts.some((post) => post.text === "Stopped."));
    expect(server.posts.find((post) => post.text === "Stopped.")?.thread).toContain("memo:g:1");
    const carol = { id: "carol", name: "Carol", isBot: false };
    expect(await gateway.deliver(called("stop", { author: carol }))).toMatchObject({
      reply: { text: "Nothing of yours is running here." },
    });
  });

  it("/stop typed at the top of a chat ends the author's run there, and tells the author", async () => {
    const { gateway, server, inputs } = start(hangs);
    await gateway.deliver(asked("work"));
    await until("the run", () => inputs.length === 1);
    const typed = message("/stop", { ...inGroup, thread: threadKey("memo:g:9"), mentionsBot: true, topLevel: true });
    expect(await gateway.deliver(typed)).toMatchObject({ reply: { text: "Stopped." } });
    await until("the notice", () => server.posts.some((post) => post.text === "Stopped."));
    expect(server.posts.find((post) => post.text === "Stopped.")?.thread).toContain("memo:g:1");
  });

  it("is refused each time, since only the caller sees it", async () => {
    const { gateway } = start(echo, { policy: { access: { mode: "approved", places: [], users: [], admins: [] } } });
    for (const again of [1, 2])
      expect(await gateway.deliver(called("help")), String(again)).toMatchObject({
        accepted: false,
        reply: { text: expect.stringContaining("access.places") },
      });
  });
});

describe("a direct message at top level", () => {
  const dm = { place: { key: placeKey("memo:D1"), type: "direct", id: "D1" }, topLevel: true } as const;
  const top = (text: string, n: number) => message(text, { ...dm, thread: threadKey(`memo:D1:${n}`) });

  it("opens a thread of its own each time", async () => {
    const { gateway, server } = start(echo);
    await gateway.deliver(top("one", 1));
    await gateway.deliver(top("two", 2));
    await until("two replies", () => server.posts.length === 2);
    expect(server.posts.map((post) => post.thread).toSorted()).toEqual(["memo:D1:1", "memo:D1:2"]);
  });

  it("answers what the newest thread there asks, and opens one when nothing is asked", async () => {
    const { gateway, server } = start(asks(choice("i1")));
    await gateway.deliver(top("paint it", 1));
    await until("the question", () => server.posts.length === 1);
    await gateway.deliver(top("blue", 2));
    await until("the reply", () => server.posts.some((post) => post.text.startsWith("got")));
    const answer = server.posts.find((post) => post.text.startsWith("got"));
    expect(answer?.thread).toBe("memo:D1:1");
    expect(answer?.text).toContain("option-2");
    await gateway.deliver(top("once more", 3));
    await until("the next question", () => server.posts.some((post) => post.thread === "memo:D1:3"));
  });
});

describe("access `workspace`", () => {
  const policy = { access: { mode: "workspace", places: ["g2"], users: ["guest"], admins: [] } } as const;
  const by = (id: string, member?: boolean) => ({
    author: { id, name: id, isBot: false, ...(member !== undefined && { member }) },
  });

  it("lets members in, and of others only who or what is listed", async () => {
    const { say } = start(echo, { policy });
    expect(await say("hi", by("ana", true))).toMatchObject({ accepted: true });
    expect(await say("hi", by("guest", false))).toMatchObject({ accepted: true });
    expect(await say("hi", by("stranger", false))).toMatchObject({
      accepted: false,
      reply: { text: expect.stringContaining('add "stranger" to platforms.memo.access.users') },
    });
    const listed = { ...groupPlace, id: "g2" };
    expect(await say("hi", { ...by("stranger", false), place: listed, mentionsBot: true })).toMatchObject({
      accepted: true,
    });
  });
});

describe("!name", () => {
  it("is the same as /name, since some platforms let nobody type a slash in a thread", async () => {
    const { say, texts, inputs } = start(echo);
    await say("!help");
    await until("the help", () => texts().join("").includes("`/stop`"));
    expect(inputs).toEqual([]);
    await say("!important: read this");
    await until("a run", () => inputs.length === 1);
  });
});
