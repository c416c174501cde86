import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { parseThread } from "../../../adapters/slack/thread-key.ts";
import type { Acknowledgement, Form } from "../../../gateway/contract.ts";
import type { WireMessage } from "../../wire/slack-world.ts";
import { only, question, withQuestion } from "./asked-question.ts";
import { eventually, runAdapter, theOne } from "./running-adapter.ts";
import type { Running } from "./running-adapter.ts";

describe("presses", () => {
  test("BTN-09: a press brings the token back and is acknowledged at once, without a payload", async () => {
    const { server, ana, asked, inbound, post, thread } = await withQuestion();
    const outcome = await ana.press(asked, "South");
    expect(outcome).toMatchObject({ acked: true, ephemerals: [] });
    expect(outcome.ackedAfterMs).toBeLessThan(3000);
    expect(theOne(inbound, "press")).toMatchObject({
      token: "token-1",
      post,
      thread,
      author: { name: "Ana", member: true },
    });
    expect(server.violations).toEqual([]);
  });
  test("an option of a menu comes back as its own token", async () => {
    const options = Array.from({ length: 40 }, (_, index) => ({ token: `t${index}`, label: `Option ${index}` }));
    const { ana, asked, inbound } = await withQuestion({ ...question, options });
    await ana.press(asked, "Option 31");
    expect(theOne(inbound, "press")).toMatchObject({ token: "t31" });
  });
  test("a refused press is told to the presser alone, in the thread", async () => {
    const { running, ana, asked, team, root } = await withQuestion();
    running.answer = () => ({ accepted: false, reply: { type: "notice", text: "Sam is asked." } });
    expect((await ana.press(asked, "North")).ephemerals).toEqual(["Sam is asked."]);
    expect(team.ephemerals).toMatchObject([{ thread_ts: root.ts }]);
  });
  test("where Slack lets the bot write nothing private, the press's own address is used, if it is Slack's", async () => {
    const { running, server, ana, asked } = await withQuestion();
    running.answer = () => ({ accepted: false, reply: { type: "notice", text: "Too late." } });
    server.fail({ method: "chat.postEphemeral", error: "user_not_in_channel" });
    expect((await ana.press(asked, "North")).ephemerals).toEqual(["Too late."]);
    server.fail({ method: "chat.postEphemeral", error: "user_not_in_channel" });
    const forged = {
      type: "button",
      action_id: "a",
      value: "token-0",
      text: { type: "plain_text", text: "x" },
    } as const;
    const evil = {
      ...blockActions(running.server, asked, ana.account.id),
      response_url: "https://evil.example/x",
      actions: [{ ...forged, action_ts: "1.1" }],
    };
    await server.socket.push("interactive", evil).acked;
    await eventually(() => expect(running.log.join()).toContain("evil.example"));
    expect(running.log.join()).toContain("Expected an address of Slack's");
  });
  test("a press that could not be stored is not acknowledged, so that Slack warns the presser", async () => {
    const { running, ana, asked } = await withQuestion();
    running.answer = () => {
      throw new Error("SQLITE_FULL");
    };
    const pressed = ana.press(asked, "North");
    await eventually(() => expect(running.log.join()).toContain("was not acknowledged"));
    await running.server.close();
    expect((await pressed).acked).toBe(false);
  });
});

describe("a connection that goes while something is handled", () => {
  /** The next event meets this, and takes a moment after it. */
  const meanwhile = (running: Running, happen: () => void, reply: Acknowledgement) => {
    running.answer = async () => {
      happen();
      await sleep(60);
      return { accepted: true, reply };
    };
  };
  const notice = { type: "notice", text: "Nothing runs." } as const;

  test("CONN-01: one that Slack takes back still carries the acknowledgement, and the modal opens", async () => {
    const { running, server, ana, asked } = await withQuestion({ ...question, options: [], form });
    meanwhile(running, () => server.disconnect(), { type: "form", form });
    const { acked, view } = await ana.press(asked, "Fill in the form");
    expect(acked).toBe(true);
    expect(view?.fields.callback_id).toBe("form-1");
    await eventually(() => expect(server.socket.connections()).toBe(1));
  });
  test("CONN-01: one that Slack takes back still carries the answer to a command", async () => {
    const running = await runAdapter();
    const { server, ana, team } = running;
    meanwhile(running, () => server.disconnect(), notice);
    const outcome = await ana.command("/threadline", "status", team);
    expect(outcome).toMatchObject({ acked: true, ephemerals: ["Nothing runs."] });
    expect(team.ephemerals).toEqual([]);
  });
  test("a killed one takes the acknowledgement with it; the modal opens and the notice is told all the same", async () => {
    const { running, server, ana, asked, team } = await withQuestion({ ...question, options: [], form });
    meanwhile(running, () => server.killSocket(), { type: "form", form });
    expect((await ana.press(asked, "Fill in the form")).acked).toBe(false);
    await eventually(() => expect(server.views).toHaveLength(1));
    await eventually(() => expect(server.socket.connections()).toBe(1));
    meanwhile(running, () => server.killSocket(), notice);
    expect((await ana.press(asked, "Fill in the form")).acked).toBe(false);
    await eventually(() => expect(team.ephemerals).toHaveLength(1));
  });
  test("the answer to a command whose acknowledgement was lost is told privately, also where the bot is no member", async () => {
    const running = await runAdapter();
    const { server, ana } = running;
    const elsewhere = server.channel("C0ELSE00001", "else", [ana], { withoutBot: true });
    meanwhile(running, () => server.killSocket(), notice);
    expect((await ana.command("/threadline", "status", elsewhere)).acked).toBe(false);
    await eventually(() => expect(elsewhere.ephemerals).toMatchObject([{ text: "Nothing runs." }]));
  });
});

