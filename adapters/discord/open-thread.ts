/** Opens the Discord thread that a message asked for, at the first post to it. */
import { Routes } from "discord.js";
import type { Logger } from "pino";
import { z } from "zod";
import { shorten } from "../shared/split.ts";
import type { Channels } from "./channels.ts";
import { DiscordError, refusedWith } from "./errors.ts";
import { nothing } from "./rest.ts";
import type { Api } from "./rest.ts";
import type { Address } from "./thread-key.ts";

type ThreadAddress = Extract<Address, { type: "thread" }>;

/** Discord: a thread's name has 1 to 100 characters. */
const NAME_LENGTH = 80;
const UNNAMED = "Thread";
const EXISTS = 160004;

/**
 * False: there is no such thread, and none can be opened: no right to, no such kind of channel, or the message is gone.
 * Throws `AdapterError` for everything that may be different next time.
 */
export async function threadIsOpen(
  { guild, parent, thread }: ThreadAddress,
  { api, channels, log }: { readonly api: Api; readonly channels: Channels; readonly log: Logger },
): Promise<boolean> {
  if (channels.known(thread)) return true;
  try {
    const name = await nameFor(parent, thread, api);
    await api.call({ method: "POST", route: Routes.threads(parent, thread), body: { name } }, nothing);
    channels.opened({ id: thread, parent, guild });
    return true;
  } catch (error) {
    if (refusedWith(error, EXISTS)) channels.opened({ id: thread, parent, guild });
    else if (!(error instanceof DiscordError) || error.refusal === undefined || error.code === "auth") throw error;
    // A forum post, or a thread that began with no message, is there without having been opened by one.
    else if (!(await channels.channel(thread))) {
      log.warn({ refusal: error.refusal }, "a Discord thread could not be opened; the answer comes as a reply");
      return false;
    }
    return true;
  }
}

const opening = z.object({ content: z.string().default("") });

/** From the words that open it. */
async function nameFor(parent: string, message: string, api: Api): Promise<string> {
  const route = Routes.channelMessage(parent, message);
  const { content } = await api.call({ method: "GET", route }, opening).catch((error: unknown) => {
    if (error instanceof DiscordError && error.refusal !== undefined) return { content: "" };
    throw error;
  });
  return threadName(content);
}

/** Of a request that we show it is the quoted words. Mentions and marks do not show in a name. */
export function threadName(content: string): string {
  const quoted = [...content.matchAll(/^> ?(.*)$/gm)].map(([, line = ""]) => line);
  const words = (quoted.length > 0 ? quoted.join(" ") : content)
    .replaceAll(/<(?:@[!&]?|#|a?:\w+:)\d+>/g, " ")
    .replaceAll(/[*_~`|\\<>[\]]/g, "")
    .replaceAll(/[\s\p{Cc}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
  return shorten(words, NAME_LENGTH) || UNNAMED;
}
