import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentEvent, Clarification, LeadAgent, RunInput } from "../../agent/contract.ts";
import { type Adapter, AdapterError, type Inbound } from "../../gateway/contract.ts";
import type { PlatformPolicy } from "../../gateway/policy.ts";
import { createGateway } from "../../gateway/gateway.ts";
import type { Store } from "../../store/gateway-store.ts";
import { executionId, type TaskSnapshot } from "../../subagents/contract.ts";
import {
  bob,
  createClock,
  event,
  groupPlace,
  type HandClock,
  message,
  press,
  silentLog,
  tempFolder,
  tempStore,
  until,
} from "../helpers.ts";
import { createMemoAdapter, createMemoServer, type MemoServer } from "../memo-platform.ts";

type Script = (input: RunInput, signal: AbortSignal) => AsyncIterable<AgentEvent>;

const OPEN: PlatformPolicy = {
  trusted: false,
  access: { mode: "open", places: [], users: [], admins: [] },
  follow: "thread",
  answerers: "asker",
};

/** A gateway over a real store and the memo platform, with an agent that plays a script. */
function start(
  script: Script,
  options: {
    store?: Store;
    server?: MemoServer;
    clock?: HandClock;
    policy?: Partial<PlatformPolicy>;
    /** The platform is not enabled. */
    off?: boolean;
    adapter?: Partial<Adapter>;
  } = {},
) {
  const clock = options.clock ?? createClock();
  const store = options.store ?? tempStore(clock).store;
  const server = options.server ?? createMemoServer();
  const inputs: RunInput[] = [];
  const agent: LeadAgent = {
    defaultModel: "Model",
    run(input, signal) {
      inputs.push(input);
      return script(input, signal);
    },
  };
  const folder = path.join(tempFolder(), "threads");
  mkdirSync(folder);
  const gateway = createGateway({
    store,
    agent,
    adapters: new Map(options.off ? [] : [["memo", { ...createMemoAdapter(server), ...options.adapter }]]),
    policy: { platforms: { memo: { ...OPEN, ...options.policy } }, idleResetMs: 86_400_000, model: "Model" },
    clock,
    log: silentLog,
    input: { threadsFolder: folder, timezone: "UTC" },
  });
  onTestFinished(() => gateway.stop());
  const texts = () => server.posts.map((post) => post.text);
  const say = (text: string, over = {}) => gateway.deliver(message(text, over));
  return { gateway, store, server, clock, inputs, texts, say };
}

async function* reply(text: string): AsyncGenerator<AgentEvent> {
  yield { type: "started", model: "Model" };
  yield { type: "text", markdown: text };
  yield { type: "end", outcome: "done" };
}
const echo: Script = (input) =>
  reply(
    input.type === "messages" ? input.messages.map((one) => one.text).join("+") : JSON.stringify(input.byInterrupt),
  );

const choice = (interruptId: string, question = "Which?"): Clarification => ({
  type: "clarification",
  interruptId,
  requestId: `clarification:${interruptId}`,
  clarificationType: "approach_choice",
  question,
  input: {
    type: "choice_with_other",
    options: [
      { id: "option-1", label: "Red", value: "red" },
      { id: "option-2", label: "Blue", value: "blue" },
    ],
  },
});
const asks = (...questions: Clarification[]): Script =>
  async function* (input) {
    yield { type: "started", model: "Model" };
    if (input.type === "answers") return yield* reply(`got ${JSON.stringify(input.byInterrupt)}`);
    for (const request of questions) yield { type: "question", request };
    yield { type: "end", outcome: "waiting" };
  };
const task = (state: TaskSnapshot["state"], total?: number): TaskSnapshot => ({
  taskId: "call_1",
  executionId: executionId("x1"),
  description: "look it up",
  subagent: "researcher",
  model: "Small",
  state,
  calls: total === undefined ? 0 : 1,
  steps: 1,
  startedAt: 0,
  ...(total !== undefined && { usage: { input: total, output: 0, total } }),
});

