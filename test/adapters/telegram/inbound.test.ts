import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { toInbound } from "../../../adapters/telegram/inbound.ts";
import { updateSchema } from "../../../adapters/telegram/update.ts";
import type { Inbound } from "../../../gateway/contract.ts";
import { automaticEntities } from "../../wire/telegram-rules.ts";

const bot = { account: "7000000001", username: "threadlinetstbot" };
const sam = { id: 7000001, is_bot: false, first_name: "Sam", last_name: "Example", username: "sam_example" };
const dm = { id: 7000001, type: "private", first_name: "Sam" };
const group = { id: -500, type: "group", title: "Team" };
const forum = { id: -1002, type: "supergroup", title: "Forum", is_forum: true };

function read(update: object): Inbound | undefined {
  return toInbound(updateSchema.parse({ update_id: 1, ...update }), bot, 1_700_000_000_000);
}
/** A message by Sam in the group, with the entities that Telegram finds. */
function say(text: string, fields: object = {}): Inbound | undefined {
  const message = {
    message_id: 12,
    chat: group,
    from: sam,
    date: 1_700_000_000,
    text,
    entities: automaticEntities(text),
  };
  return read({ message: { ...message, ...fields } });
}
function fixture(name: string): object {
  const folder = new URL("../../fixtures/telegram/", import.meta.url);
  const payload: unknown = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
  return Object(payload);
}

describe("recorded payloads", () => {
  test("a private text is a message in the chat's one thread", () => {
    expect(read(fixture("private-text.message.json"))).toEqual({
      platform: "telegram",
      account: "7000000001",
      eventId: "message:7000001/134",
      place: { key: "telegram:7000000001:7000001", type: "direct", single: true, id: "7000001", name: "Sam Example" },
      thread: "telegram:7000000001:7000001",
      author: { id: "7000001", name: "Sam Example", isBot: false },
      sentAt: 1767224901000,
      type: "message",
      post: "7000000001:7000001/134",
      text: "how are you",
      mentionsBot: false,
      files: [],
    });
  });
  test("a mention is taken out with its space", () => {
    expect(read(fixture("private-mention.message.json"))).toMatchObject({ text: "hi", mentionsBot: true });
  });
  test("of a photo the largest size counts, and a message without words is still a message", () => {
    expect(read(fixture("private-photo.message.json"))).toMatchObject({
      type: "message",
      text: "",
      files: [{ id: expect.stringMatching(/I04$/), name: "photo-17.jpg", mime: "image/jpeg", sizeBytes: 173215 }],
    });
  });
});

describe("whom a message addresses", () => {
  test("the bot's mention counts whatever its case, and only its own is taken out", () => {
    expect(say("hey @ThreadlineTstBot, ask @alice now")).toMatchObject({
      text: "hey, ask @alice now",
      mentionsBot: true,
    });
  });
  test("a mention of the bot by account, for bots without a name, counts", () => {
    const entities = [{ type: "text_mention", offset: 0, length: 3, user: { ...sam, id: 7000000001, is_bot: true } }];
    expect(say("Bot do it", { entities })).toMatchObject({ text: "do it", mentionsBot: true });
  });
  test("text that only looks like a mention is none", () => {
    expect(say("@threadlinetstbot hi", { entities: [] })).toMatchObject({ mentionsBot: false });
  });
  test("a message that begins with somebody else's name addresses that person", () => {
    expect(say("@alice look")).toMatchObject({ addressesOther: true, mentionsBot: false });
    expect(say("@threadlinetstbot tell @alice")).not.toHaveProperty("addressesOther");
    expect(say("look @alice")).not.toHaveProperty("addressesOther");
  });
  test("offsets are UTF-16 units: an emoji before the mention does not shift it", () => {
    expect(say("👍 @threadlinetstbot go")).toMatchObject({ text: "👍 go", mentionsBot: true });
  });
  test("a mention in a caption counts", () => {
    const caption = "@threadlinetstbot what is this";
    const document = { file_id: "f1", file_name: "a.pdf", mime_type: "application/pdf", file_size: 10 };
    const fields = {
      text: undefined,
      entities: undefined,
      caption,
      caption_entities: automaticEntities(caption),
      document,
    };
    expect(say("", fields)).toMatchObject({
      text: "what is this",
      mentionsBot: true,
      files: [{ id: "f1", name: "a.pdf", mime: "application/pdf", sizeBytes: 10 }],
    });
  });
});

describe("commands", () => {
  test("MENT-02: a command for another bot is not for us", () => {
    expect(say("/status@other_bot")).toBeUndefined();
  });
  test("MENT-02: a command with our name at it loses the name, in any case", () => {
    expect(say("/STATUS@ThreadLineTstBot now")).toMatchObject({ text: "/STATUS now", mentionsBot: true });
  });
  test("MENT-02: a bare command in a group means us when our menu has it", () => {
    expect(say("/status")).toMatchObject({ text: "/status", mentionsBot: true });
    expect(say("/weather")).toMatchObject({ text: "/weather", mentionsBot: false });
  });
  test("MENT-02: an unknown command keeps nothing of our name", () => {
    expect(say("/weather@threadlinetstbot Rome")).toMatchObject({ text: "/weather Rome", mentionsBot: true });
  });
  test("/start carries its payload, and is a command only where it means us", () => {
    expect(say("/start ABC-123", { chat: dm })).toMatchObject({ type: "command", name: "start", args: "ABC-123" });
    expect(say("/start@threadlinetstbot")).toMatchObject({ type: "command", name: "start", args: "" });
    expect(say("/start")).toMatchObject({ type: "message", mentionsBot: false });
  });
});

