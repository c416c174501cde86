import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { until } from "../helpers.ts";
import { actions, apiOnly, button, connectedBot, eventsOf, inOrder, refused } from "./slack-bot.ts";

describe("Socket Mode", () => {
  test("a mention arrives as message and app_mention with one ts, and both are acknowledged", async () => {
    const { server, ana, team, received } = await connectedBot();
    const said = ana.mention(team, "see #team & https://x.example/?a=1&b=2 <b>");
    await until("both", () => server.acks.length === 2);
    const events = eventsOf(received);
    const text = `<@${server.bot.id}> see <#${team.id}|team> &amp; <https://x.example/?a=1&amp;b=2> &lt;b&gt;`;
    const common = { ts: said.ts, client_msg_id: said.client_msg_id, text, user: ana.account.id, channel: team.id };
    expect(events).toMatchObject([
      { type: "message", channel_type: "channel", ...common },
      { type: "app_mention", ...common },
    ]);
    expect(new Set(received.map(({ body }) => body["event_id"])).size).toBe(2);
    ana.mention(team, "again", { events: ["app_mention"] });
    await until("the third", () => server.acks.length === 3);
  });

  test("the bot hears its own messages and edits, people's edits and deletions, and others where it is", async () => {
    const { server, ana, team, client, received } = await connectedBot();
    const posted = await client.chat.postMessage({ channel: team.id, text: "one" });
    await client.chat.update({ channel: team.id, ts: posted.ts ?? "", text: "two" });
    const said = ana.say(team, "first");
    ana.edit(said, "second");
    ana.delete(said);
    const other = server.user("U0BOT000001", "Helper", { isBot: true });
    other.say(team, "from a bot");
    server.systemMessage(team, "archived");
    await until("all", () => server.acks.length === 7);
    expect(eventsOf(received)).toMatchObject([
      { user: server.bot.id, bot_id: server.bot.botId, text: "one" },
      { subtype: "message_changed", message: { text: "two", bot_id: server.bot.botId }, hidden: true },
      { text: "first", team: server.team.id },
      {
        subtype: "message_changed",
        message: { text: "second", user: ana.account.id },
        previous_message: { text: "first" },
      },
      { subtype: "message_deleted", deleted_ts: said.ts, previous_message: { text: "second" } },
      { bot_id: "B0BOT000001", app_id: "A0BOT000001", text: "from a bot" },
      { user: "USLACK", text: "archived" },
    ]);
  });

  test("the other happenings come as Slack sends them", async () => {
    const { server, ana, team, received } = await connectedBot();
    const olga = server.user("U0OTHER0001", "Olga", { team: "T0OTHER0001", stranger: true });
    const shared = server.channel("C0SHARED001", "shared", [ana, olga], { shared: true });
    olga.mention(shared, "hello", { events: ["app_mention"] });
    const root = ana.say(team, "root");
    ana.say(team, "reply", { threadTs: root.ts });
    ana.delete(root);
    ana.react(root, "+1");
    ana.openHome();
    const first = ana.startAssistant(team);
    server.invite(server.channel("C0NEW000001", "new", [ana], { withoutBot: true }), ana);
    await until("all", () => server.acks.length === 8);
    expect(inOrder(received)[0]).toMatchObject({
      is_ext_shared_channel: true,
      event: { type: "app_mention", user_team: "T0OTHER0001", source_team: "T0OTHER0001" },
    });
    expect(eventsOf(received).slice(2)).toMatchObject([
      { text: "reply", thread_ts: root.ts, parent_user_id: ana.account.id },
      { subtype: "message_changed", message: { subtype: "tombstone", ts: root.ts, reply_count: 1 } },
      { type: "reaction_added", reaction: "+1", item: { channel: team.id, ts: root.ts } },
      { type: "app_home_opened", user: ana.account.id, channel: ana.dm.id, tab: "messages" },
      { type: "assistant_thread_started", assistant_thread: { channel_id: ana.dm.id, thread_ts: first.ts } },
      { type: "member_joined_channel", user: server.bot.id, inviter: ana.account.id },
    ]);
  });

  test("an event whose acknowledgement is lost comes again, three times at most", async () => {
    const { server, ana, received } = await connectedBot({ ackMs: 250 });
    server.socket.loseAcks(1);
    ana.say(ana.dm, "hello");
    await until("the retry", () => server.acks.length === 1);
    expect(received.map(({ retry }) => retry)).toEqual([0, 1]);
    expect(server.acks).toMatchObject([{ retryAttempt: 1, payload: {} }]);
    server.socket.loseAcks(10);
    const { acked } = server.redeliver();
    expect(await acked).toBeUndefined();
    expect(received.slice(2).map(({ retry }) => retry)).toEqual([1, 2, 3]);
  });

  test("what is said while no socket is open waits; a refresh and a cut are survived by the client", async () => {
    const { server, ana, received } = await connectedBot();
    server.disconnect();
    ana.say(ana.dm, "during the refresh");
    await until("the first acknowledgement", () => server.acks.length === 1);
    server.killSocket();
    await until("no socket", () => server.socket.connections() === 0);
    ana.say(ana.dm, "during the cut");
    await until("the second acknowledgement", () => server.acks.length === 2);
    expect(eventsOf(received)).toMatchObject([{ text: "during the refresh" }, { text: "during the cut" }]);
    expect(server.violations).toEqual([]);
  });

  test("a revoked app token opens no socket, and a ticket opens one socket once", async () => {
    const { server, call } = await apiOnly();
    const opened = await call("apps.connections.open", { token: server.appToken });
    const open = () =>
      new Promise((resolve) => {
        const socket = new WebSocket(String(opened["url"]));
        socket.once("open", () => resolve("open"));
        socket.once("error", () => resolve("refused"));
      });
    expect([await open(), await open()]).toEqual(["open", "refused"]);
    server.setRevoked("app", true);
    await expect(call("apps.connections.open", { token: server.appToken })).rejects.toMatchObject(
      refused("invalid_auth"),
    );
  });

  test("every recorded payload is taken by the real client and acknowledged", async () => {
    const folder = path.resolve("test/fixtures/slack");
    const { server, app, received } = await connectedBot({ botUserId: "U0EX00000002" });
    app.action(/.*/, async ({ ack }) => ack());
    app.view(/.*/, async ({ ack }) => ack());
    app.command(/.*/, async ({ ack }) => ack());
    const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("_"));
    for (const name of names) {
      const payload = JSON.parse(readFileSync(path.join(folder, name), "utf8"));
      const interactive = /block_actions|view_submission/.test(name) ? "interactive" : "events_api";
      server.push(name.includes("command") ? "slash_commands" : interactive, payload);
    }
    await until("all", () => server.acks.length === names.length);
    expect(received.length).toBe(names.length);
    expect(JSON.stringify(received)).not.toContain("hooks.slack.example");
  });
});

