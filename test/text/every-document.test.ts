/** Generated documents on each platform: a few hundred, ten thousand with THREADLINE_LONG=1. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readPart as discordPart } from "../../adapters/discord/part.ts";
import { render as discord } from "../../adapters/discord/render.ts";
import { readPart as slackPart } from "../../adapters/slack/part.ts";
import { render as slack } from "../../adapters/slack/render.ts";
import { readPart as telegramPart } from "../../adapters/telegram/part.ts";
import { render as telegram } from "../../adapters/telegram/render.ts";
import { contentAfter, messageBody, misdeeds } from "../wire/discord-content.ts";
import { readAs } from "../wire/discord-site.ts";
import { blockViolations, readBlocks } from "../wire/slack-blocks.ts";
import { textViolations } from "../wire/slack-rules.ts";
import { visibleText } from "../wire/slack-visible-text.ts";
import { checkEntities, checkText, pingedBy } from "../wire/telegram-rules.ts";
import { documents } from "./documents.ts";
import type { Piece } from "./piece.ts";
import { dense, lostAddress, misread } from "./visible.ts";

const LONG = process.env["THREADLINE_LONG"] !== undefined;
const MINUTES = 60_000;

function everyDocument(check: (document: Piece) => void): void {
  fc.assert(fc.property(documents, check), { numRuns: LONG ? 10_000 : 200 });
}

/** Where the links in some JSON lead. */
const urlsIn = (parts: unknown): string[] =>
  [...JSON.stringify(parts).matchAll(/"url":"([^"]*)"/g)].map(([, url = ""]) => url);

test(
  "any document is messages that Telegram takes, with each word once and in order, and pings nobody",
  () => {
    everyDocument((document) => {
      const parts = telegram({ type: "reply", markdown: document.markdown }).map(telegramPart);
      for (const { text, entities } of parts) {
        checkText(text);
        expect(checkEntities(text, entities)).toEqual([]);
        expect(entities.length).toBeLessThan(100);
        expect(Buffer.byteLength(JSON.stringify(entities))).toBeLessThan(14_000);
        expect(pingedBy(text, entities)).toEqual([]);
      }
      const shown = parts.map(({ text }) => text).join("\n");
      expect(misread(document, shown)).toBeUndefined();
      expect(lostAddress(document, dense(shown), urlsIn(parts))).toBeUndefined();
    });
  },
  30 * MINUTES,
);

test(
  "any document is messages that Slack takes, with each word once and in order, and pings nobody",
  () => {
    everyDocument((document) => {
      const parts = slack({ type: "reply", markdown: document.markdown }).map(slackPart);
      const shown = parts.map(({ text, blocks }) => {
        const read = readBlocks(blocks, "message");
        const visible = visibleText({ text, blocks: read });
        expect([...textViolations(text), ...blockViolations(read)]).toEqual([]);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4000);
        // Bullets and numbers are drawn by Slack, and sent by nobody.
        const besideTables = visibleText({ text: "", blocks: read.filter(({ type }) => type !== "table") });
        expect(Buffer.byteLength(besideTables.replaceAll(/^ *(?:•|\d+\.) /gm, ""))).toBeLessThanOrEqual(4000);
        expect(Buffer.byteLength(JSON.stringify(blocks))).toBeLessThan(32_000);
        return visible;
      });
      expect(misread(document, shown.join("\n"))).toBeUndefined();
      expect(lostAddress(document, dense(shown.join("\n")), urlsIn(parts))).toBeUndefined();
    });
  },
  30 * MINUTES,
);

/** Without what writes a style or escapes a character: those are the business of the tests of single texts. */
const unmarked = (text: string): string =>
  dense(
    text
      .replaceAll(/```(?:\w*\n)?/g, "")
      .replaceAll(/\]\(<[^>]*>\)/g, "")
      .replaceAll(/^(?:> )+/gm, ""),
  ).replaceAll(/[*_~`\\[<>]/g, "");

test(
  "any document is messages that Discord takes, with each word once and in order, and pings nobody",
  () => {
    everyDocument((document) => {
      const contents = discord({ type: "reply", markdown: document.markdown }).map((part) => discordPart(part).content);
      for (const content of contents) {
        const violations: string[] = [];
        const json = { content, components: [], allowed_mentions: { parse: [] } };
        const body = messageBody(readAs("message", json, (what) => void violations.push(what)));
        expect(content.length).toBeLessThanOrEqual(2000);
        expect([...violations, ...misdeeds(body, contentAfter(undefined, body, []), [])]).toEqual([]);
      }
      expect(misread(document, contents.join("\n"), unmarked)).toBeUndefined();
      expect(lostAddress(document, unmarked(contents.join("\n")), [])).toBeUndefined();
    });
  },
  30 * MINUTES,
);