/** A press as Slack would send it, for what people cannot do. */
const blockActions = (server: { team: { id: string } }, message: WireMessage, user: string) => ({
  type: "block_actions",
  user: { id: user },
  team: { id: server.team.id },
  trigger_id: "1.2.3",
  channel: { id: message.channel.id },
  container: { type: "message", message_ts: message.ts, channel_id: message.channel.id },
  message: { ts: message.ts, thread_ts: message.thread_ts },
});

const form: Form = {
  token: "form-1",
  title: "Trip",
  fields: [
    { name: "where to", label: "Where", required: true, type: "text" },
    { name: "people", label: "People", required: true, type: "number" },
    { name: "sure", label: "Sure?", required: false, type: "checkbox" },
  ],
};

const optionsOf = (name: string) =>
  [1, 2, 3].map((number) => ({ id: `${name}-option-${number}`, label: `Option ${number}` }));

describe("forms", () => {
  /** Presses the button that opens the form. */
  async function opened(asksFor = form) {
    const parts = await withQuestion({ ...question, options: [], form: asksFor });
    const { running, ana, asked } = parts;
    running.answer = ({ type }) =>
      type === "press" ? { accepted: true, reply: { type: "form", form: asksFor } } : { accepted: true };
    const { view } = await ana.press(asked, "Fill in the form");
    if (!view) throw new Error("Expected the form to be open.");
    return { ...parts, view };
  }
  test("one opens by its button and comes back with its values, to the thread where it was opened", async () => {
    const { server, ana, inbound, thread, view } = await opened();
    const submitted = await ana.submit(view, { Where: "Rome", People: "2" });
    expect(submitted).toMatchObject({ acked: true, errors: {}, open: false });
    expect(theOne(inbound, "form")).toMatchObject({
      token: "form-1",
      thread,
      values: { "where to": "Rome", people: 2, sure: false },
      author: { name: "Ana", member: true },
      place: { type: "shared" },
    });
    expect(server.violations).toEqual([]);
  });
  test("what is wrong is told at the fields, and the form stays open", async () => {
    const { running, ana, view } = await opened();
    running.answer = () => ({ accepted: false, reply: { type: "invalid", errors: { people: "Too many." } } });
    const submitted = await ana.submit(view, { Where: "Rome", People: "2" });
    expect(submitted).toMatchObject({ errors: { people: "Too many." }, open: true });
  });
  test("names and ids of any length come back as they were, and an error lands at its field", async () => {
    const [long, longer] = ["n".repeat(200), "m".repeat(300)];
    const wide: Form = {
      ...form,
      fields: [
        { name: long, label: "One", required: true, type: "select", options: optionsOf(long) },
        { name: longer, label: "Any", required: true, type: "multi_select", options: optionsOf(longer) },
        { name: "other", label: "Other", required: true, type: "select", options: [{ id: "x", label: "X" }] },
      ],
    };
    const { running, ana, inbound, view } = await opened(wide);
    running.answer = ({ type }) => ({
      accepted: false,
      ...(type === "form" && { reply: { type: "invalid", errors: { [longer]: "Too many.", [long]: "No." } } }),
    });
    const entered = { One: "Option 2", Any: ["Option 1", "Option 3"], Other: "X" };
    const { errors } = await ana.submit(view, entered);
    const [one, any] = view.fields.blocks.map(({ block_id }) => block_id ?? "");
    expect(errors).toEqual({ [any ?? ""]: "Too many.", [one ?? ""]: "No." });
    expect(theOne(inbound, "form").values).toEqual({
      [long]: `${long}-option-2`,
      [longer]: [`${longer}-option-1`, `${longer}-option-3`],
      other: "x",
    });
  });
  test("a notice for what came too late closes the form, and is told privately in the thread", async () => {
    const { running, ana, team, root, view } = await opened();
    running.answer = () => ({ accepted: false, reply: { type: "notice", text: "Already answered." } });
    expect(await ana.submit(view, { Where: "Rome", People: "2" })).toMatchObject({ open: false });
    await eventually(() => expect(team.ephemerals).toMatchObject([{ text: "Already answered.", thread_ts: root.ts }]));
  });
  test("a form that Slack does not open any more is said, so that the person presses again", async () => {
    const { running, server, ana, asked } = await withQuestion({ ...question, options: [], form });
    running.answer = () => ({ accepted: true, reply: { type: "form", form } });
    server.fail({ method: "views.open", error: "expired_trigger_id" });
    const outcome = await ana.press(asked, "Fill in the form");
    expect(outcome.view).toBeUndefined();
    expect(outcome.ephemerals).toEqual([expect.stringContaining("press again")]);
  });
});