describe("a message", () => {
  it("gets exactly one reply", async () => {
    const { say, texts } = start(echo);
    await say("hello");
    await until("the reply", () => texts().length === 1);
    expect(texts()).toEqual(["hello"]);
  });

  it("that is delivered twice is one run, also after a restart", async () => {
    const { gateway, texts, inputs, store } = start(echo);
    const event = message("hello");
    await gateway.deliver(event);
    await gateway.deliver(event);
    await until("the reply", () => texts().length === 1);
    const again = start(echo, { store });
    expect(await again.gateway.deliver(event)).toEqual({ accepted: true });
    expect(inputs).toHaveLength(1);
    expect(again.inputs).toHaveLength(0);
  });

  it("ORD-01: that comes during a run waits, and what one author wrote in a row is one turn", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const script: Script = async function* (input) {
      await held;
      yield* echo(input, new AbortController().signal);
    };
    const { say, texts, inputs } = start(script);
    await say("one");
    await until("the first run", () => inputs.length === 1);
    await say("two");
    await say("three");
    await say("four", { author: bob });
    release();
    await until("three replies", () => texts().length === 3);
    expect(texts()).toEqual(["one", "two+three", "four"]);
    expect(inputs.map((input) => input.principal.name)).toEqual(["Ana", "Ana", "Bob"]);
  });

  it("edited before its turn runs with the latest text; deleted it does not run", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { gateway, say, texts, inputs } = start(async function* (input, signal) {
      await held;
      yield* echo(input, signal);
    });
    await say("first");
    await until("the first run", () => inputs.length === 1);
    const [edited, deleted] = [message("old"), message("never")];
    for (const one of [edited, deleted]) await gateway.deliver(one);
    await gateway.deliver(event({ type: "edited", target: edited.post, text: "new", files: [] }));
    await gateway.deliver(event({ type: "deleted", target: deleted.post }));
    release();
    await until("two replies", () => texts().length === 2);
    expect(texts()).toEqual(["first", "new"]);
  });

  it("UED-01: edited after it was answered starts nothing", async () => {
    const { gateway, texts, inputs } = start(echo);
    const first = message("hello");
    await gateway.deliver(first);
    await until("the reply", () => texts().length === 1);
    await gateway.deliver(event({ type: "edited", target: first.post, text: "hello again", files: [] }));
    expect(inputs).toHaveLength(1);
  });

  it("LOOP-01: of a bot starts nothing, also one that mentions us", async () => {
    const { say, inputs } = start(echo);
    const { accepted } = await say("@bot hi", { author: { id: "bot", name: "bot", isBot: true }, mentionsBot: true });
    expect(accepted).toBe(false);
    expect(inputs).toHaveLength(0);
  });

  it("MENT-07: with nothing but a mention gets help, not a run", async () => {
    const { say, texts, inputs } = start(echo);
    await say("", { mentionsBot: true });
    await until("help", () => texts().length > 0);
    expect(texts().join("")).toContain("/stop");
    expect(inputs).toHaveLength(0);
  });

  it("that begins like a command and names none is ordinary text, whatever the word", async () => {
    const { say, texts } = start(echo);
    for (const text of ["/constructor", "/unknown x"]) {
      await say(text);
      await until("the reply", () => texts().includes(text));
    }
  });

  it("of others in a thread of the bot is context for the next turn and starts none", async () => {
    const { say, texts, inputs } = start(echo);
    await say("@bot first", { place: groupPlace, mentionsBot: true });
    await until("the reply", () => texts().length === 1);
    await say("I think 42", { place: groupPlace, author: bob });
    await say("@carl what do you say", { place: groupPlace, addressesOther: true });
    await say("and now?", { place: groupPlace });
    await until("the second reply", () => texts().length === 2);
    const [, second] = inputs;
    expect(second?.type === "messages" && second.messages.map(({ type, text }) => [type, text])).toEqual([
      ["context", "I think 42"],
      ["context", "@carl what do you say"],
      ["request", "and now?"],
    ]);
  });

  it("not addressed to the bot, where it has no thread, is not stored at all", async () => {
    const { say, store } = start(echo);
    expect(await say("just talking", { place: groupPlace })).toEqual({ accepted: false });
    expect(await store.busyThreads()).toEqual([]);
  });
});

