import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { completed, toDraft } from "../../../adapters/slack/inbound.ts";
import { formView } from "../../../adapters/slack/modal.ts";
import { readPayload } from "../../../adapters/slack/payload.ts";
import { formatPost, formatThread } from "../../../adapters/slack/thread-key.ts";
import type { Inbound } from "../../../gateway/contract.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/slack");
const NOW = 1_800_000_000_000;
type Json = Readonly<Record<string, unknown>>;
const read = (file: string): Json => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Json; // recorded JSON
const CONTEXT = read("_context.json") as Readonly<Record<string, { botUserId: string }>>; // recorded JSON

function recorded(file: string): Inbound | undefined {
  const raw = read(file);
  const { team_id, team } = raw as { team_id?: string; team?: { id: string } }; // recorded JSON
  return inboundOf(raw, { team: team_id ?? team?.id ?? "", user: CONTEXT[file]?.botUserId ?? "", name: "bot" });
}
const bot = { team: "T1", user: "UBOT1", botId: "BBOT1", name: "bot" };
const people = new Map([
  ["U1", { name: "Sam", isBot: false, member: true }],
  ["U2", { name: "Kim", isBot: false, member: true }],
]);
function inboundOf(raw: unknown, as = bot as { team: string; user: string; name: string }): Inbound | undefined {
  const draft = toDraft(readPayload(raw), as, NOW);
  return draft && completed(draft, people, as);
}

/** What becomes of each recorded payload: the words, the token, the command, or nothing at all. */
const RECORDED: Readonly<Record<string, string>> = {
  "actions-mention.app_mention.json": "mention: Test",
  "assistant-context.app_context_changed.json": "ignored",
  "bot-joined.member_joined_channel.json": "added",
  "button-in-thread.block_actions.json": "ignored",
  "button.block_actions.json": "ignored",
  "channel-mention.app_mention.json": "mention: Hey",
  "channel-mention.message.json": "mention: Hey",
  "dm-request-in-thread.message.json": "reply: DM me",
  "dm-request-mention.app_mention.json": "mention: Hey",
  "dm-short.message.json": "direct: Hey!",
  "dm-top-level-second.message.json": "direct: cool!!",
  "dm-top-level.message.json": "direct: hello hello",
  "dm-with-app-context.message.json": "direct: summarize this",
  "enterprise-mention.app_mention.json": "mention: test",
  "ephemeral-button.block_actions.json": "ignored",
  "ephemeral-modal.view_submission.json": "ignored",
  "follow-up-after-button.message.json": "reply: ping?",
  "home-opened.app_home_opened.json": "ignored",
  "log-follow-up.message.json": "reply: 2",
  "mention-with-channel-link.message.json": "mention: Can you see the name of this channel: #C0EX00000002?",
  "mention-with-file.app_mention.json": "mention: [AI] I don't really understand this explanation. + image.png",
  "metadata-button.block_actions.json": "press: bug",
  "metadata-mention.app_mention.json": "mention: test",
  "metadata-modal.view_submission.json": "ignored",
  "modal-button.block_actions.json": "ignored",
  "modal-mention.app_mention.json": "mention: Hello",
  "modal.view_submission.json": "ignored",
  "option-button.block_actions.json": "press: option-a",
  "own-edit-1.message_changed.json": "ignored",
  "own-edit-2.message_changed.json": "ignored",
  "own-message-with-buttons.message.json": "ignored",
  "own-placeholder.message.json": "ignored",
  "own-reply.message.json": "ignored",
  "pasted-table.message.json":
    "message: Which devices support remote firmware upgrades?\n\nManufacturer | Identifier Listed | Units\nSamsung | QB55C | 3",
  "radio-buttons.block_actions.json": "press: all_text",
  "reaction.reaction_added.json": "ignored",
  "rich-text-follow-up.message.json": "reply: Who are you?",
  "rich-text-mention.message.json": "mention: AI What is love?",
  "slash-modal.view_submission.json": "ignored",
  "slash-no-args.command.json": "command: help",
  "slash-with-args.command.json": "unseen: some arguments here",
  "static-select.block_actions.json": "press: greet",
  "system-user.message.json": "ignored",
  "table-bot-mention.app_mention.json": "mention: Hey",
  "table-button.block_actions.json": "ignored",
  "thread-follow-up.message.json": "reply: Hi",
  "twin-1.message.json": "mention: 1",
  "twin-2.app_mention.json": "mention: 1",
  "workspace-a-mention.app_mention.json": "mention: testing",
  "workspace-b-mention.app_mention.json": "mention: hello from team 2",
};

