/**
 * What people reported of texts that arrive torn, refused or as raw markup: said by the model, seen at the platform. One
 * program with all platforms serves the whole file.
 */
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { createDiscordServer, type DiscordServer } from "../wire/discord-server.ts";
import { visibleText as discordText } from "../wire/discord-visible-text.ts";
import type { WireMessage as DiscordMessage } from "../wire/discord-world.ts";
import { lastUserText, toolResults } from "../wire/model-script.ts";
import { createSlackServer, type SlackServer } from "../wire/slack-server.ts";
import { buttonLabels, visibleText as slackText } from "../wire/slack-visible-text.ts";
import type { WireMessage as SlackMessage } from "../wire/slack-world.ts";
import { createTelegramServer, type TelegramServer } from "../wire/telegram-server.ts";
import type { WireEntity, WireMessage as TelegramMessage } from "../wire/telegram-world.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { sharedProgram } from "./program.ts";
import { isSubagent, type Script } from "./scripts.ts";
import { createSlackStage } from "./slack-stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

const CODE = Array.from({ length: 500 }, (_, at) => `x_${String(at + 1).padStart(3, "0")} = 1`);
const FORMATTED = Array.from({ length: 80 }, (_, at) =>
  `**k${String(at + 1).padStart(2, "0")}** a & b <tag> c`.padEnd(48, " padded"),
);
/** Functions with blank lines between them, and one deep indentation. */
const BLANKS = Array.from({ length: 300 }, (_, at) => `def f_${at}():\n    return ${at}\n`)
  .join("\n")
  .trimEnd();
/** One construct of more than sixteen thousand characters, in five parts at most. */
const HUGE_TABLE = Array.from({ length: 500 }, (_, at) => `| row ${at} | value of ${at} end |`);
const PROSE = "A sentence of plain words that says nothing. ".repeat(20).trim();
const TYPESCRIPT = Array.from({ length: 60 }, (_, at) => `export const value${at} = ${at};`.padEnd(29, "/"));
const TOKEN = "0123456789abcdefghijklmnopqrstuvwxyz".repeat(64).slice(0, 2300);
const CJK = "漢字".repeat(150);
const WHY = "Why would anybody ask at such a length? ".repeat(88).trim();
const PINGS = "hi @everyone @here <@&111> <@222>";
const ROWS = [
  ["one", "a\\|b", "中文"],
  ["two", "right", "left"],
  ["three", "mid", "end"],
];
const TABLE = ["| name | value | note |", "|:-----|------:|:----:|", ...ROWS.map((row) => `| ${row.join(" | ")} |`)];
const LONG_TABLE = Array.from({ length: 200 }, (_, at) => `| row ${at} | value of ${at} end |`);

const TEXTS: Readonly<Record<string, string>> = {
  "SPLIT-01": ["Intro", "", "```python", ...CODE, "```", "Done."].join("\n"),
  "SPLIT-01 blank": ["Intro", "", "```python", BLANKS, "```", "Done."].join("\n"),
  "MD-07 huge": ["| name | value |", "|---|---|", ...HUGE_TABLE, "", "Last."].join("\n"),
  "SPLIT-03": FORMATTED.join("\n"),
  "SPLIT-06": [PROSE, "", "```ts", ...TYPESCRIPT, "```", "", TOKEN, "", CJK].join("\n"),
  "MD-01": "call user_id_field then MAX_RETRY_COUNT in /tmp/a_b_c.txt, 2*3*4",
  "MD-02": "***both*** and **bold *it* x** and **a _b** c_",
  "MD-04": "> quoted\n\nif a < b && c > d: `Map<K>` <!channel> <@U0FAKE1> [x](!here) [docs](https://docs.example/)",
  "MD-05": PINGS,
  "MD-07": ["First.", "", ...TABLE, "", "```", ...TABLE, "```", "", "Last."].join("\n"),
  "MD-07 long": ["| name | value |", "|---|---|", ...LONG_TABLE, "", "Last."].join("\n"),
};