describe("access", () => {
  const approved = { access: { mode: "approved", places: ["g"], users: ["ana"], admins: [] } } as const;

  it("names the id to allow, and says so once, not at every message", async () => {
    const { say, inputs } = start(echo, { policy: approved });
    const refused = await say("hi", { author: bob });
    expect(refused).toMatchObject({
      accepted: false,
      reply: { type: "notice", text: expect.stringContaining('"bob"') },
    });
    expect(await say("hi again", { author: bob })).toEqual({ accepted: false });
    expect(inputs).toHaveLength(0);
  });

  it("says a refusal of commands seldom too, but the refusal of a known person's /stop each time", async () => {
    const { gateway, say } = start(asks(choice("i1")), { policy: approved });
    const command = () => ({ ...event({ type: "command", name: "start", args: "" }), author: bob });
    expect(await gateway.deliver(command())).toHaveProperty("reply");
    expect(await gateway.deliver(command())).not.toHaveProperty("reply");
    await say("@bot paint it", { place: groupPlace, mentionsBot: true });
    for (let time = 1; time <= 2; time += 1) {
      const stop = await say("/stop", { author: bob, place: groupPlace, mentionsBot: true });
      expect(stop).toMatchObject({ accepted: false, reply: { text: expect.stringContaining("Only the person") } });
    }
  });

  it("lets in who is listed, and everyone in a listed place", async () => {
    const { say } = start(echo, { policy: approved });
    expect(await say("hi")).toEqual({ accepted: true });
    expect(await say("@bot hi", { author: bob, place: groupPlace, mentionsBot: true })).toEqual({ accepted: true });
  });

  it("makes the sender of the first admin's code an admin, once", async () => {
    const { say, store, texts } = start(echo, { policy: approved });
    const code = store.adminCode() ?? "";
    await say(code, { author: bob });
    await until("the welcome", () => texts().some((text) => text.includes("admin")));
    expect(store.adminCode()).toBeUndefined();
    expect(await say("hi", { author: bob })).toEqual({ accepted: true });
    expect(await say(code, { author: { id: "carl", name: "Carl", isBot: false } })).toMatchObject({ accepted: false });
  });
});

