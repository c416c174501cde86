/** From what the gateway sends to stored events, in order, held until the store takes them. */
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import type { Author, Clock, Deliver, Inbound } from "../../gateway/contract.ts";
import type { Channels } from "./channels.ts";

import { fromDeletion, fromEdit, fromMessage } from "./inbound.ts";
import type { Surroundings } from "./inbound.ts";
import { bulkDeletionSchema, deletionSchema, isWhole, messageSchema } from "./payload.ts";
import type { Message } from "./payload.ts";
import { authorOf } from "./place.ts";
import type { ThreadMode } from "./place.ts";
import type { Dispatch } from "./socket.ts";

export interface IntakeDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly deliver: Deliver;
  readonly channels: Channels;
  readonly account: () => string;
  readonly mode: ThreadMode;
  /** Answers an interaction; resolves when that is done, and never rejects. */
  readonly answer: (interaction: unknown) => Promise<void>;
  /** Tells somebody why a message was refused, below that message. */
  readonly reply: (event: Inbound, text: string) => Promise<void>;
  /** Everything up to this sequence number is stored. */
  readonly stored: (sequence: number) => void;
}
export interface Intake {
  readonly take: (dispatch: Dispatch) => void;
  /** Takes nothing more; resolves when what is under way is stored or given up. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export function createIntake(deps: IntakeDeps): Intake {
  const { log, clock, deliver, channels, answer, reply, stored } = deps;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const pending = new Set<number>();
  let latest = 0;
  let queue = Promise.resolve();

  function take({ t, d, s }: Dispatch): void {
    if (stopping.signal.aborted) return;
    if (t === "READY") {
      // A new session counts from the beginning, and nothing of the one before can be asked for again.
      latest = 0;
      pending.clear();
    }
    latest = Math.max(latest, s);
    channels.learn(t, d);
    if (t === "INTERACTION_CREATE")
      void track(
        s,
        answer(d).then(() => true),
      );
    else if (t.startsWith("MESSAGE_"))
      queue = track(
        s,
        queue.then(() => takeMessage(t, d)),
      );
    else report();
  }

  /** `done` resolves false for what was given up, which is asked for again by the next start. */
  function track(sequence: number, done: Promise<boolean>): Promise<void> {
    pending.add(sequence);
    const work = done.then(
      (isStored) => {
        if (!isStored) return;
        pending.delete(sequence);
        report();
      },
      (error: unknown) => {
        pending.delete(sequence);
        log.error({ err: error }, "an event of Discord's could not be read and was dropped");
      },
    );
    underWay.add(work);
    return work.finally(() => void underWay.delete(work));
  }

  const report = (): void => stored(pending.size === 0 ? latest : Math.min(...pending) - 1);

  async function takeMessage(type: string, data: unknown): Promise<boolean> {
    for (let pauseMs = FIRST_PAUSE_MS; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        for (const event of await translate(type, data, deps)) await bring(event);
        return true;
      } catch (error) {
        if (error instanceof Unreadable) throw error;
        log.warn({ err: error, pauseMs }, "an event could not be stored; it is tried again");
        await pause(clock, pauseMs, stopping.signal);
      }
    }
    return false;
  }

  async function bring(event: Inbound): Promise<void> {
    const delivered = await deliver(event);
    if (event.type !== "message" || delivered.reply?.type !== "notice") return;
    const told = reply(event, delivered.reply.text).catch((error: unknown) =>
      log.debug({ err: error }, "a refusal could not be told"),
    );
    underWay.add(told);
    void told.finally(() => underWay.delete(told));
  }

  return {
    take,
    stop: async () => {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}

/** Of a shape that no repetition mends. */
class Unreadable extends Error {
  override readonly name = "Unreadable";
}

type Sources = Pick<IntakeDeps, "channels" | "account" | "mode" | "clock">;

/** Throws what asking Discord for a channel throws, and `Unreadable`. */
async function translate(type: string, data: unknown, from: Sources): Promise<Inbound[]> {
  const found = await events(type, data, from).catch((error: unknown) => {
    throw error instanceof AdapterError && !FOR_GOOD.includes(error.code) ? error : new Unreadable(String(error));
  });
  return found.filter((event) => event !== undefined);
}
const FOR_GOOD = ["invalid", "forbidden", "not_found"];

async function events(type: string, data: unknown, from: Sources): Promise<(Inbound | undefined)[]> {
  switch (type) {
    case "MESSAGE_CREATE":
      return [await message(data, from, fromMessage)];
    case "MESSAGE_UPDATE":
      return isWhole(data) ? [await message(data, from, fromEdit)] : [];
    case "MESSAGE_DELETE":
      return [await deletion(data, from)];
    case "MESSAGE_DELETE_BULK": {
      const { ids, ...rest } = bulkDeletionSchema.parse(data);
      return Promise.all(ids.map((id) => deletion({ ...rest, id }, from)));
    }
    default:
      return [];
  }
}

async function message(data: unknown, from: Sources, translated: typeof fromMessage): Promise<Inbound | undefined> {
  const read = messageSchema.parse(data);
  const around = await surroundings(read, from);
  return around && translated(read, around);
}

async function deletion(data: unknown, from: Sources): Promise<Inbound | undefined> {
  const read = deletionSchema.parse(data);
  const around = await surroundings(read, from);
  if (!around) return undefined;
  const [recipient] = (read.guild_id ? undefined : (await from.channels.channel(read.channel_id))?.recipients) ?? [];
  const author: Author | undefined = recipient && authorOf(recipient);
  return fromDeletion(read, around, author, from.clock.now());
}

type Located = Pick<Message, "channel_id" | "guild_id" | "channel_type">;

/** What the payload does not say: the type of the channel, a thread's parent, the server's name and roles. */
async function surroundings(
  { channel_id: id, guild_id: guild, channel_type: stated }: Located,
  { channels, account, mode }: Sources,
): Promise<Surroundings | undefined> {
  const names = { account: account(), channel: (other: string) => channels.known(other)?.name ?? undefined };
  if (!guild) return { spot: { channel: id, type: stated ?? 1 }, names, mode };
  const channel = await channels.channel(id);
  if (!channel) return undefined;
  const found = await channels.guild(guild);
  const spot = {
    channel: id,
    type: channel.type,
    parent: channel.parent_id ?? undefined,
    guild,
    guildName: found.name,
  };
  return { spot, names: { ...names, guild: found }, mode };
}

export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function end() {
      cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    }
    const cancel = clock.after(ms, end);
    signal?.addEventListener("abort", end);
  });
}