/** Says the text that it is asked for by its name; what it costs is told by nobody, so that nothing else is shown. */
const says: Script = (request) => {
  const asked = lastUserText(request);
  if (asked.includes("SPLIT-07")) {
    if (toolResults(request).length > 0) return { content: "So be it.", usage: null };
    const args = { question: WHY, clarification_type: "approach_choice", options: ["Red", "Blue", "Green"] };
    return { toolCalls: [{ name: "ask_clarification", args }], usage: null };
  }
  if (asked === "MD-05 edited" && !isSubagent(request) && toolResults(request).length === 0) {
    const args = { description: PINGS, prompt: "Look.", subagent_type: "general-purpose" };
    return { toolCalls: [{ name: "task", args }], usage: null };
  }
  return { content: TEXTS[asked] ?? asked, usage: null };
};

let telegram: TelegramServer;
let slack: SlackServer;
let discord: DiscordServer;
sharedProgram(
  [
    async () => createTelegramStage((telegram = await createTelegramServer())),
    async () => createSlackStage((slack = await createSlackServer())),
    async () => createDiscordStage((discord = await createDiscordServer())),
  ],
  says,
);

const dense = (text: string) => text.replace(/\s+/g, "");
let people = 0;

/** Asks for a text as somebody new, and waits for its last words: what the bot then shows. */
async function onTelegram(name: string, last: string): Promise<readonly TelegramMessage[]> {
  const ana = telegram.user(9_000_001 + people++, "Ana");
  ana.say(ana.dm, name);
  const posts = () => ana.dm.messages.filter(({ from }) => from.is_bot);
  await until(`the end of ${name}`, () => posts().some(({ text }) => text.includes(last)));
  const calls = telegram.calls.filter(({ params }) => params["chat_id"] === ana.dm.id);
  expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
  expect(telegram.violations).toEqual([]);
  return posts();
}
async function onSlack(name: string, last: string): Promise<readonly SlackMessage[]> {
  const ana = slack.user(`U0ANA${people++}`, "Ana");
  ana.say(ana.dm, name);
  const posts = () => ana.dm.messages.filter(({ user }) => user.id === slack.bot.id);
  await until(`the end of ${name}`, () => posts().some((post) => slackText(post).includes(last)));
  expect(slack.calls.filter(({ method, result }) => method.startsWith("chat.") && result !== "ok")).toEqual([]);
  expect(slack.violations).toEqual([]);
  return posts();
}
async function onDiscord(name: string, last: string): Promise<readonly DiscordMessage[]> {
  const ana = discord.user(String(1_200_000_000_000_000_001n + BigInt(people++)), "Ana");
  discord.gateway.whenConnected(() => ana.say(ana.dm, name));
  const posts = () => ana.dm.messages.filter(({ author }) => author.id === discord.bot.id);
  await until(`the end of ${name}`, () => posts().some(({ shown }) => discordText(shown).includes(last)));
  expect(discord.calls.filter(({ status = 200 }) => status >= 400)).toEqual([]);
  expect(discord.violations).toEqual([]);
  return posts();
}

const marked = ({ text }: TelegramMessage, { offset, length }: WireEntity) => text.slice(offset, offset + length);
const marksOn = (post: TelegramMessage | undefined, words: string): readonly string[] => {
  const at = post?.text.indexOf(words) ?? -1;
  const covers = ({ offset, length }: WireEntity) => offset <= at && at + words.length <= offset + length;
  return (post?.entities.filter(covers) ?? []).map(({ type }) => type).toSorted();
};

