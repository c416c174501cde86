import { describe, expect, it, onTestFinished } from "vitest";
import { type Inbound, threadKey } from "../../gateway/contract.ts";
import { bob, event, groupPlace, message, press, until } from "../helpers.ts";
import { asks, choice, echo, gate, type Script, start } from "./bench.ts";

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

  it("runs beside those of any number of other threads, and Node warns of no leak", async () => {
    const warned: string[] = [];
    const note = ({ message: text }: Error) => void warned.push(text);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const { held, release } = gate();
    const { say, inputs, texts } = start(async function* (input, signal) {
      await held;
      yield* echo(input, signal);
    });
    for (let thread = 0; thread < 20; thread += 1) await say("hello", { thread: threadKey(`memo:dm:${thread}`) });
    await until("all runs", () => inputs.length === 20);
    release();
    await until("all replies", () => texts().length === 20);
    expect(warned).toEqual([]);
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

  it("edited to nothing before its turn does not run", async () => {
    const { held, release } = gate();
    const { gateway, say, inputs, texts } = start(async function* (input, signal) {
      await held;
      yield* echo(input, signal);
    });
    await say("first");
    await until("the first run", () => inputs.length === 1);
    const emptied = message("do it");
    await gateway.deliver(emptied);
    await gateway.deliver(event({ type: "edited", target: emptied.post, text: " ", files: [] }));
    release();
    await until("the reply", () => texts().length === 1);
    await say("next");
    await until("the next reply", () => texts().length === 2);
    expect(texts()).toEqual(["first", "next"]);
  });

  it("deleted by nobody knows whom does not run, and makes that nobody no person", async () => {
    const { held, release } = gate();
    const policy = { access: { mode: "allowlist", places: [], users: ["ana"], admins: [] } } as const;
    const { gateway, say, inputs, texts, store } = start(
      async function* (input, signal) {
        await held;
        yield* echo(input, signal);
      },
      { policy },
    );
    await say("first");
    await until("the first run", () => inputs.length === 1);
    const never = message("never");
    await gateway.deliver(never);
    const nobody = { id: "0", name: "somebody", isBot: false };
    await gateway.deliver({ ...event({ type: "deleted", target: never.post }), author: nobody });
    release();
    await until("the reply", () => texts().length === 1);
    expect(await store.busyThreads()).toEqual([]);
    expect(texts()).toEqual(["first"]);
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
      expect(stop).toMatchObject({ accepted: true, reply: { text: expect.stringContaining("Only the person") } });
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

describe("what is said in a thread of several people", () => {
  const group = { place: groupPlace, thread: threadKey("memo:g:1") };

  it("makes nobody a partner of the thread who only spoke beside it, also after a turn has taken it up", async () => {
    const { say, texts, inputs, store } = start(echo);
    await say("start", { ...group, mentionsBot: true });
    await until("the reply", () => texts().includes("start"));
    await say("aside", { ...group, author: bob });
    await say("more", group);
    await until("the second turn", async () => inputs.length === 2 && (await store.busyThreads()).length === 0);
    await say("thanks, Ana", { ...group, author: bob });
    expect(await store.busyThreads()).toEqual([]);
    expect(inputs).toHaveLength(2);
  });

  it("is answered although what was said before cannot be read", async () => {
    const history = async () => {
      throw new Error("the network is away");
    };
    const { say, texts } = start(echo, { adapter: { history } });
    await say("start", { ...group, mentionsBot: true });
    await until("the reply", () => texts().length === 1);
  });
});

describe("an event that our rules cannot bear", () => {
  it("is dropped, and its platform is not asked for it again", async () => {
    const { gateway, say, texts } = start(echo);
    const broken = { ...message("x"), text: undefined } as unknown as Inbound;
    expect(await gateway.deliver(broken)).toEqual({ accepted: false });
    await say("still there?");
    await until("the reply", () => texts().includes("still there?"));
  });
});

describe("/new", () => {
  it("takes what waits along into the new thread", async () => {
    const { say, inputs } = start(async function* (input, signal) {
      if (input.type === "messages" && input.messages[0]?.text === "waits") return yield* echo(input, signal);
      yield { type: "started", model: "M" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "end", outcome: "cancelled" };
    });
    await say("one");
    await until("the run", () => inputs.length === 1);
    await say("waits");
    await say("/new");
    await until("the second run", () => inputs.length === 2);
    expect(inputs[1]?.threadId).not.toBe(inputs[0]?.threadId);
  });

  it("taken back with its button, takes the message that came after it to the old thread", async () => {
    const place = { key: "memo:dm", type: "direct", id: "dm", single: true } as unknown as Inbound["place"];
    let runs = 0;
    const { gateway, say, texts, clock, server, inputs } = start(async function* (input, signal) {
      runs += 1;
      if (runs !== 2) return yield* echo(input, signal);
      yield { type: "started", model: "M" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield { type: "end", outcome: "cancelled" };
    });
    await say("one", { place });
    await until("the reply", () => texts().includes("one"));
    await clock.advance(90_000_000);
    await say("two", { place });
    const notice = await until("the button", () => server.posts.find((post) => post.buttons.length > 0));
    await gateway.deliver(press(notice.buttons[0] ?? "", { place }));
    await until("the reply", () => texts().includes("two"));
    expect(inputs[2]?.threadId).toBe(inputs[0]?.threadId);
  });
});