describe("people", () => {
  async function withButtons() {
    const bot = await connectedBot({ ackMs: 800 });
    const { client, team } = bot;
    const menu = {
      type: "static_select",
      action_id: "menu",
      options: ["Red", "Blue"].map((text) => ({ text: { type: "plain_text", text }, value: text[0] })),
    };
    const blocks = JSON.stringify([actions(button("Go", "go", { value: "t1" }), button("Mute", "mute"), menu)]);
    await client.apiCall("chat.postMessage", { channel: team.id, text: "choose", blocks });
    const [message] = team.messages;
    if (!message) throw new Error("Expected a message.");
    return { ...bot, message };
  }

  test("press buttons and choose from menus, and see what is told to them alone", async () => {
    const { app, ana, message, received } = await withButtons();
    app.action("go", async ({ ack, respond }) => {
      await ack();
      await respond({ response_type: "ephemeral", replace_original: false, text: "for you" });
    });
    app.action("menu", async ({ ack }) => ack());
    expect(await ana.press(message, "Go")).toMatchObject({ acked: true, ephemerals: ["for you"] });
    expect(await ana.press(message, "Blue")).toMatchObject({ acked: true, ephemerals: [] });
    expect(await ana.press(message, "Mute")).toEqual({ acked: false, ephemerals: [] });
    const presses = received.filter(({ body }) => body["type"] === "block_actions").map(({ body }) => body["actions"]);
    expect(presses).toMatchObject([
      [{ action_id: "go", value: "t1" }],
      [{ action_id: "menu", selected_option: { value: "B" } }],
      [{ action_id: "mute" }],
    ]);
  });

  test("fill in a modal, which opens once and soon, and stays while it has errors", async () => {
    const { server, app, ana, client, message } = await withButtons();
    const input = (name: string, element: object, optional = false) => ({
      type: "input",
      block_id: name,
      label: { type: "plain_text", text: name },
      element: { action_id: `${name}-field`, ...element },
      optional,
    });
    const view = JSON.stringify({
      type: "modal",
      callback_id: "form",
      notify_on_close: true,
      title: { type: "plain_text", text: "Form" },
      submit: { type: "plain_text", text: "Send" },
      blocks: [input("Name", { type: "plain_text_input" }), input("When", { type: "datepicker" }, true)],
    });
    let trigger = "";
    app.action("go", async ({ ack, body }) => {
      await ack();
      trigger = "trigger_id" in body ? String(body.trigger_id) : "";
      await client.apiCall("views.open", { trigger_id: trigger, view });
    });
    const closed: string[] = [];
    app.view({ type: "view_closed" }, async ({ ack, view: { callback_id } }) => {
      closed.push(callback_id);
      await ack();
    });
    app.view("form", async ({ ack, view: { state } }) => {
      const short = state.values["Name"]?.["Name-field"]?.value === "A";
      await (short ? ack({ response_action: "errors", errors: { Name: "longer, please" } }) : ack());
    });
    await ana.press(message, "Go");
    const opened = await until("the modal", () => server.views[0]);
    await expect(ana.submit(opened, {})).rejects.toThrow("required");
    await ana.press(message, "Go");
    await ana.close(await until("another modal", () => server.views[1]));
    expect(closed).toEqual(["form"]);
    expect(await ana.submit(opened, { Name: "A" })).toMatchObject({ errors: { Name: "longer, please" }, open: true });
    expect(await ana.submit(opened, { Name: "Ana", When: "2027-01-31" })).toMatchObject({ acked: true, open: false });
    const open = (trigger_id: string) => client.apiCall("views.open", { trigger_id, view });
    await expect(open(trigger)).rejects.toMatchObject(refused("exchanged_trigger_id"));
  });

  test("type a command, whose acknowledgement may carry the answer, and whose trigger runs out after 3 s", async () => {
    const { server, app, ana, client, team } = await withButtons();
    const view = JSON.stringify({
      type: "modal",
      title: { type: "plain_text", text: "Late" },
      blocks: [{ type: "divider" }],
    });
    app.command("/threadline", async ({ ack, command }) => {
      await ack(`you typed ${command.text}`);
      server.advance(3001);
      await expect(client.apiCall("views.open", { trigger_id: command.trigger_id, view })).rejects.toMatchObject(
        refused("expired_trigger_id"),
      );
    });
    expect(await ana.command("/threadline", "status", team)).toMatchObject({
      acked: true,
      ephemerals: ["you typed status"],
    });
  });
});