describe("the slash command", () => {
  test("a command is answered in its acknowledgement, to the caller alone", async () => {
    const running = await runAdapter();
    const { server, ana, team, inbound } = running;
    running.answer = () => ({ accepted: true, reply: { type: "notice", text: "Nothing runs **here**." } });
    const outcome = await ana.command("/threadline", "Status", team);
    expect(outcome).toMatchObject({ acked: true, ephemerals: ["Nothing runs here."] });
    expect(theOne(inbound, "command")).toMatchObject({
      name: "status",
      topLevel: true,
      author: { name: "Ana", member: true },
    });
    expect(server.acks[0]?.payload).toMatchObject({ response_type: "ephemeral", blocks: [{ type: "rich_text" }] });
    expect(team.messages).toEqual([]);
  });
  test("a request is unseen, and its first post opens the thread", async () => {
    const { server, adapter, ana, team, inbound } = await runAdapter();
    expect(await ana.command("/threadline", "ask who is on call?", team)).toMatchObject({
      acked: true,
      ephemerals: [],
    });
    const event = theOne(inbound, "message");
    expect(event).toMatchObject({ text: "who is on call?", unseen: true, topLevel: true, mentionsBot: true });
    const request = only(adapter.render({ type: "request", author: "Ana", text: event.text }));
    const { thread } = await adapter.send(event.thread, request, "request:1/0/0");
    await adapter.send(
      thread ?? event.thread,
      only(adapter.render({ type: "reply", markdown: "Kim." })),
      "reply:1/0/0",
    );
    expect(team.messages[0]).not.toHaveProperty("thread_ts");
    expect(team.messages[1]).toMatchObject({ text: "Kim.", thread_ts: team.messages[0]?.ts });
    expect(thread && parseThread(thread).root).toBe(team.messages[0]?.ts);
    expect(server.violations).toEqual([]);
  });
  test("where the bot is no member the request says so, and the caller alone is told what is answered to it", async () => {
    const running = await runAdapter();
    const { server, ana, inbound } = running;
    running.answer = (event) => {
      const text = event.type === "message" ? event.cannotPost : undefined;
      return { accepted: false, ...(text !== undefined && { reply: { type: "notice", text } }) };
    };
    const hidden = server.channel("C0HIDDEN001", "hidden", [ana], { private: true, withoutBot: true });
    const open = server.channel("C0OPEN00001", "open", [ana], { withoutBot: true });
    for (const channel of [hidden, open])
      expect((await ana.command("/threadline", "who?", channel)).ephemerals).toEqual([
        expect.stringContaining("/invite"),
      ]);
    expect(inbound).toMatchObject([
      { place: { id: hidden.id }, text: "who?", unseen: true, author: { member: true } },
      { place: { id: open.id }, text: "who?", unseen: true },
    ]);
    // A command needs no post.
    await ana.command("/threadline", "help", open);
    expect(theOne(inbound, "command")).not.toHaveProperty("cannotPost");
  });
  test("where the bot may post, and where that cannot be told for want of a scope, nothing hinders a request", async () => {
    const { server, ana, team, inbound } = await runAdapter();
    await ana.command("/threadline", "one", team);
    server.fail({ method: "conversations.info", error: "missing_scope" });
    await ana.command("/threadline", "two", server.channel("C0OPEN00001", "open", [ana], { withoutBot: true }));
    expect(inbound).toMatchObject([{ text: "one" }, { text: "two" }]);
    for (const event of inbound) expect(event).not.toHaveProperty("cannotPost");
  });
  test("the command works under whatever name the app's manifest gives it", async () => {
    const { ana, team, inbound } = await runAdapter();
    await ana.command("/helper", "status", team);
    await ana.command("/helper", "who?", team);
    expect(inbound).toMatchObject([
      { type: "command", name: "status" },
      { type: "message", text: "who?" },
    ]);
  });
  test("in the bot's own direct messages a request is direct", async () => {
    const { ana, inbound } = await runAdapter();
    await ana.command("/threadline", "who?", ana.dm);
    expect(theOne(inbound, "message")).toMatchObject({ place: { type: "direct" } });
  });
  test("one that could not be stored, or whose place could not be looked up, is not acknowledged", async () => {
    const { server, ana, team, inbound, log } = await runAdapter({ ackMs: 300 });
    server.fail({ method: "conversations.info", status: 503, times: 4 });
    expect((await ana.command("/threadline", "who?", team)).acked).toBe(false);
    expect(inbound).toEqual([]);
    expect(log.join()).toContain("was not acknowledged");
  });
});