describe.concurrent("on Telegram", () => {
  it("SPLIT-01: a fence of 500 lines is code in each part that holds some of it, every line once and in order", async () => {
    const posts = await onTelegram("SPLIT-01", "Done.");
    expect(posts.length).toBeGreaterThanOrEqual(2);
    const code = posts.flatMap((post) => post.entities.map((entity) => ({ ...entity, body: marked(post, entity) })));
    expect(new Set(code.map(({ type, language }) => `${type} ${language}`))).toEqual(new Set(["pre python"]));
    expect(code.map(({ body }) => body.replace(/\n$/, "")).join("\n")).toBe(CODE.join("\n"));
    expect(marksOn(posts.at(-1), "Done.")).toEqual([]);
    expect(posts.filter(({ text, entities }) => /x_\d/.test(text) && entities.length === 0)).toEqual([]);
  });

  it("SPLIT-01: blank lines in code are kept, also where it is cut", async () => {
    const posts = await onTelegram("SPLIT-01 blank", "Done.");
    const code = posts.flatMap((post) => post.entities.map((entity) => marked(post, entity)));
    expect(code.length).toBeGreaterThan(1);
    expect(code.map((body) => body.replace(/\n$/, "")).join("\n")).toBe(BLANKS);
  });

  it("MD-07: a table of more than 16,000 characters is none of raw pipes", async () => {
    const posts = await onTelegram("MD-07 huge", "Last.");
    expect(posts.map(({ text }) => text).join("\n")).not.toMatch(/\|\s*:?-{2,}|\| row/);
  });

  it("SPLIT-03: formatted text near the limit is one message, counted as it is read, and stays formatted", async () => {
    const posts = await onTelegram("SPLIT-03", "k80");
    expect(posts.map(({ text }) => text)).toEqual([FORMATTED.join("\n").replaceAll("**", "")]);
    expect(posts[0]?.entities.filter(({ type }) => type === "bold")).toHaveLength(80);
  });

  it("MD-01: identifiers keep their underscores and stars, and nothing is italic or bold", async () => {
    const [post] = await onTelegram("MD-01", "2*3*4");
    expect(post?.text).toBe(TEXTS["MD-01"]);
    expect(post?.entities.filter(({ type }) => type === "bold" || type === "italic")).toEqual([]);
  });

  it("MD-02: bold and italic inside each other are nested and never cross, and no letter is lost", async () => {
    const [post] = await onTelegram("MD-02", "both");
    expect(marksOn(post, "both")).toEqual(["bold", "italic"]);
    expect(marksOn(post, "it")).toEqual(["bold", "italic"]);
    expect(marksOn(post, "x")).toEqual(["bold"]);
    expect(post?.text.replace(/[*_]/g, "")).toBe("both and bold it x and a b c");
  });
});

