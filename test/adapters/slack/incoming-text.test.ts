import { describe, expect, test } from "vitest";
import { addressed, mentionedIn, readableText } from "../../../adapters/slack/incoming-text.ts";

const bot = { team: "T1", user: "UBOT1", name: "bot" };
const names: Readonly<Record<string, string>> = { U0AB12CD: "Kim" };
const read = (text: string) => readableText(text, bot, (id) => names[id]);

test("MENT-03: the bot's own mention goes with its space, other people keep their name, and nothing stays encoded", () => {
  expect(read("hey <@UBOT1|bot>, ask <@U0AB12CD> about <#C9|general> &amp; <https://e.example|docs>")).toBe(
    "hey, ask @Kim about #general & docs (https://e.example)",
  );
});

test.each([
  ["<@UBOT1> hi", "hi"],
  ["<@UBOT1>: hi", "hi"],
  ["hi <@UBOT1>", "hi"],
  ["<@UBOT1> <@UBOT1> twice", "twice"],
  ["<@U0AB12CD|other>", "@Kim"],
  ["<@U9>", "@U9"],
  ["<@U9|sam>", "@sam"],
  ["<#C9>", "#C9"],
  ["<#C9|>", "#C9"],
  ["<!here> <!channel|@channel> <!subteam^S1|@ops> <!subteam^S1>", "@here @channel @ops @S1"],
  ["<!date^1700000000^{date}|14 November>", "14 November"],
  ["<https://e.example/a?b=1&amp;c=2>", "https://e.example/a?b=1&c=2"],
  ["<http://e.example|e.example>", "http://e.example"],
  ["<mailto:a@e.example|a@e.example>", "a@e.example"],
  ["<tel:+123|call us>", "call us (+123)"],
  ["a &lt; b &amp;&amp; c &gt; d &amp;lt;", "a < b && c > d &lt;"],
  ["&lt;@UBOT1&gt; stays text", "<@UBOT1> stays text"],
])("%s reads as %s", (text, readable) => {
  expect(read(text)).toBe(readable);
});

describe("whom a text addresses", () => {
  test.each([
    ["<@UBOT1> hi", { mentionsBot: true, addressesOther: false }],
    ["hi <@UBOT1|bot>", { mentionsBot: true, addressesOther: false }],
    ["<@U0AB12CD> and <@UBOT1>", { mentionsBot: true, addressesOther: true }],
    [" <@U0AB12CD> look", { mentionsBot: false, addressesOther: true }],
    ["<!subteam^S1|@ops> look", { mentionsBot: false, addressesOther: true }],
    ["<https://e.example> look", { mentionsBot: false, addressesOther: false }],
    ["<!here> look", { mentionsBot: false, addressesOther: false }],
    ["<@UBOT12> is somebody else", { mentionsBot: false, addressesOther: true }],
    ["&lt;@UBOT1&gt; is typed, not mentioned", { mentionsBot: false, addressesOther: false }],
  ])("%s", (text, expected) => {
    expect(addressed(text, bot)).toEqual(expected);
  });
  test("people who are mentioned are listed, the bot is not", () => {
    expect(mentionedIn("<@UBOT1> <@U1> <@U2|two> <#C1> <!here>", bot)).toEqual(["U1", "U2"]);
  });
});
