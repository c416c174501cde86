import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fromInteraction } from "../../../adapters/discord/from-interaction.ts";
import { fromDeletion, fromEdit, fromMessage } from "../../../adapters/discord/inbound.ts";
import type { Surroundings } from "../../../adapters/discord/inbound.ts";
import { interactionSchema, isWhole, messageSchema } from "../../../adapters/discord/payload.ts";
import type { Inbound } from "../../../gateway/contract.ts";

const BOT = "1457469483726667778";
const GUILD = "1457468924290400257";
const CHANNEL = "1457510428358737924";
const OWN_ROLE = "1457473602180874243";
const THREAD = "1457536551830421510";

interface Recorded {
  readonly t: string;
  readonly d: Readonly<Record<string, unknown>>;
}
const folder = new URL("../../fixtures/discord/", import.meta.url);
const read = (name: string): Recorded => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));

function around(channel: string, type: number, over: Partial<Surroundings> = {}): Surroundings {
  const inThread = type === 11;
  return {
    spot: { channel, type, guild: GUILD, guildName: "Team", ...(inThread && { parent: CHANNEL }) },
    names: {
      account: BOT,
      guild: {
        name: "Team",
        roles: new Map([
          [OWN_ROLE, { name: "Example Bot", own: true }],
          ["5", { name: "crew", own: false }],
        ]),
      },
      channel: (id) => (id === CHANNEL ? "general" : undefined),
    },
    mode: "auto",
    ...over,
  };
}

/** As the intake would, with what the gateway tells of channels. */
function translate({ t, d }: Recorded): Inbound | undefined {
  if (t === "INTERACTION_CREATE")
    return fromInteraction(interactionSchema.parse(d), { account: BOT, guildName: "Team", now: 1 });
  if (t === "MESSAGE_CREATE") {
    const message = messageSchema.parse(d);
    return fromMessage(message, around(message.channel_id, message.channel_type ?? 0));
  }
  return undefined;
}

const channelThread = (message: string) => `discord:${GUILD}:${CHANNEL}:t${message}`;
const inThread = `discord:${GUILD}:${CHANNEL}:t${THREAD}`;

const RECORDED: Readonly<Record<string, object | undefined>> = {
  mention: {
    type: "message",
    text: "Hey",
    mentionsBot: true,
    topLevel: true,
    thread: channelThread("1457536551830421510"),
  },
  "mention-ai": { type: "message", mentionsBot: true },
  "mention-role": { type: "message", text: "AI Still there?", mentionsBot: true, topLevel: true },
  "channel-mention": { type: "message", mentionsBot: true, topLevel: true },
  "thread-message": { type: "message", text: "Hey", mentionsBot: false, thread: inThread },
  "thread-hey": { type: "message", text: "Hey", thread: inThread },
  "thread-nice": { type: "message", mentionsBot: false },
  "thread-num-1": { type: "message", mentionsBot: false },
  "thread-dm-request": { type: "message", mentionsBot: false },
  "thread-dm-request-2": { type: "message", mentionsBot: false },
  "own-welcome": undefined,
  "thread-own-welcome": undefined,
  "thread-create": undefined,
  "reaction-add": undefined,
  "button-hello": { type: "press", token: "hello", post: `${THREAD}/1457536567810719751`, thread: inThread },
  "button-messages": { type: "press", token: "messages" },
  "button-info": { type: "press", token: "info" },
  "button-goodbye": { type: "press" },
  "button-by-second-user": { type: "press", author: { id: "1100000000000000002" } },
  "button-channel-post": { type: "press", token: "channel-post", post: "1473118766651932699/1473118771026591772" },
  "button-in-dm": {
    type: "press",
    token: "dm-action",
    thread: "discord:@me:DM_CHANNEL_123",
    place: { type: "direct" },
  },
};

describe("recorded payloads", () => {
  test("are all in the table", () => {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.startsWith("_"));
    expect(names.map((name) => name.replace(".json", "")).toSorted()).toEqual(Object.keys(RECORDED).toSorted());
  });
  test.each(Object.entries(RECORDED))("%s is answered or ignored as it should be", (name, expected) => {
    const event = translate(read(name));
    if (!expected) return expect(event).toBeUndefined();
    expect(event).toMatchObject({ platform: "discord", account: BOT, author: { isBot: false }, ...expected });
    expect(event?.eventId).toMatch(/^(message|interaction):/);
    expect(event?.sentAt).toBeGreaterThan(0);
  });
  test("LOOP-01: the bot's own posts are nothing, also when they mention it, in every channel", () => {
    for (const name of ["own-welcome", "thread-own-welcome"]) {
      const own = read(name);
      const loud = { ...own, d: { ...own.d, content: `<@${BOT}> hi` } };
      expect(translate(loud)).toBeUndefined();
      expect(
        fromEdit(messageSchema.parse({ ...loud.d, edited_timestamp: "2026-01-05T00:50:00Z" }), around(THREAD, 11)),
      ).toBeUndefined();
    }
  });
});

