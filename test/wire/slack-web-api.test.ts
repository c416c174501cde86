import { describe, expect, test } from "vitest";
import { until } from "../helpers.ts";
import { actions, apiOnly, button, connectedBot, refused, rich, words } from "./slack-bot.ts";

const menuOf = (count: number, action_id: string) => ({
  type: "static_select",
  action_id,
  options: Array.from({ length: count }, (_, at) => ({ text: { type: "plain_text", text: `${at}` }, value: `v${at}` })),
});

const tableOf = (rows: number, text: string) => ({
  type: "table",
  rows: Array.from({ length: rows }, () => [{ type: "raw_text", text }]),
});

describe("the Web API", () => {
  test("knows its tokens apart, and says what a call lacks", async () => {
    const { server, call, post } = await apiOnly();
    expect(await call("auth.test", {})).toMatchObject({ user_id: server.bot.id, bot_id: server.bot.botId });
    await expect(call("auth.test", { token: "xoxb-wrong" })).rejects.toMatchObject(refused("invalid_auth"));
    await expect(call("apps.connections.open", {})).rejects.toMatchObject(refused("not_allowed_token_type"));
    await expect(call("chat.postMesage", {})).rejects.toMatchObject(refused("unknown_method"));
    await expect(call("chat.update", { text: "a" })).rejects.toMatchObject(refused("invalid_arguments"));
    server.setRevoked("bot", true);
    await expect(post({ text: "a" })).rejects.toMatchObject(refused("token_revoked"));
    server.setRevoked("bot", false);
    expect(await post({ text: "a" })).toMatchObject({ ok: true });
  });

  test.each([
    ["no text and no blocks", {}, "no_text"],
    ["a text above 40,000 characters", { text: "a".repeat(40_001) }, "msg_too_long"],
    ["a channel that is none", { text: "a", channel: "C0NOWHERE01" }, "channel_not_found"],
    ["a thread that is none", { text: "a", thread_ts: "1.000001" }, "invalid_thread_ts"],
    ["blocks that are no list", { text: "a", blocks: "{}" }, "invalid_blocks_format"],
    ["an unknown block", { text: "a", blocks: [{ type: "video_wall" }] }, "invalid_blocks"],
    ["an unknown property", { text: "a", blocks: [{ type: "divider", colour: "red" }] }, "invalid_blocks"],
    ["51 blocks", { text: "a", blocks: Array.from({ length: 51 }, () => ({ type: "divider" })) }, "invalid_blocks"],
    ["a section without text", { text: "a", blocks: [{ type: "section" }] }, "invalid_blocks"],
    ["a label above 75 characters", { text: "a", blocks: [actions(button("b".repeat(76), "x"))] }, "invalid_blocks"],
    [
      "26 buttons",
      { text: "a", blocks: [actions(...Array.from({ length: 26 }, (_, at) => button("b", `x${at}`)))] },
      "invalid_blocks",
    ],
    ["one action_id twice", { text: "a", blocks: [actions(button("b", "x"), button("c", "x"))] }, "invalid_blocks"],
    [
      "one block_id twice",
      {
        text: "a",
        blocks: [
          { type: "divider", block_id: "d" },
          { type: "divider", block_id: "d" },
        ],
      },
      "invalid_blocks",
    ],
    [
      "a style that rich text does not know",
      {
        text: "a",
        blocks: [rich({ type: "rich_text_section", elements: [{ type: "text", text: "a", style: { blink: true } }] })],
      },
      "invalid_blocks",
    ],
    [
      "two tables",
      { text: "a", blocks: [1, 2].map(() => ({ type: "table", rows: [[{ type: "raw_text", text: "a" }]] })) },
      "invalid_attachments",
    ],
    [
      "a table with an empty cell",
      { text: "a", blocks: [{ type: "table", rows: [[{ type: "raw_text", text: "" }]] }] },
      "invalid_blocks",
    ],
    ["a table of 101 rows", { text: "a", blocks: [tableOf(101, "a")] }, "invalid_blocks"],
    ["a table above 10,000 characters", { text: "a", blocks: [tableOf(100, "a".repeat(101))] }, "invalid_blocks"],
    ["more than blocks can hold", { text: "a", blocks: [rich(words("a".repeat(11_301)))] }, "msg_blocks_too_long"],
    [
      "more menus than blocks can hold",
      { text: "a", blocks: [{ type: "actions", elements: [0, 1, 2].map((at) => menuOf(100, `m${at}`)) }] },
      "msg_blocks_too_long",
    ],
    ["metadata without a type", { text: "a", metadata: { event_payload: {} } }, "invalid_metadata_format"],
  ])("refuses to post %s", async (_, given, error) => {
    const { post, team } = await apiOnly();
    await expect(post(given)).rejects.toMatchObject(refused(error));
    expect(team.messages).toEqual([]);
  });

  test("lets the bot write only where it is", async () => {
    const { server, ana, post } = await apiOnly();
    const open = server.channel("C0OPEN00001", "open", [ana], { withoutBot: true });
    const hidden = server.channel("C0HIDDEN001", "hidden", [ana], { withoutBot: true, private: true });
    await expect(post({ channel: open.id, text: "a" })).rejects.toMatchObject(refused("not_in_channel"));
    await expect(post({ channel: hidden.id, text: "a" })).rejects.toMatchObject(refused("channel_not_found"));
    server.invite(open, ana);
    expect(await post({ channel: open.id, text: "a" })).toMatchObject({ ok: true });
    open.archived = true;
    await expect(post({ channel: open.id, text: "a" })).rejects.toMatchObject(refused("is_archived"));
  });

  test("edits and deletes the bot's own messages, keeps what they said, and notes what no good client does", async () => {
    const { server, ana, team, call, post } = await apiOnly();
    const { ts } = await post({ text: "one", blocks: [rich(words("one"))] });
    const update = (given: object) => call("chat.update", { channel: team.id, ts, ...given });
    await update({ text: "two", blocks: [rich(words("two"))] });
    await expect(update({ text: "a".repeat(4001) })).rejects.toMatchObject(refused("msg_too_long"));
    await expect(update({ text: "文".repeat(1334) })).rejects.toMatchObject(refused("msg_too_long"));
    await expect(update({ ts: "1.000001", text: "a" })).rejects.toMatchObject(refused("message_not_found"));
    const said = ana.say(team, "mine");
    await expect(update({ ts: said.ts, text: "a" })).rejects.toMatchObject(refused("cant_update_message"));
    await update({ text: "three" });
    const [message] = team.messages;
    expect(message?.edits.map(({ text }) => text)).toEqual(["one", "two"]);
    if (message) message.editWindowClosed = true;
    await expect(update({ text: "four" })).rejects.toMatchObject(refused("edit_window_closed"));
    await call("chat.delete", { channel: team.id, ts });
    await expect(call("chat.delete", { channel: team.id, ts })).rejects.toMatchObject(refused("message_not_found"));
    expect(server.violations).toEqual(["chat.update: an update without blocks of a message that has some"]);
  });

  test("keeps as violations what would ring somebody or lead astray", async () => {
    const { server, post } = await apiOnly();
    const link = { type: "link", url: "javascript:alert(1)", text: "here" };
    const elements = [{ type: "broadcast", range: "channel" }, { type: "user", user_id: "U0ANA000001" }, link];
    await post({ text: "<!channel> <@U0ANA000001> <ftp://x|y> <https://fine.example|z> &lt;!here&gt;", unfurl: "no" });
    await post({ blocks: [rich({ type: "rich_text_section", elements })] });
    expect(server.violations.map((what) => what.replace("chat.postMessage: ", ""))).toEqual([
      'unknown argument "unfurl"',
      "the text pings: <!channel>",
      "the text pings: <@U0ANA000001>",
      "a link to no web or mail address: <ftp://x|y>",
      "blocks without a text to fall back to",
      "an element of type broadcast pings",
      "an element of type user pings",
      "a link to no web or mail address: javascript:alert(1)",
    ]);
  });

  test("gives a thread page by page, oldest first, led by its first message, with metadata only when asked for", async () => {
    const { ana, team, client, post } = await apiOnly();
    const root = ana.say(team, "root");
    const metadata = { event_type: "part", event_payload: { nonce: "reply:1" } };
    for (const text of ["a", "b", "c"]) await post({ text, thread_ts: root.ts, metadata });
    const replies = (given: object) => client.conversations.replies({ channel: team.id, ts: root.ts, ...given });
    const first = await replies({ limit: 2, include_all_metadata: true });
    expect(first).toMatchObject({
      has_more: true,
      messages: [
        { text: "root", reply_count: 3 },
        { text: "a", metadata },
      ],
    });
    const rest = await replies({ cursor: first.response_metadata?.next_cursor });
    expect(rest).toMatchObject({
      has_more: false,
      messages: [{ text: "b", parent_user_id: ana.account.id }, { text: "c" }],
    });
    expect(JSON.stringify(rest)).not.toContain("nonce");
    const latest = team.messages.at(-1)?.ts;
    expect((await replies({ latest })).messages).toMatchObject([{ text: "root" }, { text: "a" }, { text: "b" }]);
    expect((await replies({ latest, inclusive: true })).messages).toHaveLength(4);
  });

  test("tells guests, strangers and other apps apart", async () => {
    const { server, call } = await apiOnly();
    server.user("U0GUEST0001", "Gus", { guest: "ultra_restricted" });
    server.user("U0OTHER0001", "Olga", { team: "T0OTHER0001", stranger: true });
    server.user("U0BOT000001", "Helper", { isBot: true });
    const info = async (user: string) => (await call("users.info", { user }))["user"];
    expect(await info("U0GUEST0001")).toMatchObject({ is_restricted: true, is_ultra_restricted: true });
    expect(await info("U0OTHER0001")).toMatchObject({ team_id: "T0OTHER0001", is_stranger: true });
    expect(await info("U0BOT000001")).toMatchObject({ is_bot: true, profile: { bot_id: "B0BOT000001" } });
    await expect(info("U0NOBODY001")).rejects.toMatchObject(refused("user_not_found"));
  });

  test("takes a status in a thread, and ends it when the bot writes there", async () => {
    const { server, ana, call, post } = await apiOnly();
    const { ts, channel } = ana.say(ana.dm, "hello");
    const status = (thread_ts: string) =>
      call("assistant.threads.setStatus", { channel_id: channel.id, thread_ts, status: "is thinking…" });
    await status(ts);
    await expect(status("1.000001")).rejects.toMatchObject(refused("invalid_thread_ts"));
    await post({ channel: channel.id, thread_ts: ts, text: "hi" });
    expect(server.statuses.map(({ status: shown }) => shown)).toEqual(["is thinking…", ""]);
  });
});