function summary(event: Inbound | undefined): string {
  if (!event) return "ignored";
  switch (event.type) {
    case "message": {
      const kind = event.unseen ? "unseen" : event.mentionsBot ? "mention" : !event.topLevel ? "reply" : undefined;
      const files = event.files.map(({ name }) => ` + ${name}`).join("");
      return `${kind ?? (event.place.type === "direct" ? "direct" : "message")}: ${event.text}${files}`;
    }
    case "press":
      return `press: ${event.token}`;
    case "command":
      return `command: ${event.name}`;
    case "place":
      return event.change;
    case "edited":
    case "deleted":
    case "form":
      return event.type;
  }
}

describe("recorded payloads", () => {
  test("each is in the table", () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json") && file !== "_context.json");
    expect(files.toSorted()).toEqual(Object.keys(RECORDED).toSorted());
  });
  test.each(Object.entries(RECORDED))("%s: %s", (file, expected) => {
    expect(summary(recorded(file))).toBe(expected);
  });
  test("none is for a bot of another workspace", () => {
    const elsewhere = { team: "T0OTHER", user: "U0OTHER", name: "other" };
    for (const file of Object.keys(RECORDED)) expect(inboundOf(read(file), elsewhere), file).toBeUndefined();
  });
  test("DUP-02: both twins of a mention are one event", () => {
    expect(recorded("twin-1.message.json")?.eventId).toBe(recorded("twin-2.app_mention.json")?.eventId);
    expect(recorded("twin-1.message.json")?.thread).toBe(recorded("twin-2.app_mention.json")?.thread);
  });
  test("a mention says who wrote it, where, when, and what thread it opens", () => {
    expect(recorded("channel-mention.app_mention.json")).toEqual({
      platform: "slack",
      account: "T0EX0000001/U0EX00000002",
      eventId: "message:C0EX00000001/1771287144.743569",
      place: { key: "slack:T0EX0000001:C0EX00000001", type: "shared", id: "C0EX00000001" },
      thread: "slack:T0EX0000001:C0EX00000001:1771287144.743569",
      author: { id: "U0EX00000001", name: "U0EX00000001", isBot: false },
      sentAt: 1_771_287_144_743,
      type: "message",
      post: "T0EX0000001:C0EX00000001/1771287144.743569",
      text: "Hey",
      mentionsBot: true,
      topLevel: true,
      files: [],
    });
  });
  test("a press stands in the thread of the message with the button", () => {
    expect(recorded("option-button.block_actions.json")).toMatchObject({
      thread: "slack:T0EX00000006:C0EX00000006:1775407823.782829",
      post: "T0EX00000006:C0EX00000006/1775407827.773439",
      author: { id: "U0EX00000013" },
      sentAt: NOW,
    });
  });
});

const event = (fields: Json, outer: Json = {}): Json => ({
  type: "event_callback",
  team_id: "T1",
  event: {
    type: "message",
    channel: "C1",
    channel_type: "channel",
    ts: "105.000100",
    event_ts: "105.000100",
    ...fields,
  },
  ...outer,
});
const said = (fields: Json, outer?: Json) => inboundOf(event({ user: "U1", text: "hi", ...fields }, outer));

