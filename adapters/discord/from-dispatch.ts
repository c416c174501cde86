/** A dispatch of the gateway's about messages as what happened, with what Discord has to be asked for it. */
import { AdapterError } from "../../gateway/contract.ts";
import type { Clock, Inbound } from "../../gateway/contract.ts";
import type { Channels, Guild } from "./channels.ts";
import { fromDeletion, fromEdit, fromMessage } from "./inbound.ts";
import type { Surroundings } from "./inbound.ts";
import { bulkDeletionSchema, defectsOf, deletionSchema, isWhole, messageSchema } from "./payload.ts";
import type { Message } from "./payload.ts";
import type { ThreadMode } from "./place.ts";

export interface Sources {
  readonly channels: Channels;
  readonly account: () => string;
  readonly mode: ThreadMode;
  readonly clock: Clock;
}

/** No repetition mends it. `at`: where its shape is not as it should be. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly at: readonly string[];
  constructor(error: unknown) {
    const at = defectsOf(error);
    super(at ? "Expected an event as Discord documents it, got another shape." : String(error));
    this.at = at ?? [];
  }
}

/** Throws what asking Discord throws where that may be different next time, and `Unreadable`. */
export async function fromDispatch(type: string, data: unknown, from: Sources): Promise<Inbound[]> {
  const found = await events(type, data, from).catch((error: unknown) => {
    throw error instanceof AdapterError && !FOR_GOOD.includes(error.code) ? error : new Unreadable(error);
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
  const around = await surroundings(read, from, /<@&\d+>/.test(read.content));
  return around && translated(read, around);
}

async function deletion(data: unknown, from: Sources): Promise<Inbound | undefined> {
  const read = deletionSchema.parse(data);
  const around = await surroundings(read, from, false);
  return around && fromDeletion(read, around, from.clock.now());
}

type Located = Pick<Message, "channel_id" | "guild_id" | "channel_type">;
const UNKNOWN: Guild = { roles: new Map() };

/** What the payload does not say: the type of the channel, a thread's parent, the server's name and roles. */
async function surroundings(
  { channel_id: id, guild_id: guild, channel_type: stated }: Located,
  { channels, account, mode }: Sources,
  needsRoles: boolean,
): Promise<Surroundings | undefined> {
  const names = { account: account(), channel: (other: string) => channels.known(other)?.name ?? undefined };
  if (!guild) return { spot: { channel: id, type: stated ?? 1 }, names, mode };
  const channel = await channels.channel(id);
  if (!channel) return undefined;
  const found = await channels.guild(guild).catch((error: unknown) => {
    // Whether a role is the bot's own decides whom a message is for; a missing name does not.
    if (needsRoles) throw error;
    return UNKNOWN;
  });
  const spot = {
    channel: id,
    type: channel.type,
    parent: channel.parent_id ?? undefined,
    guild,
    guildName: found.name,
  };
  return { spot, names: { ...names, guild: found }, mode };
}