describe("files", () => {
  test("that people share are given only to who holds the bot's token; others get a login page", async () => {
    const { server, ana, received } = await connectedBot();
    const bytes = new TextEncoder().encode("milk");
    ana.say(ana.dm, "read this", { files: [{ name: "list.txt", bytes }] });
    const event = await until("the event", () => received[0]?.body["event"]);
    const url = /"url_private_download":"([^"]+)"/.exec(JSON.stringify(event))?.[1] ?? "";
    expect(event).toMatchObject({ subtype: "file_share", files: [{ name: "list.txt", size: 4 }] });
    const stranger = await fetch(url);
    expect([stranger.status, await stranger.text()]).toEqual([200, expect.stringContaining("Sign in")]);
    const own = await fetch(url, { headers: { authorization: `Bearer ${server.botToken}` } });
    expect(await own.text()).toBe("milk");
  });

  test("that the bot uploads become one message, which files.info names", async () => {
    const { client, team, call } = await apiOnly();
    const uploaded = await client.filesUploadV2({ channel_id: team.id, filename: "a.txt", file: Buffer.from("bread") });
    expect(team.messages).toEqual([]);
    const message = await until("the message", () => team.messages[0]);
    expect(message.files.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])).toEqual([
      ["a.txt", "bread"],
    ]);
    const id = /"id":"(F\w+)"/.exec(JSON.stringify(uploaded))?.[1];
    const shares = { public: { [team.id]: [{ ts: message.ts }] } };
    expect(await call("files.info", { file: id })).toMatchObject({ file: { shares } });
  });
});

