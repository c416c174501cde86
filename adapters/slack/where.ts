/** Where something happened, as every event says it. */
import type { Place, ThreadKey } from "../../gateway/contract.ts";
import { accountOf } from "./bot.ts";
import type { Bot } from "./bot.ts";
import { formatPlace } from "./thread-key.ts";

export const where = (bot: Bot, at: Place, thread: ThreadKey) => ({
  platform: "slack",
  account: accountOf(bot),
  place: at,
  thread,
});

interface Known {
  /** Where Slack said so; else the id tells: those of direct messages begin with D. */
  readonly direct?: boolean | undefined;
  readonly name?: string | undefined;
}

export function place(bot: Bot, channel: string, { direct = channel.startsWith("D"), name }: Known = {}): Place {
  return {
    key: formatPlace(bot.team, channel),
    type: direct ? "direct" : "shared",
    id: channel,
    ...(name && { name }),
  };
}