describe("a question", () => {
  it("is answered by a press with the stored value, and its buttons go", async () => {
    const { gateway, say, server, texts } = start(asks(choice("i1")));
    await say("paint it");
    const post = await until("the question", () => server.posts.find((one) => one.buttons.length === 2));
    await gateway.deliver(press(post.buttons[1] ?? ""));
    await until("the reply", () => texts().some((text) => text.startsWith("got")));
    expect(texts()).toEqual([
      "🔀 Which? = Blue (Ana)",
      'got {"i1":{"type":"option","optionId":"option-2","value":"blue"}}',
    ]);
    expect(post.buttons).toEqual([]);
  });

  it.each([["2"], ["blue"], ["2."]])("is answered by typing %s", async (typed) => {
    const { say, server, texts } = start(asks(choice("i1")));
    await say("paint it");
    await until("the question", () => server.posts.length === 1);
    await say(typed);
    await until("the reply", () => texts().some((text) => text.includes('"value":"blue"')));
  });

  it("BTN-11: is answered by free words, with one resume and no fresh run", async () => {
    const { say, server, texts, inputs } = start(asks(choice("i1")));
    await say("paint it");
    await until("the question", () => server.posts.length === 1);
    await say("the second, but lighter");
    await until("the reply", () =>
      texts().some((text) => text.includes("the second, but lighter") && text.startsWith("got")),
    );
    expect(inputs.map((input) => input.type)).toEqual(["messages", "answers"]);
  });

  it("refuses a foreign and a second press privately and changes nothing", async () => {
    const { gateway, say, server, texts, inputs } = start(asks(choice("i1")));
    await say("paint it");
    const post = await until("the question", () => server.posts.find((one) => one.buttons.length === 2));
    const token = post.buttons[0] ?? "";
    expect(await gateway.deliver(press(token, { author: bob }))).toMatchObject({
      accepted: false,
      reply: { text: "This question is for Ana." },
    });
    await gateway.deliver(press(token));
    expect(await gateway.deliver(press(token))).toMatchObject({
      accepted: false,
      reply: { text: "This has already been answered." },
    });
    await until("the reply", () => texts().length === 2);
    expect(inputs).toHaveLength(2);
  });

  it("lets a colleague's words wait, tells them once who is awaited, and takes them up afterwards", async () => {
    const { gateway, say, server, texts } = start(async function* (input, signal) {
      const first = input.type === "messages" && input.messages[0]?.text === "paint it";
      yield* first || input.type === "answers" ? asks(choice("i1"))(input, signal) : echo(input, signal);
    });
    await say("paint it");
    const post = await until("the question", () => server.posts.find((one) => one.buttons.length === 2));
    await say("make it green", { author: bob });
    await say("please", { author: bob });
    await until("the notice", () => texts().some((text) => text.includes("waiting for an answer from Ana")));
    expect(texts().filter((text) => text.includes("waiting for an answer"))).toHaveLength(1);
    await gateway.deliver(press(post.buttons[0] ?? ""));
    await until("Bob's turn", () => texts().includes("make it green+please"));
  });

  it("BTN-04: outlives a restart", async () => {
    const clock = createClock();
    const { store, reopen } = tempStore(clock);
    const before = start(asks(choice("i1")), { store, clock });
    await before.say("paint it");
    const post = await until("the question", () => before.server.posts.find((one) => one.buttons.length === 2));
    await before.gateway.stop();
    const after = start(asks(choice("i1")), { store: reopen().store, server: before.server, clock });
    await after.gateway.recover();
    await after.gateway.deliver(press(post.buttons[1] ?? ""));
    await until("the reply", () => after.texts().some((text) => text.startsWith("got")));
    expect(post.text).toContain("= Blue (Ana)");
    expect(after.texts()).toHaveLength(2);
  });

  it("AGT-03: asked together with another keeps its own answer, and the run goes on when both are there", async () => {
    const { gateway, say, server, texts, inputs } = start(asks(choice("color", "Color?"), choice("size", "Size?")));
    await say("a shirt");
    await until("both", () => server.posts.filter((one) => one.buttons.length === 2).length === 2);
    const [color, size] = server.posts;
    await gateway.deliver(press(size?.buttons[1] ?? ""));
    await gateway.deliver(press(color?.buttons[0] ?? ""));
    await until("the reply", () => texts().length === 3);
    expect(inputs[1]).toMatchObject({ byInterrupt: { size: { value: "blue" }, color: { value: "red" } } });
    expect(inputs).toHaveLength(2);
  });

  it("BTN-05: a press after /new or /stop is told that it is no longer active", async () => {
    for (const command of ["/new", "/stop"]) {
      const { gateway, say, server, inputs } = start(asks(choice("i1")));
      await say("paint it");
      const post = await until("the question", () => server.posts.find((one) => one.buttons.length === 2));
      const token = post.buttons[0] ?? "";
      await say(command);
      await until("the buttons to go", () => post.buttons.length === 0);
      expect(await gateway.deliver(press(token))).toMatchObject({
        accepted: false,
        reply: { text: "This is no longer active." },
      });
      expect(inputs).toHaveLength(1);
    }
  });

  it("of a kind the model made up has the plain sign, whatever the kind is called", async () => {
    const { say, texts } = start(asks({ ...choice("i1"), clarificationType: "constructor" }));
    await say("paint it");
    await until("the question", () => texts().length === 1);
    expect(texts()[0]).toBe("❓ Which?");
  });

  it("that is still open when its run ends loses its buttons", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { say, server, texts } = start(async function* () {
      yield { type: "started", model: "Model" };
      yield { type: "question", request: choice("i1") };
      await held;
      yield { type: "error", message: "The model failed." };
    });
    await say("paint it");
    const post = await until("the question", () => server.posts.find((one) => one.buttons.length === 2));
    release();
    await until("the buttons to go", () => post.buttons.length === 0);
    await until("the end", () => texts().length === 2);
    expect(texts()).toEqual(["🔀 Which? = closed", "The model failed."]);
  });

  it("whose message was posted twice loses the buttons of both", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "send", code: "unknown_outcome", done: true, times: 1 });
    const { gateway, say, clock } = start(asks(choice("i1")), { server });
    await say("paint it");
    await until("the first copy", () => server.posts.length === 1);
    await clock.advance(1000);
    await until("the second copy", () => server.posts.length === 2);
    const [stray] = server.posts;
    await gateway.deliver(press(stray?.buttons[0] ?? "", stray && { post: stray.ref }));
    await until("no buttons anywhere", () => server.posts.every((post) => post.buttons.length === 0));
    expect(server.posts.filter((post) => post.text.includes("Which?"))).toHaveLength(1);
  });
});