describe("messages", () => {
  test("THR-04: a reply belongs to the thread of the first message, in private channels too", () => {
    const root = inboundOf(event({ user: "U1", text: "root", ts: "100.000100" }));
    for (const channel_type of ["channel", "group"]) {
      const reply = said({ thread_ts: "100.000100", channel_type });
      expect(reply).toMatchObject({ thread: formatThread("T1", "C1", "100.000100"), place: { type: "shared" } });
      expect(reply).not.toHaveProperty("topLevel");
      expect(reply?.thread).toBe(root?.thread);
    }
  });
  test("names come from the directory, for the author and for who is mentioned", () => {
    expect(said({ text: "ask <@U2>" })).toMatchObject({
      author: { id: "U1", name: "Sam", isBot: false, member: true },
      text: "ask @Kim",
    });
  });
  test("ATT-03: a file with and without words, and a reply that is sent to the channel too; joining is nobody's word", () => {
    const files = [
      { id: "F1", name: "a.log", mimetype: "text/plain", size: 3, url_private_download: "https://files.slack.com/a" },
    ];
    expect(said({ subtype: "file_share", text: "see log", files })).toMatchObject({
      text: "see log",
      files: [{ id: "F1 https://files.slack.com/a", name: "a.log", mime: "text/plain", sizeBytes: 3 }],
    });
    expect(said({ subtype: "file_share", text: "", files })).toMatchObject({ type: "message", text: "" });
    expect(said({ subtype: "thread_broadcast", text: "fyi", thread_ts: "100.000100" })).toMatchObject({ text: "fyi" });
    expect(said({ subtype: "channel_join", text: "<@U1> has joined" })).toBeUndefined();
  });
  test("files that are gone are left out, and a link to a file elsewhere has no address for our token", () => {
    const files = [
      { id: "F1", mode: "tombstone" },
      { id: "F2", name: "doc", is_external: true, url_private: "https://drive.example/x" },
    ];
    expect(said({ subtype: "file_share", files })).toMatchObject({ files: [{ id: "F2", name: "doc" }] });
  });
  test("a forwarded message comes with who wrote it; the preview of a link does not", () => {
    const attachments = [
      { is_share: true, author_name: "Kim", text: "see &lt;this&gt;" },
      { title: "A page", text: "its preview", from_url: "https://e.example" },
    ];
    expect(said({ text: "look", attachments })).toMatchObject({ text: "look\n\nKim wrote: see <this>" });
  });
  test("LOOP-01: the bot's own words are nothing, whichever id they bear; another bot's are a bot's", () => {
    expect(said({ user: "UBOT1", text: "<@UBOT1> hi" })).toBeUndefined();
    expect(said({ user: undefined, bot_id: "BBOT1", subtype: "bot_message", text: "<@UBOT1> hi" })).toBeUndefined();
    expect(said({ user: "UBOT1", bot_id: "B9", text: "<@UBOT1> hi" })).toBeUndefined();
    expect(said({ user: "U9", bot_id: "B9", bot_profile: { name: "Deploy" }, text: "<@UBOT1> done" })).toMatchObject({
      author: { id: "U9", name: "Deploy", isBot: true },
    });
    expect(said({ user: undefined, bot_id: "B9", username: "hook", subtype: "bot_message" })).toMatchObject({
      author: { id: "B9", name: "hook", isBot: true },
    });
    for (const user of ["USLACK", "USLACKBOT"]) expect(said({ user }), user).toBeUndefined();
  });
  test("in a channel shared with others the outer team, or an authorization, says whose event it is", () => {
    expect(said({ team: "T9", user_team: "T9" })).toMatchObject({ text: "hi" });
    const authorizations = [{ team_id: "T1", user_id: "UBOT1" }];
    expect(said({}, { team_id: "T9", authorizations })).toMatchObject({ account: "T1/UBOT1" });
    expect(said({}, { team_id: "T9", authorizations: [{ team_id: "T9", user_id: "UBOT1" }] })).toBeUndefined();
  });
  test("a body of a shape that Slack does not document is an error that names the place", () => {
    expect(() => said({ ts: "yesterday" })).toThrow(/"event",\s*"ts"/);
    expect(inboundOf({ type: "shortcut" })).toBeUndefined();
    expect(inboundOf({ type: "view_closed", view: {} })).toBeUndefined();
  });
});

const changed = (message: Json, previous: Json | undefined, more: Json = {}) =>
  inboundOf(
    event({
      subtype: "message_changed",
      ts: "110.000100",
      message: { type: "message", user: "U1", ts: "105.000100", ...message },
      ...(previous && { previous_message: { type: "message", user: "U1", ts: "105.000100", ...previous } }),
      ...more,
    }),
  );

describe("edits and deletions", () => {
  test("a person's edit names the message, its thread, and the edit", () => {
    const edited = { ts: "109.000000", user: "U1" };
    expect(changed({ text: "<@UBOT1> b", edited, thread_ts: "100.000100" }, { text: "<@UBOT1> a" })).toMatchObject({
      type: "edited",
      eventId: "edited:C1/105.000100:109.000000",
      target: formatPost("T1", "C1", "105.000100"),
      thread: formatThread("T1", "C1", "100.000100"),
      text: "b",
      author: { name: "Sam" },
    });
  });
  test("UED-01: a mention that comes again because it was edited is the same event as the first time", () => {
    const again = said({ type: "app_mention", text: "<@UBOT1> b", edited: { ts: "109.000000" } });
    expect(again?.eventId).toBe(said({ text: "<@UBOT1> a" })?.eventId);
  });
  test("UED-02: previews of links, pins and growing threads change no words and are nothing", () => {
    const edited = { ts: "109.000000", user: "U1" };
    expect(
      changed({ text: "a", edited, attachments: [{ title: "x", text: "preview" }] }, { text: "a" }),
    ).toBeUndefined();
    expect(changed({ text: "a" }, { text: "a" })).toBeUndefined();
    expect(changed({ text: "b" }, undefined)).toBeUndefined();
  });
  test("LOOP-04: another bot's edits and deletions are told as a bot's, our own are nothing", () => {
    const edited = { ts: "109.000000", user: "B9" };
    expect(changed({ text: "b", edited, bot_id: "B9" }, { text: "b" })).toBeUndefined();
    expect(changed({ text: "b", edited, bot_id: "B9" }, { text: "a" })).toMatchObject({
      type: "edited",
      author: { isBot: true },
    });
    const previous_message = { user: "U9", bot_id: "B9", text: "a", ts: "105.000100" };
    expect(inboundOf(event({ subtype: "message_deleted", deleted_ts: "105.000100", previous_message }))).toMatchObject({
      type: "deleted",
      author: { isBot: true },
    });
    expect(changed({ text: "b", edited, user: "UBOT1", bot_id: "BBOT1" }, { text: "a" })).toBeUndefined();
  });
  test("a deleted message is one; so is the tombstone that a first message leaves when it has replies", () => {
    const gone = inboundOf(
      event({
        subtype: "message_deleted",
        ts: "110.000100",
        deleted_ts: "105.000100",
        previous_message: { user: "U1", text: "a", ts: "105.000100", thread_ts: "100.000100" },
      }),
    );
    expect(gone).toMatchObject({
      type: "deleted",
      eventId: "deleted:C1/105.000100",
      target: formatPost("T1", "C1", "105.000100"),
      thread: formatThread("T1", "C1", "100.000100"),
    });
    expect(
      changed({ subtype: "tombstone", user: "USLACKBOT", text: "This message was deleted." }, { text: "a" }),
    ).toMatchObject({ type: "deleted", target: formatPost("T1", "C1", "105.000100"), author: { id: "U1" } });
  });
  test("a deleted message of the bot is nothing", () => {
    const previous_message = { user: "UBOT1", bot_id: "BBOT1", text: "a", ts: "105.000100" };
    expect(
      inboundOf(event({ subtype: "message_deleted", deleted_ts: "105.000100", previous_message })),
    ).toBeUndefined();
  });
});