describe("threads", () => {
  const thread = (text: string, fields: object = {}) => say(text, fields)?.thread;
  test("THR-01: a private chat is one thread, and one more for each topic", () => {
    expect(thread("my name is Ana", { chat: dm, message_id: 1 })).toBe(thread("what?", { chat: dm, message_id: 2 }));
    expect(thread("a", { chat: dm, message_thread_id: 9, is_topic_message: true })).toBe(
      "telegram:7000000001:7000001:t9",
    );
  });
  test("a message of a plain group opens a key of its own, a reply too", () => {
    const replied = { message_id: 7, from: { ...sam, id: 7000000001, is_bot: true }, text: "Which one?" };
    expect(thread("a")).toBe("telegram:7000000001:-500:m12");
    expect(say("the second", { reply_to_message: replied })).toMatchObject({
      thread: "telegram:7000000001:-500:m12",
      replyTo: { post: "7000000001:-500/7", text: "Which one?", byBot: true },
    });
  });
  test("the quoted words stand for the message they were taken from", () => {
    const replied = { message_id: 7, from: sam, text: "a long message" };
    expect(say("why?", { reply_to_message: replied, quote: { text: "long" } })).toMatchObject({
      replyTo: { text: "long", byBot: false },
    });
  });
  test("THR-02: General and a reply chain in General are one thread", () => {
    const general = thread("a", { chat: forum });
    expect(general).toBe("telegram:7000000001:-1002:t1");
    expect(thread("b", { chat: forum, message_thread_id: 345, reply_to_message: { message_id: 345 } })).toBe(general);
  });
  test("THR-02: the thread id of a reply chain outside a forum names no topic", () => {
    const supergroup = { ...group, type: "supergroup" };
    expect(thread("c", { chat: supergroup, message_thread_id: 345 })).toBe("telegram:7000000001:-500:m12");
  });
  test("a forum topic is one thread, and its opening message is nothing that one replies to", () => {
    const created = { message_id: 40, from: sam, forum_topic_created: { name: "Plans" } };
    const event = say("hi", { chat: forum, message_thread_id: 40, is_topic_message: true, reply_to_message: created });
    expect(event?.thread).toBe("telegram:7000000001:-1002:t40");
    expect(event).not.toHaveProperty("replyTo");
  });
});

describe("what is not for us", () => {
  test("LOOP-01: the bot's own messages are nobody's request, mention or not", () => {
    const own = { id: 7000000001, is_bot: true, first_name: "Threadline", username: "threadlinetstbot" };
    expect(say("@threadlinetstbot hi", { from: own })).toBeUndefined();
    expect(read({ edited_message: { message_id: 1, chat: group, from: own, date: 1, text: "x" } })).toBeUndefined();
  });
  test("LOOP-01: another bot is marked as one", () => {
    expect(say("@threadlinetstbot hi", { from: { ...sam, id: 9, is_bot: true } })).toMatchObject({
      author: { isBot: true },
    });
  });
  test("service messages, channel posts and automatic forwards are nothing", () => {
    expect(say("", { text: undefined, entities: undefined, new_chat_title: "x" })).toBeUndefined();
    expect(say("news", { chat: { id: -9, type: "channel", title: "News" } })).toBeUndefined();
    expect(say("news", { is_automatic_forward: true, sender_chat: { id: -9, type: "channel" } })).toBeUndefined();
    expect(read({ poll: { id: "1" } })).toBeUndefined();
  });
  test("an anonymous administrator speaks as the group, and is no bot", () => {
    const from = { id: 1087968824, is_bot: true, first_name: "Group" };
    expect(say("hi", { from, sender_chat: group })).toMatchObject({
      author: { id: "-500", name: "Team", isBot: false },
    });
  });
});

describe("what is no message", () => {
  const edit = (text: string) =>
    read({ edited_message: { message_id: 12, chat: group, from: sam, date: 1, edit_date: 5, text } });
  test("an edit names its message, and two edits in one second are two events", () => {
    expect(edit("now so")).toMatchObject({
      type: "edited",
      target: "7000000001:-500/12",
      text: "now so",
      sentAt: 5000,
    });
    expect(edit("now so")?.eventId).toBe(edit("now so")?.eventId);
    expect(edit("now so")?.eventId).not.toBe(edit("or so")?.eventId);
  });
  test("a press carries the token, its post, and the thread that the pressed message answers", () => {
    const message = { message_id: 20, chat: group, date: 1, reply_to_message: { message_id: 12 } };
    expect(read({ callback_query: { id: "77", from: sam, data: "tok123", message } })).toMatchObject({
      type: "press",
      eventId: "press:77",
      token: "tok123",
      post: "7000000001:-500/20",
      thread: "telegram:7000000001:-500:m12",
      sentAt: 1_700_000_000_000,
    });
  });
  test("the bot's place in a group and in a private chat is told", () => {
    const change = (chat: object, from: string, to: string) =>
      read({
        my_chat_member: {
          chat,
          from: sam,
          date: 9,
          old_chat_member: { status: from },
          new_chat_member: { status: to },
        },
      });
    expect(change(group, "left", "member")).toMatchObject({
      type: "place",
      change: "added",
      thread: "telegram:7000000001:-500",
    });
    expect(change(group, "administrator", "kicked")).toMatchObject({ change: "removed" });
    expect(change(dm, "kicked", "member")).toMatchObject({ change: "opened", place: { type: "direct" } });
    expect(change(group, "member", "administrator")).toBeUndefined();
  });
});

test("ATT-06: a file above 20 MB is listed with its size, beside its caption", () => {
  const document = { file_id: "big", file_name: "dump.sql", file_size: 25_000_000 };
  expect(say("", { text: undefined, entities: undefined, caption: "summarise", document })).toMatchObject({
    text: "summarise",
    files: [{ id: "big", sizeBytes: 25_000_000 }],
  });
});