describe("misbehaviour", () => {
  test("a 429 names its delay, strikes only its channel, and as often as it is armed", async () => {
    const { server, ana, team, post } = await apiOnly();
    server.fail({ method: "chat.postMessage", place: team.id, retryAfter: 7, skip: 1 });
    await post({ text: "passes" });
    await expect(post({ text: "held" })).rejects.toMatchObject({
      code: "slack_webapi_rate_limited_error",
      retryAfter: 7,
    });
    expect(await post({ channel: ana.dm.id, text: "elsewhere" })).toMatchObject({ ok: true });
    await post({ text: "after" });
    expect(team.messages.map(({ text }) => text)).toEqual(["passes", "after"]);
  });

  test("a cut before nothing is done, a cut after it is, a server's error, and any refusal", async () => {
    const { server, team, post } = await apiOnly();
    server.fail({ drop: "before" });
    server.fail({ drop: "after" });
    server.fail({ status: 503 });
    server.fail({ error: "edit_window_closed" });
    await expect(post({ text: "lost" })).rejects.toMatchObject({ code: "slack_webapi_request_error" });
    await expect(post({ text: "kept" })).rejects.toMatchObject({ code: "slack_webapi_request_error" });
    await expect(post({ text: "refused" })).rejects.toMatchObject({ statusCode: 503 });
    await expect(post({ text: "refused" })).rejects.toMatchObject(refused("edit_window_closed"));
    expect(team.messages.map(({ text }) => text)).toEqual(["kept"]);
    expect(server.calls.map(({ result }) => result)).toEqual(["cut", "cut", "HTTP 503", "edit_window_closed"]);
  });
});
