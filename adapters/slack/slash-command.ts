/** `/threadline …`, called outside any thread: Slack lets nobody type a slash command in one. Pure. */
import { createHash } from "node:crypto";
import type { Inbound } from "../../gateway/contract.ts";
import { readCommandWords } from "../shared/command-words.ts";
import type { Bot } from "./bot.ts";
import type { Command } from "./payload.ts";
import { formatPost, formatProvisional } from "./thread-key.ts";
import { place, where } from "./where.ts";

/** A command is answered to the caller alone; everything else is a request, which the thread shows first. */
export function fromCommand(command: Command, bot: Bot, receivedAt: number): Inbound {
  const { channel_id: channel, trigger_id: trigger, user_id: user } = command;
  const thread = formatProvisional(bot.team, channel, trigger);
  const called = {
    ...where(bot, place(bot, channel, { name: command.channel_name }), thread),
    eventId: `command:${trigger}`,
    author: { id: user, name: command.user_name ?? user, isBot: false },
    sentAt: receivedAt,
    topLevel: true,
  } as const;
  const words = readCommandWords(command.text);
  if (words.type === "command") return { ...called, type: "command", name: words.name, args: words.args };
  // Nobody can reply to it or see it: it has no ts, and is named after the call.
  const post = formatPost(bot.team, channel, `0.${digits(trigger)}`);
  return { ...called, type: "message", post, text: words.text, mentionsBot: true, unseen: true, files: [] };
}

const digits = (trigger: string): string =>
  BigInt(`0x${createHash("sha256").update(trigger).digest("hex").slice(0, 12)}`).toString();
