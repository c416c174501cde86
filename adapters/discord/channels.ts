/**
 * What is known of channels and servers: learned from the gateway, else asked for. Memory only, and nothing depends on
 * it but the number of questions.
 */
import { Routes } from "discord.js";
import { refusedWith } from "./errors.ts";
import { channelSchema, guildSchema, roleChangeSchema, threadListSchema } from "./payload.ts";
import type { Channel } from "./payload.ts";
import type { Api } from "./rest.ts";

export interface Guild {
  readonly name?: string;
  /** Names by id; `own` is the role that Discord made for this bot. */
  readonly roles: ReadonlyMap<string, { readonly name: string; readonly own: boolean }>;
}
export interface Channels {
  /** Takes what a dispatch tells. */
  learn(event: string, data: unknown): void;
  /** Without asking. */
  known(id: string): Channel | undefined;
  /** Asks where it is not known; undefined: there is no such channel, or none that the bot may see. Throws `AdapterError`. */
  channel(id: string): Promise<Channel | undefined>;
  /** Asks where it is not known; one that the bot may not see has no name and no roles. Throws `AdapterError`. */
  guild(id: string): Promise<Guild>;
  /** Without asking. */
  guildName(id: string): string | undefined;
  /** A thread was opened just now. */
  opened(thread: { readonly id: string; readonly parent: string; readonly guild: string }): void;
}

/** More than a bot has to do with in a day; the oldest are forgotten and asked for again. */
const MOST = 20_000;
const CHANNEL_EVENTS = ["CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE"];
const PUBLIC_THREAD = 11;

export function createChannels(api: Api, account: () => string): Channels {
  const channels = new Map<string, Channel>();
  const guilds = new Map<string, Guild>();

  function keep(channel: Channel): void {
    const [oldest] = channels.keys();
    if (channels.size >= MOST && oldest !== undefined) channels.delete(oldest);
    channels.set(channel.id, channel);
  }

  function learnGuild(data: unknown): void {
    const read = guildSchema.safeParse(data);
    if (!read.success) return;
    const { id, name, roles } = read.data;
    for (const channel of [...read.data.channels, ...read.data.threads]) keep({ ...channel, guild_id: id });
    guilds.set(id, { name, roles: new Map(roles.map((role) => [role.id, roleOf(role)])) });
  }

  const roleOf = ({
    name,
    tags,
  }: {
    name: string;
    tags?: { bot_id?: string | null | undefined } | null | undefined;
  }) => ({
    name,
    own: tags?.bot_id === account(),
  });

  function learnRole(data: unknown): void {
    const read = roleChangeSchema.safeParse(data);
    const guild = read.success && guilds.get(read.data.guild_id);
    if (!guild) return;
    const { role, guild_id } = read.data;
    guilds.set(guild_id, { ...guild, roles: new Map([...guild.roles, [role.id, roleOf(role)]]) });
  }

  function learn(event: string, data: unknown): void {
    if (event === "GUILD_CREATE" || event === "GUILD_UPDATE") learnGuild(data);
    else if (event.startsWith("GUILD_ROLE_")) learnRole(data);
    else if (event === "THREAD_LIST_SYNC") {
      const read = threadListSchema.safeParse(data);
      for (const thread of read.data?.threads ?? []) keep({ ...thread, guild_id: read.data?.guild_id });
    } else if (CHANNEL_EVENTS.includes(event) || event === "CHANNEL_DELETE" || event === "THREAD_DELETE") {
      const read = channelSchema.safeParse(data);
      if (!read.success) return;
      if (event.endsWith("DELETE")) channels.delete(read.data.id);
      else keep(read.data);
    }
  }

  async function channel(id: string): Promise<Channel | undefined> {
    const known = channels.get(id);
    if (known) return known;
    try {
      const found = await api.call({ method: "GET", route: Routes.channel(id) }, channelSchema);
      keep(found);
      return found;
    } catch (error) {
      if (refusedWith(error, 10003, 50001)) return undefined;
      throw error;
    }
  }

  async function guild(id: string): Promise<Guild> {
    const known = guilds.get(id);
    if (known) return known;
    try {
      learnGuild(await api.call({ method: "GET", route: Routes.guild(id) }, guildSchema));
    } catch (error) {
      if (!refusedWith(error, 10004, 50001)) throw error;
    }
    return guilds.get(id) ?? { roles: new Map() };
  }

  return {
    learn,
    known: (id) => channels.get(id),
    channel,
    guild,
    guildName: (id) => guilds.get(id)?.name,
    opened: ({ id, parent, guild: guild_id }) => keep({ id, type: PUBLIC_THREAD, parent_id: parent, guild_id }),
  };
}
