import { describe, expect, it } from "vitest";
import { type Adapter, AdapterError } from "../../gateway/contract.ts";
import { bob, createClock, groupPlace, press, tempStore, until } from "../helpers.ts";
import { createMemoAdapter, createMemoServer } from "../memo-platform.ts";
import { asks, choice, echo, gate, reply, type Script, start } from "./bench.ts";

describe("a question that the platform refuses", () => {
  it("is not waited for in silence: the thread is told that words are awaited", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "send", code: "invalid", times: 2 });
    const { say, texts } = start(asks(choice("i1")), { server });
    await say("paint it");
    await until("the notice", () => texts().some((text) => text.includes("could not be shown")));
    await say("blue");
    await until("the reply", () => texts().some((text) => text.startsWith("got")));
  });
});

describe("the name of a person", () => {
  it("writes no markdown into what the bot says", async () => {
    const author = { id: "eve", name: "[free *money*](https://evil.example)", isBot: false };
    const { gateway, say, texts } = start(asks(choice("i1")));
    await say("paint it", { author, place: groupPlace, mentionsBot: true });
    await until("the question", () => texts().length === 1);
    const told = await gateway.deliver(press("nothing", { author: bob }));
    expect(told.reply).toBeDefined();
    await say("green", { author: bob, place: groupPlace, mentionsBot: true });
    await until("the notice", () => texts().length === 2);
    expect(texts()[1]).toContain(String.raw`\[free \*money\*\]\(https`);
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

describe("two copies of a question", () => {
  const asksOnce: Script = async function* (input) {
    if (input.type === "answers") return yield* reply("ok");
    yield { type: "started", model: "M" };
    yield { type: "question", request: choice("q") };
    yield { type: "end", outcome: "waiting" };
  };

  it("lose their buttons when one is pressed while the other is still on its way", async () => {
    const server = createMemoServer();
    const memo = createMemoAdapter(server);
    const { held, release } = gate();
    let sent = 0;
    const send: Adapter["send"] = async (thread, part, nonce) => {
      const ref = await memo.send(thread, part, nonce);
      if (!JSON.stringify(part).includes("Which?")) return ref;
      sent += 1;
      if (sent === 1) throw new AdapterError("unknown_outcome", "the answer was lost");
      await held;
      return ref;
    };
    const { gateway, say, clock } = start(asksOnce, { server, adapter: { send } });
    await say("hi");
    await until("the first copy", () => sent === 1);
    await clock.advance(1500);
    const [first] = await until("both copies", () => server.posts.length === 2 && server.posts);
    await gateway.deliver(press(first?.buttons[0] ?? "", first && { post: first.ref }));
    release();
    const questions = () => server.posts.filter((post) => post.text.includes("Which?"));
    await until("one copy without buttons", () => questions().length === 1 && questions()[0]?.buttons.length === 0);
  });

  it("lose their buttons when the second is pressed while the first is being closed", async () => {
    const server = createMemoServer();
    const { gateway, say, clock } = start(asksOnce, { server });
    await say("hi");
    const question = await until("the question", () => server.posts.find((post) => post.buttons.length === 2));
    const copy = { ...question, ref: "copy" as never };
    server.posts.push(copy);
    server.editDelayMs = 100;
    const [token = ""] = question.buttons;
    await gateway.deliver(press(token, { post: question.ref }));
    await until("the edit", () => server.calls.some((call) => call.call === "edit"));
    await gateway.deliver(press(token, { post: copy.ref }));
    await clock.advance(1000);
    await until("the copy to go", () => !server.posts.includes(copy));
  });
});
