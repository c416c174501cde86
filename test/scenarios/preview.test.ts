/** A reply that the model writes slowly, as the person sees it grow, over each platform's real client. */
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { lastUserText } from "../wire/model-script.ts";
import { createTelegramServer, type TelegramServer } from "../wire/telegram-server.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { sharedProgram } from "./program.ts";
import { echo, type Script } from "./scripts.ts";
import { createSlackStage } from "./slack-stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

/** Half of a mark, a link or a table would show at many of its places. */
const REPLY = [
  "It **really is** so, as [the report](https://e.example/report) says, and *nobody* knows why.",
  "| what | how many |\n|---|---|\n| apples | 3 |\n| pears | 4 |",
  "1. First this\n2. Then that",
  "The end of it.",
].join("\n\n");
const SHOWN = /^It really is so, as the report says, and nobody knows why\.\n\nwhat {4}how many\n[^|]*The end of it\.$/;

/** By what it is asked: slowly, or at once. */
const script: Script = (request) =>
  lastUserText(request).includes("slowly") ? { content: REPLY, usage: null, chunkDelayMs: 200 } : echo(request);

let telegram: TelegramServer;
const setting = sharedProgram(
  [
    async () => createTelegramStage((telegram = await createTelegramServer())),
    () => createSlackStage(),
    () => createDiscordStage(),
  ],
  script,
);
const dense = (text: string) => text.replaceAll(/\s/g, "");

describe.concurrent("a reply that is written slowly", () => {
  it("grows as a draft in a Telegram private chat, and then comes once", async () => {
    const stage = setting().stages.find(({ platform }) => platform === "telegram");
    const ana = stage?.person("Ana");
    if (!ana) throw new Error("Expected a stage of Telegram, got none.");
    ana.direct.say(ana, "slowly");
    const replies = () => ana.direct.posts().filter(({ silent }) => !silent);
    await until("the reply", () => replies().length > 0, 30_000);
    expect(replies().map(({ text }) => text)).toEqual([expect.stringMatching(SHOWN)]);
    const { drafts } = telegram.chat(Number(ana.direct.place));
    expect(drafts.length).toBeGreaterThan(2);
    expect(new Set(drafts.map(({ id }) => id)).size).toBe(1);
    const texts = [...drafts.map(({ text }) => text), replies()[0]?.text ?? ""].map(dense);
    texts.slice(1).forEach((text, at) => expect(text.startsWith(texts[at] ?? "")).toBe(true));
    const calls = telegram.calls.filter(({ params }) => params["chat_id"] === Number(ana.direct.place));
    const reply = calls.findIndex(
      ({ params }) => /The end of it/.test(String(params["text"])) && !("draft_id" in params),
    );
    expect(calls.slice(reply).filter(({ method }) => method === "sendMessageDraft")).toEqual([]);
    const cards = ana.direct.posts().filter(({ silent }) => silent);
    expect(cards.flatMap(({ text, before }) => [text, ...before]).filter((text) => text.includes("really"))).toEqual(
      [],
    );
    expect(telegram.tooFast()).toEqual([]);
  });

  it("is no draft when it comes at once", async () => {
    const stage = setting().stages.find(({ platform }) => platform === "telegram");
    const bob = stage?.person("Bob");
    bob?.direct.say(bob, "hello");
    await until("the answer", () => bob?.direct.posts().length === 1);
    expect(telegram.chat(Number(bob?.direct.place)).drafts).toEqual([]);
  });

  it.each(["slack", "discord"])(
    "grows in the progress message on %s, which it leaves when it comes",
    async (platform) => {
      const stage = setting().stages.find((one) => one.platform === platform);
      const ana = stage?.person("Ana");
      if (!ana) throw new Error(`Expected a stage of ${platform}, got none.`);
      ana.direct.say(ana, "slowly");
      await until(
        "the end",
        () => ana.direct.posts().some(({ silent, text }) => silent && text.includes("Done")),
        30_000,
      );
      const [card, ...replies] = ana.direct.posts();
      expect(replies).toHaveLength(1);
      expect(card?.text).not.toContain("really");
      const previews = (card?.before ?? [])
        .filter((text) => text.includes("It "))
        .map((text) => dense(text.slice(text.indexOf("It "))));
      expect(previews.length).toBeGreaterThan(1);
      previews.slice(1).forEach((text, at) => expect(text.startsWith(previews[at] ?? "")).toBe(true));
    },
  );
});
