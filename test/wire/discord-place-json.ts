/** Servers, channels and threads as Discord writes them. */
import { memberJson, time, userJson } from "./discord-account-json.ts";
import type { Json } from "./discord-account-json.ts";
import { allows, CHANNEL_TYPES, PERMISSIONS, threadsOf } from "./discord-world.ts";
import type { Permission, WireChannel, WireGuild, World } from "./discord-world.ts";

/** Of the bot in this channel, without what a test denied; administrator is never among them. */
export function botPermissions(channel: WireChannel): string {
  const names = Object.keys(PERMISSIONS) as Permission[]; // the keys of a constant
  const granted = names.filter((name) => allows(channel, name)).map((name) => PERMISSIONS[name]);
  return String(granted.reduce((sum, bit) => sum | bit, 0n));
}

export function channelJson(world: World, channel: WireChannel): Json {
  const common = {
    flags: 0,
    id: channel.id,
    last_message_id: channel.messages.at(-1)?.id ?? null,
    type: CHANNEL_TYPES[channel.kind],
  };
  if (channel.recipient) return { ...common, recipients: [userJson(channel.recipient)] };
  const inGuild = { ...common, guild_id: channel.guild?.id, name: channel.name, rate_limit_per_user: 0 };
  return channel.thread ? { ...inGuild, ...threadFields(world, channel) } : { ...inGuild, ...placeFields(channel) };
}

function placeFields(channel: WireChannel): Json {
  const denied = [...channel.denied].reduce((sum, name) => sum | PERMISSIONS[name], 0n);
  const overwrite = { id: channel.guild?.botRoleId, type: 0, allow: "0", deny: String(denied) };
  return {
    parent_id: null,
    position: 0,
    nsfw: false,
    topic: null,
    permission_overwrites: denied === 0n ? [] : [overwrite],
    ...(channel.kind === "forum" && { available_tags: [], default_sort_order: null, default_forum_layout: 0 }),
  };
}

function threadFields(world: World, channel: WireChannel): Json {
  const { thread } = channel;
  if (!thread) return {};
  const said = channel.messages.filter(({ type }) => type !== 21);
  return {
    parent_id: thread.parent.id,
    owner_id: thread.ownerId,
    member_count: thread.members.size,
    message_count: said.filter(({ deleted }) => !deleted).length,
    total_message_sent: said.length,
    thread_metadata: {
      archived: thread.archived,
      archive_timestamp: time(thread.archivedAt),
      auto_archive_duration: thread.autoArchive,
      create_timestamp: time(thread.createdAt),
      locked: thread.locked,
    },
    ...(thread.members.has(world.bot.id) && {
      member: { id: channel.id, user_id: world.bot.id, join_timestamp: time(thread.createdAt), flags: 0 },
    }),
    ...(thread.parent.kind === "forum" && { applied_tags: [] }),
  };
}

export function guildJson(world: World, guild: WireGuild): Json {
  const channels = [...world.channels.values()].filter((one) => one.guild === guild && !one.deleted);
  const plain = channels.filter(({ thread }) => !thread);
  const role = (id: string, name: string, position: number, managed: boolean, permissions: bigint) => ({
    id,
    name,
    position,
    managed,
    permissions: String(permissions),
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    mentionable: false,
    flags: 0,
    ...(managed && { tags: { bot_id: world.bot.id } }),
  });
  const granted = Object.values(PERMISSIONS).reduce((sum, bit) => sum | bit, 0n);
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    joined_at: time(guild.joinedAt),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: [...guild.members.values()]
      .filter(({ id }) => id === world.bot.id)
      .map((account) => ({ ...memberJson(guild, account), user: userJson(account) })),
    roles: [
      role(guild.id, "@everyone", 0, false, granted),
      role(guild.botRoleId, world.bot.username, 1, true, granted),
    ],
    channels: plain.map((channel) => channelJson(world, channel)),
    threads: plain.flatMap((channel) => threadsOf(world, channel)).flatMap((one) => activeJson(world, one)),
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    features: [],
    emojis: [],
    stickers: [],
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    afk_channel_id: null,
    afk_timeout: 300,
    application_id: null,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    max_members: 500000,
    mfa_level: 0,
    nsfw: false,
    nsfw_level: 0,
    preferred_locale: "en-US",
    premium_progress_bar_enabled: false,
    premium_subscription_count: 0,
    premium_tier: 0,
    public_updates_channel_id: null,
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    system_channel_flags: 0,
    system_channel_id: null,
    vanity_url_code: null,
    verification_level: 0,
    widget_enabled: false,
    lazy: true,
    version: 1,
  };
}
const activeJson = (world: World, channel: WireChannel): Json[] =>
  channel.thread?.archived ? [] : [channelJson(world, channel)];

/** In whose name an interaction happens: the server's, or nobody's in a DM. */
export const owners = ({ guild }: WireChannel): Json => ({ "0": guild?.id ?? "0" });
