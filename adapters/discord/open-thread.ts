/** Opens the Discord thread that begins with a message: behind a post of ours at once, else at the first post to it. */
import { Routes } from "discord.js";
import type { Logger } from "pino";
import { z } from "zod";
import { shorten } from "../shared/graphemes.ts";
import type { Channels } from "./channels.ts";
import { DiscordError } from "./errors.ts";
import { nothing } from "./rest.ts";
import type { Api } from "./rest.ts";
import type { Address } from "./thread-key.ts";

type ThreadAddress = Extract<Address, { type: "thread" }>;
export interface OpenThreadDeps {
  readonly api: Api;
  readonly channels: Channels;
  readonly log: Logger;
}

/** Discord: a thread's name has 1 to 100 characters. */
const NAME_LENGTH = 80;
const UNNAMED = "Thread";

/**
 * False: there is no such thread, and none can be opened: no right to, no such kind of channel, or the message is gone.
 * Throws `AdapterError` for everything that may be different next time.
 */
export async function threadIsOpen(to: ThreadAddress, deps: OpenThreadDeps): Promise<boolean> {
  if (deps.channels.known(to.thread)) return true;
  return openThread(to, await nameFor(to.parent, to.thread, deps.api), deps);
}

/** The same for a thread of which nothing is known yet; `name` as `threadName` makes it. */
export async function openThread(
  { guild, parent, thread }: ThreadAddress,
  name: string,
  { api, channels, log }: OpenThreadDeps,
): Promise<boolean> {
  try {
    await api.call({ method: "POST", route: Routes.threads(parent, thread), body: { name } }, nothing);
    channels.opened({ id: thread, parent, guild });
    return true;
  } catch (error) {
    if (!isForGood(error)) throw error;
    // It may be there all the same: opened before, a forum post, or one that began with no message. That a message has a
    // thread (160004) Discord says also of one that was deleted since.
    if (await channels.channel(thread)) return true;
    log.warn({ refusal: error.refusal }, "a Discord thread could not be opened; the answer comes as a reply");
    return false;
  }
}

const isForGood = (error: unknown): error is DiscordError =>
  error instanceof DiscordError && error.refusal !== undefined && error.code !== "auth";

const opening = z.object({ content: z.string().default("") });

/** From the words that open it. */
async function nameFor(parent: string, message: string, api: Api): Promise<string> {
  const route = Routes.channelMessage(parent, message);
  const { content } = await api.call({ method: "GET", route }, opening).catch((error: unknown) => {
    if (isForGood(error)) return { content: "" };
    throw error;
  });
  return threadName(content);
}

/** Of what somebody wrote. Mentions and marks do not show in a name. */
export function threadName(text: string): string {
  const words = text
    .replaceAll(/<(?:@[!&]?|#|a?:\w+:)\d+>/g, " ")
    .replaceAll(/[*~`|\\<>[\]]/g, "")
    .replaceAll(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, "")
    .replaceAll(/[\s\p{Cc}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
  return shorten(words, NAME_LENGTH) || UNNAMED;
}
