/** Accounts and times as Discord writes them. Shapes: the recorded payloads of the fixtures. */
import type { Account, WireGuild } from "./discord-world.ts";

export type Json = Readonly<Record<string, unknown>>;
/** Discord writes times with microseconds and an offset. */
export const time = (ms: number): string => new Date(ms).toISOString().replace("Z", "000+00:00");

const AVATAR = "0123456789abcdef0123456789abcdef";

export const userJson = ({ id, username, global_name, bot }: Account): Json => ({
  avatar: bot ? null : AVATAR,
  avatar_decoration_data: null,
  ...(bot && { bot }),
  clan: null,
  collectibles: null,
  discriminator: bot ? "0001" : "0",
  display_name_styles: null,
  global_name,
  id,
  primary_guild: null,
  public_flags: bot ? 524288 : 0,
  username,
});

export const memberJson = (guild: WireGuild, account: Account): Json => ({
  avatar: null,
  banner: null,
  communication_disabled_until: null,
  deaf: false,
  flags: 0,
  joined_at: time(guild.joinedAt),
  mute: false,
  nick: null,
  pending: false,
  premium_since: null,
  roles: account.bot ? [guild.botRoleId] : [],
});