describe("progress", () => {
  const working: Script = async function* (_input, signal) {
    yield { type: "started", model: "Big" };
    yield { type: "task", task: task("running") };
    yield { type: "task", task: task("running", 300) };
    yield { type: "usage", tokens: 300 };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    yield { type: "task", task: task("cancelled", 300) };
    yield { type: "end", outcome: "cancelled" };
  };

  it("/stop cancels the run, ends its card with the tokens used so far, and says so once", async () => {
    const { say, texts, clock } = start(working);
    await say("go");
    await until("the card", () => texts().some((text) => text.includes("Working…")));
    await say("/stop");
    await clock.advance(2000);
    await until("the end", () =>
      texts().some((text) => /Cancelled\n.*look it up: cancelled · researcher · Small · 300 tokens/.test(text)),
    );
    expect(texts().filter((text) => text.startsWith("Stopped"))).toHaveLength(1);
    expect(texts()).toHaveLength(2);
  });

  it("says once that it is stopped, however often it is asked to", async () => {
    const { say, texts, clock } = start(working);
    await say("go");
    await until("the card", () => texts().length === 1);
    await Promise.all([say("/stop"), say("/stop")]);
    await until("the notice", () => texts().includes("Stopped."));
    await clock.advance(1100);
    expect(texts()).toEqual([expect.stringMatching(/^Cancelled/), "Stopped."]);
  });

  it("replaces a card that can no longer be edited, so that none says working for ever", async () => {
    const server = createMemoServer();
    const { say, clock, texts } = start(working, { server });
    await say("go");
    await until("the card", () => server.posts.length === 1);
    server.faults.push({ call: "edit", code: "invalid", times: 1 });
    await clock.advance(1100);
    await say("/stop");
    await until("the notice", () => texts().includes("Stopped."));
    await clock.advance(1100);
    await until("the end of the card", () => texts().some((text) => text.startsWith("Cancelled")));
    expect(texts()).toHaveLength(2);
  });

  it("keeps its pace when the clock is set back", async () => {
    const clock = createClock();
    let back = 0;
    const { say, texts } = start(working, { clock: { ...clock, now: () => clock.now() - back } });
    await say("go");
    await until("the card", () => texts().length === 1);
    back = 3_600_000;
    await say("/stop");
    await clock.advance(1100);
    await until("the end of the card", () => texts().some((text) => text.startsWith("Cancelled")));
  });

  it("has a Stop button that only the asker may press", async () => {
    const { gateway, say, server, texts, clock } = start(working);
    await say("go");
    const card = await until("the card", () => server.posts.find((post) => post.text.includes("Working…")));
    const token = card.buttons[0] ?? "";
    expect(await gateway.deliver(press(token, { author: bob }))).toMatchObject({ accepted: false });
    await gateway.deliver(press(token));
    await clock.advance(2000);
    await until("the end", () => texts().some((text) => text.includes("Cancelled")));
    expect(card.buttons).toEqual([]);
  });

  it("EDIT-07: shows the last state of a burst without any further event, and only the newest", async () => {
    const { say, server, clock } = start(working);
    await say("go");
    await until("the card", () => server.posts.length === 1);
    await clock.advance(1500);
    await until("the newest state", () => server.posts[0]?.text.includes("Small · 300 tokens"));
    expect(server.calls.length).toBeLessThanOrEqual(3);
  });

  it("appears after 5 s without any task, and goes on in the same message", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { say, texts, clock } = start(async function* (input, signal) {
      await held;
      yield* echo(input, signal);
    });
    await say("slow one");
    await clock.advance(4900);
    expect(texts()).toEqual([]);
    await clock.advance(200);
    await until("the card", () => texts().length === 1);
    release();
    await until("the reply", () => texts().length === 2);
    await clock.advance(2000);
    await until("the end of the card", () => texts()[0]?.startsWith("Done"));
    expect(texts()[1]).toBe("slow one");
  });

  it("ORD-05: an edit that is slow never lands after the reply with a state that still works", async () => {
    const server = createMemoServer();
    server.editDelayMs = 100;
    const { say, clock, texts } = start(
      async function* () {
        yield { type: "started", model: "Big" };
        yield { type: "task", task: task("running") };
        await until("the card", () => server.posts.length === 1);
        yield { type: "task", task: task("running", 100) };
        await until("an edit under way", () => server.calls.some((call) => call.call === "edit"));
        yield { type: "task", task: task("completed", 200) };
        yield { type: "text", markdown: "x".repeat(450) };
        yield { type: "end", outcome: "done" };
      },
      { server },
    );
    await say("go");
    await until("the card", () => server.posts.length === 1);
    await clock.advance(1100);
    await until("three parts", () => texts().length === 4);
    await clock.advance(1100);
    await until("the end of the card", () => texts()[0]?.startsWith("Done"));
    const firstPart = server.calls.findIndex((call) => call.text.startsWith("xxx"));
    expect(server.calls.slice(firstPart).filter((call) => call.text.includes("Working…"))).toEqual([]);
    expect(
      texts()
        .slice(1)
        .map((text) => text.length),
    ).toEqual([200, 200, 50]);
  });
});