/** A message of Sam's, by hand after the recorded ones. */
const said = (over: Readonly<Record<string, unknown>>) => messageSchema.parse({ ...read("thread-message").d, ...over });
const told = (content: string, over: Readonly<Record<string, unknown>> = {}) =>
  fromMessage(said({ content, ...over }), around(THREAD, 11));

describe("MENT-04: in a thread that exists", () => {
  test.each([
    [`<@${BOT}> a`, { text: "a", mentionsBot: true }],
    [`<@!${BOT}> b`, { text: "b", mentionsBot: true }],
    [`<@&${OWN_ROLE}> c`, { text: "c", mentionsBot: true }],
    ["@everyone d", { text: "@everyone d", mentionsBot: false }],
    ["<@&5> e", { text: "@crew e", mentionsBot: false, addressesOther: true }],
    [`hey <@${BOT}>, ask <@9>`, { text: "hey, ask @Ana", mentionsBot: true }],
    [
      `<@9> what does <@${BOT}> say in <#${CHANNEL}>?`,
      { text: "@Ana what does say in #general?", addressesOther: true },
    ],
    [`see \`<@${BOT}>\` there`, { mentionsBot: false }],
    ["```\n" + `<@${BOT}> x` + "\n```", { mentionsBot: false, text: expect.not.stringContaining("<@") }],
    [String.raw`\`` + `<@${BOT}> f` + String.raw`\``, { text: String.raw`\` f\``, mentionsBot: true }],
    [`\`code\` <@${BOT}> g`, { text: "`code` g", mentionsBot: true }],
    [`<@77> hm`, { text: "<@77> hm", addressesOther: true }],
    ["<:party:123> <a:wave:456>", { text: ":party: :wave:" }],
  ])("%s", (content, expected) => {
    const mentions = [
      { id: "9", username: "ana", global_name: "Anastasia", member: { nick: "Ana" } },
      { id: BOT, username: "Example Bot" },
    ];
    expect(told(content, { mentions, mention_everyone: true })).toMatchObject(expected);
  });
  test("a reply that rings the bot is a reply to it", () => {
    const replied = { author: { id: BOT, username: "Example Bot" }, content: "Which one?" };
    expect(
      told("that one", {
        type: 19,
        mentions: [{ id: BOT, username: "Example Bot" }],
        message_reference: { type: 0, channel_id: THREAD, message_id: "42" },
        referenced_message: replied,
      }),
    ).toMatchObject({ text: "that one", replyTo: { post: `${THREAD}/42`, text: "Which one?", byBot: true } });
  });
  test("what Discord does not count as a mention is none, whatever the text looks like", () => {
    expect(told(`see \`<@${BOT}>\``, { mentions: [] })).toMatchObject({
      text: `see \`<@${BOT}>\``,
      mentionsBot: false,
    });
    expect(told("`<@9>`", { mentions: [] })).not.toHaveProperty("addressesOther");
    expect(told(`hello <@${BOT}>`, { mentions: [] })).toMatchObject({ mentionsBot: false });
  });
  test("a forwarded message is read, as a quote, with its files", () => {
    const attachments = [{ id: "7", filename: "a.pdf", size: 5, url: "https://x.example/7" }];
    const mentions = [{ id: "9", username: "ana" }];
    const forwarded = told("look", {
      message_reference: { type: 1, channel_id: "8", message_id: "42" },
      message_snapshots: [{ message: { content: "one <@9>\ntwo", mentions, attachments } }],
    });
    expect(forwarded).toMatchObject({
      text: "look\n\nForwarded message:\n> one @ana\n> two",
      mentionsBot: false,
      files: [{ id: `${THREAD}/1457536593454694411/7`, name: "a.pdf", sizeBytes: 5 }],
    });
    expect(forwarded).not.toHaveProperty("replyTo");
    const bare = {
      message_reference: { type: 1, message_id: "42" },
      message_snapshots: [{ message: { content: "x" } }],
    };
    expect(told("", bare)).toMatchObject({ text: "Forwarded message:\n> x" });
  });
  test("a reply to somebody, to a message that is gone, and a forwarded message", () => {
    const reference = { type: 0, message_id: "42" };
    const referenced_message = { author: { id: "9", username: "ana" }, content: "I think so" };
    expect(told("why?", { type: 19, message_reference: reference, referenced_message })).toMatchObject({
      replyTo: { post: `${THREAD}/42`, text: "I think so", byBot: false },
    });
    expect(told("why?", { type: 19, message_reference: reference, referenced_message: null })).toMatchObject({
      replyTo: { post: `${THREAD}/42`, byBot: false },
    });
    expect(told("look", { message_reference: { type: 1, message_id: "42" } })).not.toHaveProperty("replyTo");
  });
});