describe("slash commands", () => {
  const called = (text: string, more: Json = {}) =>
    inboundOf({
      command: "/threadline",
      text,
      team_id: "T1",
      channel_id: "C1",
      channel_name: "general",
      user_id: "U1",
      user_name: "sam",
      trigger_id: "1.2.a",
      ...more,
    });

  test.each([
    ["stop", { type: "command", name: "stop", args: "" }],
    ["/STOP", { type: "command", name: "stop", args: "" }],
    ["!new ", { type: "command", name: "new", args: "" }],
    ["STOP now", { type: "message", text: "STOP now", unseen: true }],
    ["new features of Python?", { type: "message", text: "new features of Python?", unseen: true }],
    ["ask stop", { type: "message", text: "stop", unseen: true }],
    ["", { type: "command", name: "help", args: "" }],
    ["  ", { type: "command", name: "help", args: "" }],
    ["ask", { type: "command", name: "help", args: "" }],
    ["ask who is on call?", { type: "message", text: "who is on call?", unseen: true }],
    ["Ask two\nlines", { type: "message", text: "two\nlines", unseen: true }],
    ["who is <@U2|kim>?", { type: "message", text: "who is @Kim?", unseen: true }],
    ["stopping is hard", { type: "message", text: "stopping is hard", unseen: true }],
  ])("/threadline %s", (text, expected) => {
    expect(called(text)).toMatchObject({
      ...expected,
      topLevel: true,
      eventId: "command:1.2.a",
      author: { name: "Sam" },
    });
  });
  test("each call has a thread of its own until its post opens the real one", () => {
    const thread = called("ask a")?.thread;
    expect(called("ask a")?.thread).toBe(thread);
    expect(called("ask a", { trigger_id: "1.2.b" })?.thread).not.toBe(thread);
  });
  test("a call in the bot's own direct messages is direct, and one of another workspace is nothing", () => {
    expect(called("ask a", { channel_id: "D1", channel_name: "directmessage" })).toMatchObject({
      place: { type: "direct" },
    });
    expect(called("ask a", { team_id: "T9" })).toBeUndefined();
  });
});

test("a form comes back with its token, its values, and where it was opened", () => {
  const thread = formatThread("T1", "C1", "100.000100");
  const { private_metadata, callback_id } = formView(
    { token: "f1", title: "Trip", fields: [] },
    { thread, direct: false },
  );
  const view = {
    id: "V1",
    hash: "h",
    callback_id,
    private_metadata,
    state: { values: { where: { "text:0": { type: "plain_text_input", value: "Rome" } } } },
  };
  expect(inboundOf({ type: "view_submission", team: { id: "T1" }, user: { id: "U1" }, view })).toMatchObject({
    type: "form",
    eventId: "form:V1:h",
    token: "f1",
    values: { where: "Rome" },
    thread,
    place: { id: "C1", type: "shared" },
  });
});

test("the bot's own coming and going is told, other people's is not", () => {
  const moved = (type: string, user: string) =>
    inboundOf({
      type: "event_callback",
      team_id: "T1",
      event: { type, user, channel: "C1", inviter: "U1", event_ts: "1.000200" },
    });
  expect(moved("member_joined_channel", "UBOT1")).toMatchObject({
    type: "place",
    change: "added",
    author: { name: "Sam" },
  });
  expect(moved("member_left_channel", "UBOT1")).toMatchObject({ type: "place", change: "removed" });
  expect(moved("member_joined_channel", "U2")).toBeUndefined();
});