describe("sending", () => {
  const long: Script = () => reply("a".repeat(200) + "b".repeat(200) + "c".repeat(50));

  it("EDIT-03: waits out a 429 in the middle of three parts, holds no other chat, and sends each part once", async () => {
    const server = createMemoServer();
    const { say, clock, texts, store } = start(
      (input, signal) => (input.context.audience === "shared" ? echo(input, signal) : long(input, signal)),
      { server },
    );
    server.faults.push({ call: "send", code: "rate_limited", retryAfterMs: 26_000, times: 0 });
    await say("go");
    await until("the first part", () => texts().length >= 1);
    await until("all parts", () => texts().length === 3);
    server.posts.length = 0;
    const [fault] = server.faults;
    if (fault) fault.times = 1;
    await say("again");
    await until("the refusal", () => fault?.times === 0);
    await say("@bot other chat", { place: groupPlace, thread: groupPlace.key as never, mentionsBot: true });
    await until("the other chat", () => texts().includes("@bot other chat"));
    await clock.advance(25_000);
    expect(texts()).toEqual(["@bot other chat"]);
    expect(await store.heldUntil("memo:dm" as never)).toBeGreaterThan(clock.now());
    await clock.advance(2000);
    await until("all parts", () => texts().length === 4);
    expect(
      texts()
        .slice(1)
        .map((text) => text[0]),
    ).toEqual(["a", "b", "c"]);
  });

  it("tries again without end when the platform is away, in order", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "send", code: "unavailable", times: 5 });
    const { say, clock, texts } = start(echo, { server });
    await say("one");
    await until("the first failure", () => server.calls.length === 1);
    await say("two");
    await clock.advance(120_000);
    await until("both", () => texts().length === 2);
    expect(texts()).toEqual(["one", "two"]);
  });

  it("sends a final again after an unknown outcome, and searches first where the platform can be searched", async () => {
    for (const searchable of [false, true]) {
      const server = createMemoServer();
      server.searchable = searchable;
      server.faults.push({ call: "send", code: "unknown_outcome", done: true, times: 1 });
      const { say, clock, texts, store } = start(echo, { server });
      await say("hello");
      await until("the first try", () => server.calls.length === 1);
      await clock.advance(2000);
      await until("the receipt", async () => (await store.unsettledThreads()).length === 0);
      expect(texts()).toEqual(searchable ? ["hello"] : ["hello", "hello"]);
    }
  });

  it("EDIT-08: replaces a card that somebody deleted, once, and goes on with the new one", async () => {
    const server = createMemoServer();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { say, clock, texts } = start(
      async function* () {
        yield { type: "started", model: "Big" };
        yield { type: "task", task: task("running") };
        await held;
        yield { type: "task", task: task("completed", 200) };
        yield { type: "text", markdown: "answer" };
        yield { type: "end", outcome: "done" };
      },
      { server },
    );
    await say("go");
    await until("the card", () => server.posts.length === 1);
    server.posts.length = 0;
    release();
    await until("the reply", () => texts().includes("answer"));
    await clock.advance(1100);
    await until("card and reply", () => texts().length === 2);
    expect(texts().toSorted()).toEqual([
      expect.stringMatching(/^Done\n.*look it up: researcher · Small · 200 tokens/),
      "answer",
    ]);
  });

  it("gives one refused part up without losing the others or stopping the thread", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "send", code: "invalid", times: 1 });
    const { say, texts } = start(
      (input, signal) =>
        input.type === "messages" && input.messages[0]?.text === "long" ? long(input, signal) : echo(input, signal),
      { server },
    );
    await say("long");
    await until("the rest, and that something is missing", () => texts().length === 3);
    expect(texts().filter((text) => text.includes("A part of my answer could not be shown"))).toHaveLength(1);
    await say("next");
    await until("the next turn", () => texts().includes("next"));
  });

  it("says which file the platform refused, instead of losing it in silence", async () => {
    const file = path.join(tempFolder(), "empty.txt");
    writeFileSync(file, "");
    const refuse = () => Promise.reject(new AdapterError("invalid", "Expected a file that is not empty."));
    const { say, texts } = start(
      async function* () {
        yield { type: "started", model: "Model" };
        yield { type: "file", path: file };
        yield { type: "text", markdown: "here it is" };
        yield { type: "end", outcome: "done" };
      },
      { adapter: { upload: refuse } },
    );
    await say("go");
    await until("notice and reply", () => texts().length === 2);
    expect(texts().toSorted()).toEqual([
      "The file `empty.txt` could not be shown here: the platform refused it.",
      "here it is",
    ]);
  });
});