describe.concurrent("on Discord", () => {
  it("SPLIT-06: 5300 characters arrive in posts of at most 2000, the fence closed and opened again, the long word cut", async () => {
    const posts = await onDiscord("SPLIT-06", "漢");
    const contents = posts.map(({ shown }) => shown.content);
    expect(contents.filter((content) => content.length < 1 || content.length > 2000)).toEqual([]);
    expect(contents.filter((content) => (content.match(/```/g) ?? []).length % 2 === 1)).toEqual([]);
    expect(contents.filter((content) => content.includes("export const") && !content.includes("```ts\n"))).toEqual([]);
    const words = [PROSE, ...TYPESCRIPT, TOKEN, CJK].join("");
    expect(dense(posts.map(({ shown }) => discordText(shown)).join(""))).toBe(dense(words));
  });

  it("MD-05: no reply, no edit and no request of a command can ring anybody, and their words stay as they are", async () => {
    const [reply] = await onDiscord("MD-05", "hi");
    const [card] = await onDiscord("MD-05 edited", "Done");
    const ana = discord.user("1300000000000000001", "Ana");
    await ana.command("ask", { text: PINGS }, ana.dm);
    const told = () => ana.dm.messages.filter(({ author }) => author.id === discord.bot.id);
    await until("request and reply", () => told().length === 2);
    expect(reply && discordText(reply.shown)).toBe(PINGS);
    expect(card?.edits).not.toEqual([]);
    for (const post of [card, ...told()]) expect(post && discordText(post.shown)).toContain(PINGS);
    expect([reply, card, ...told()].flatMap((post) => post?.pings)).toEqual([]);
    const bodies = discord.calls.map(({ route, body }) => ({ route, body: JSON.stringify(body ?? "") }));
    const written = bodies.filter(({ body }) => body.includes("everyone"));
    expect(written.filter(({ body }) => !body.includes('"allowed_mentions":{"parse":[]'))).toEqual([]);
    // What follows up an interaction is never a model's words; the server notes it where it is not guarded.
    expect(new Set(written.map(({ route }) => route))).toEqual(
      new Set(["POST /channels/:id/messages", "PATCH /channels/:id/messages/:id"]),
    );
  });
});

describe.concurrent("on Slack", () => {
  it("MD-07: a table is Slack's own there, between the text above and below it", async () => {
    const [post, ...more] = await onSlack("MD-07", "Last.");
    expect(more).toEqual([]);
    expect(post?.blocks.map(({ type }) => type)).toEqual(["rich_text", "table", "rich_text"]);
    const table = post?.blocks.find((block) => block.type === "table");
    expect(table?.column_settings).toEqual([{ align: "left" }, { align: "right" }, { align: "center" }]);
    expect(table?.rows[1]).toEqual(["one", "a|b", "中文"].map((text) => ({ type: "raw_text", text })));
  });

  it("SPLIT-07: a question of 3500 characters is asked whole, in one thread, with its buttons once and last", async () => {
    const posts = await onSlack("SPLIT-07", "length?");
    await until("the buttons", () => posts.some(({ blocks }) => buttonLabels(blocks).length > 0));
    expect(posts.map(({ blocks }) => buttonLabels(blocks)).filter((labels) => labels.length > 0)).toEqual([
      ["Red", "Blue", "Green"],
    ]);
    expect(buttonLabels(posts.at(-1)?.blocks ?? [])).toHaveLength(3);
    expect(
      posts
        .map(slackText)
        .join(" ")
        .match(/Why would anybody/g),
    ).toHaveLength(88);
    expect(new Set(posts.map(({ thread_ts }) => thread_ts)).size).toBe(1);
    expect(posts.filter(({ text }) => text === "")).toEqual([]);
  });

  it("MD-04: marks of Slack's own are words: escaped once in the text, plain in the blocks, and nothing is live", async () => {
    const [post] = await onSlack("MD-04", "docs");
    expect(post?.text).toContain("if a &lt; b &amp;&amp; c &gt; d: ");
    expect(post?.text).toContain("Map&lt;K&gt;");
    expect(post?.text).not.toMatch(/&amp;(lt|gt|amp);|<[!@#]/);
    expect(post && slackText(post)).toContain("if a < b && c > d: Map<K> <!channel> <@U0FAKE1> ");
    const elements = post?.blocks.flatMap((block) => (block.type === "rich_text" ? block.elements : []));
    expect(elements?.map(({ type }) => type)).toContain("rich_text_quote");
    const links = JSON.stringify(post?.blocks).match(/"type":"link"[^}]*/g);
    expect(links).toEqual([expect.stringContaining("https://docs.example/")]);
  });
});

describe.concurrent("everywhere", () => {
  const shown = {
    telegram: async (name: string) => (await onTelegram(name, "Last.")).map(({ text }) => text),
    slack: async (name: string) => (await onSlack(name, "Last.")).map(slackText),
    discord: async (name: string) => (await onDiscord(name, "Last.")).map((post) => discordText(post.shown)),
  };

  it.each(Object.keys(shown) as (keyof typeof shown)[])(
    "MD-07: a table on %s shows each value once and no dashes, and one in a fence passes unchanged",
    async (platform) => {
      const text = (await shown[platform]("MD-07")).join("\n");
      const fenced = TABLE.join("\n");
      expect(text).toContain(fenced);
      const table = text.replace(fenced, "");
      expect(table).not.toMatch(/\|\s*:?-{2,}/);
      for (const value of ROWS.flat().map((cell) => cell.replace("\\|", "|")))
        expect(table.split(value), value).toHaveLength(2);
    },
  );

  it.each(Object.keys(shown) as (keyof typeof shown)[])(
    "MD-07: a table on %s that one message cannot hold is cut between its rows, never inside one",
    async (platform) => {
      const posts = await shown[platform]("MD-07 long");
      expect(posts.length).toBeGreaterThan(1);
      expect(posts.join("\n")).not.toMatch(/\|\s*:?-{2,}/);
      for (let at = 0; at < LONG_TABLE.length; at += 1) {
        const whole = posts.filter((post) => new RegExp(`row ${at}\\b[^\\n]*\\s[^\\n]*value of ${at} end`).test(post));
        expect(whole, `row ${at}`).toHaveLength(1);
      }
    },
  );
});

describe("a table that Slack refuses", () => {
  it("comes in words, none of them lost", async () => {
    const ana = slack.user(`U0ANA${people++}`, "Ana");
    slack.fail({ method: "chat.postMessage", place: ana.dm.id, error: "invalid_blocks" });
    ana.say(ana.dm, "MD-07");
    const post = await until("the answer", () => ana.dm.messages.find(({ user }) => user.id === slack.bot.id));
    expect(post.blocks).toEqual([]);
    const values = ["First.", "name", "note", ...ROWS.flat().map((cell) => cell.replace("\\|", "|")), "Last."];
    for (const value of values) expect(post.text).toContain(value);
    expect(slack.violations).toEqual([]);
  });
});