describe("MENT-07: without the content", () => {
  test("a message that does not mention the bot is nothing, one that is only a mention is delivered empty", () => {
    expect(told("")).toBeUndefined();
    const mentions = [{ id: BOT, username: "Example Bot" }];
    expect(told(`<@${BOT}>`, { mentions })).toMatchObject({ text: "", mentionsBot: true });
  });
  test("a file alone is something", () => {
    const attachments = [
      { id: "7", filename: "a b.pdf", content_type: "application/pdf", size: 5, url: "https://x.example/7" },
    ];
    expect(told("", { attachments })).toMatchObject({
      text: "",
      files: [{ id: `${THREAD}/1457536593454694411/7`, name: "a b.pdf", mime: "application/pdf", sizeBytes: 5 }],
    });
  });
});

describe("who and where", () => {
  test("a name is the one in the server, else the display name, else the handle", () => {
    const name = (over: Readonly<Record<string, unknown>>) => told("x", over)?.author.name;
    const author = { id: "1", username: "sam", global_name: "Sam" };
    expect(name({ author, member: { nick: "Sammy" } })).toBe("Sammy");
    expect(name({ author })).toBe("Sam");
    expect(name({ author: { id: "1", username: "sam" }, member: null })).toBe("sam");
  });
  test("bots and webhooks are marked as such", () => {
    expect(told("x", { author: { id: "1", username: "b", bot: true } })?.author.isBot).toBe(true);
    expect(told("x", { webhook_id: "5" })?.author.isBot).toBe(true);
  });
  test.each([6, 7, 18, 20, 21])("what Discord says itself (type %i) is nothing", (type) => {
    expect(told("pinned a message", { type })).toBeUndefined();
  });
  test("a voice channel has no threads: replies below the message", () => {
    const message = said({ content: `<@${BOT}> hi`, channel_id: "77" });
    expect(fromMessage(message, around("77", 2))).toMatchObject({
      thread: `discord:${GUILD}:77:m${message.id}`,
      topLevel: true,
    });
  });
});

describe("edits and deletions", () => {
  const edit = (over: Readonly<Record<string, unknown>>) => fromEdit(said(over), around(THREAD, 11));
  test("an edit brings the new text, once for each time it was edited", () => {
    const edited_timestamp = "2026-01-05T00:51:00.000000+00:00";
    expect(edit({ content: "better", edited_timestamp })).toMatchObject({
      type: "edited",
      target: `${THREAD}/1457536593454694411`,
      text: "better",
      eventId: `edited:${THREAD}/1457536593454694411:${edited_timestamp}`,
      sentAt: Date.parse(edited_timestamp),
    });
  });
  test("UED-02: a preview that appears is no edit, with or without the whole message", () => {
    expect(isWhole({ id: "1", channel_id: "2", embeds: [] })).toBe(false);
    expect(edit({ embeds: [{ type: "link" }], edited_timestamp: null })).toBeUndefined();
    expect(edit({ content: "", edited_timestamp: "2026-01-05T00:51:00Z" })).toBeUndefined();
  });
  test("a deletion names the message; who deleted it Discord does not say", () => {
    expect(fromDeletion({ id: "5", channel_id: THREAD, guild_id: GUILD }, around(THREAD, 11), 9)).toMatchObject({
      type: "deleted",
      target: `${THREAD}/5`,
      eventId: `deleted:${THREAD}/5`,
      author: { name: "somebody", isBot: false },
      sentAt: 9,
    });
  });
});