describe("after a crash", () => {
  it("goes on with the run, edits the same card and says the reply once", async () => {
    const clock = createClock();
    const { store, reopen } = tempStore(clock);
    const script: Script = async function* (_input, signal) {
      yield { type: "started", model: "Big" };
      yield { type: "task", task: task("running", 100) };
      await new Promise((resolve) => signal.addEventListener("abort", resolve)); // until the "crash"
    };
    const before = start(script, { store, clock });
    await before.say("go");
    await until("the card", () => before.texts().length === 1);
    await before.gateway.stop();
    const after = start(
      async function* () {
        yield { type: "started", model: "Big" };
        yield { type: "task", task: task("completed", 250) };
        yield { type: "text", markdown: "answer" };
        yield { type: "end", outcome: "done" };
      },
      { store: reopen().store, server: before.server, clock },
    );
    await after.gateway.recover();
    await clock.advance(1100);
    await until("the end", () => after.texts()[0]?.startsWith("Done"));
    expect(after.texts()).toEqual([
      expect.stringMatching(/^Done\n.*look it up: researcher · Small · 250 tokens/),
      "answer",
    ]);
    expect(after.inputs[0]).toMatchObject({ runId: before.inputs[0]?.runId, type: "messages" });
  });

  it("gives a run up after three tries and tells the thread once", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const server = createMemoServer();
    const hang: Script = async function* (_input, signal) {
      yield { type: "started", model: "Big" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const first = start(hang, { store, server, clock });
    await first.say("go");
    await until("a run", () => first.inputs.length === 1);
    // None of them is stopped: each is left behind as by a crash.
    for (let attempt = 2; attempt <= 4; attempt += 1) {
      const next = start(hang, { store, server, clock });
      await next.gateway.recover();
      await until("the attempt", () => next.inputs.length === 1 || next.texts().length > 0);
    }
    expect(server.posts.map((post) => post.text)).toEqual([expect.stringContaining("stopped trying")]);
    expect(await store.busyThreads()).toEqual([]);
  });

  it("waits while its platform is switched off, and goes on when it is on again", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const server = createMemoServer();
    const hang: Script = async function* (_input, signal) {
      yield { type: "started", model: "Big" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const first = start(hang, { store, server, clock });
    await first.say("go");
    await until("a run", () => first.inputs.length === 1);
    const off = start(echo, { store, server, clock, off: true });
    await off.gateway.recover();
    await clock.advance(60_000);
    expect(off.inputs).toEqual([]);
    const on = start(echo, { store, server, clock });
    await on.gateway.recover();
    await until("the reply", () => on.texts().includes("go"));
  });

  it("is stopped at once also while a file comes slowly", async () => {
    const never = async function* (): AsyncGenerator<Uint8Array> {
      await new Promise(() => {});
    };
    const { say, texts, store, inputs } = start(echo, { adapter: { download: () => Promise.resolve(never()) } });
    await say("look", { files: [{ id: "f1", name: "big.bin" }] });
    await until("the run", async () => (await store.busyThreads()).length === 1);
    await say("/stop");
    await until("the end", async () => (await store.busyThreads()).length === 0);
    await until("the notice", () => texts().length === 1);
    expect(texts()).toEqual(["Stopped."]);
    expect(inputs).toEqual([]);
  });

  it("does not count a stop on purpose as a failed try", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const server = createMemoServer();
    const hang: Script = async function* (_input, signal) {
      yield { type: "started", model: "Big" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const first = start(hang, { store, server, clock });
    await first.say("go");
    await until("a run", () => first.inputs.length === 1);
    await first.gateway.stop();
    for (let restart = 1; restart <= 5; restart += 1) {
      const next = start(hang, { store, server, clock });
      await next.gateway.recover();
      await until("the run again", () => next.inputs.length === 1);
      await next.gateway.stop();
    }
    expect(server.posts).toEqual([]);
  });

  it("that was stopped in the moment it ended says nothing but that it was stopped", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { say, texts, store } = start(async function* (input, signal) {
      await held;
      yield* echo(input, signal); // it did not notice
    });
    await say("go");
    const [thread] = await store.busyThreads();
    await store.accept(message("/stop"), (_event, facts) => ({
      rule: "",
      effects: facts.thread?.run ? [{ type: "stop", run: facts.thread.run.id }] : [],
    }));
    release();
    await until("the end", async () => (await store.busyThreads()).length === 0);
    expect(texts()).toEqual([]);
    expect(thread).toBeDefined();
  });

  it("ends a run that was stopped while nobody ran it", async () => {
    const clock = createClock();
    const { store } = tempStore(clock);
    const before = start(asks(choice("i1")), { store, clock });
    await before.say("paint it");
    await until("the question", () => before.server.posts.length === 1);
    await before.say("/stop");
    await until("the end", () => before.texts().includes("Stopped."));
    expect(before.texts()).toEqual(["🔀 Which? = closed", "Stopped."]);
    expect(await store.busyThreads()).toEqual([]);
  });

  it("starts a fresh thread in a quiet DM, says so, and goes back when asked", async () => {
    const { gateway, say, server, clock, inputs, texts } = start(echo);
    const place = { key: "memo:dm", type: "direct", id: "dm", single: true } as unknown as Inbound["place"];
    await say("one", { place });
    await until("the reply", () => texts().length === 1);
    await clock.advance(90_000_000);
    await say("two", { place });
    const notice = await until("the notice", () => server.posts.find((post) => post.text.includes("new thread")));
    await until("the reply", () => texts().includes("two"));
    await gateway.deliver(press(notice.buttons[0] ?? "", { place }));
    await say("three", { place });
    await until("the reply", () => texts().includes("three"));
    expect(new Set(inputs.map((input) => input.threadId)).size).toBe(2);
    expect(inputs[2]?.threadId).toBe(inputs[0]?.threadId);
  });
});
