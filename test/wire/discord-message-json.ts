/** Messages as Discord writes them. Shapes: the recorded payloads of the fixtures, else the published API. */
import { memberJson, time, userJson } from "./discord-account-json.ts";
import type { Json } from "./discord-account-json.ts";
import { channelJson, owners } from "./discord-place-json.ts";
import { CHANNEL_TYPES } from "./discord-world.ts";
import type { Account, WireChannel, WireFile, WireMessage, World } from "./discord-world.ts";

/** Links to files are signed and expire after a day by the server's clock. */
function attachmentJson(world: World, channel: WireChannel, file: WireFile): Json {
  const expires = Math.floor(world.now() / 1000 + 24 * 3600).toString(16);
  const path = `attachments/${channel.id}/${file.id}/${encodeURIComponent(file.name)}?ex=${expires}&is=0&hm=0`;
  return {
    id: file.id,
    filename: file.name,
    size: file.bytes.length,
    url: `${world.origin}/${path}`,
    proxy_url: `${world.origin}/${path}`,
    content_type: file.mime,
    content_scan_version: 0,
    ...(file.description && { description: file.description }),
  };
}

/** People named in a text, as far as the world knows them; roles; everyone. Code names nobody. */
export function mentionsIn(world: World, text: string) {
  const prose = text.replace(/```[\s\S]*?```|`[^`\n]*`/g, "");
  const found = (pattern: RegExp) => [...new Set([...prose.matchAll(pattern)].flatMap(([, id]) => id ?? []))];
  return {
    users: found(/<@!?(\d+)>/g).flatMap((id) => world.accounts.get(id) ?? []),
    roles: found(/<@&(\d+)>/g),
    everyone: /@(everyone|here)\b/.test(prose),
  };
}

export interface Named {
  readonly users: readonly Account[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
}
/** Whom a message names for Discord: of the bot's only whom it may ping; of a reply also the one replied to. */
export function mentionsOf(world: World, message: WireMessage): Named {
  if (message.author.id === world.bot.id) {
    const users = message.pings.flatMap((id) => world.accounts.get(id) ?? []);
    const roles = message.pings.filter((id) => id !== "everyone" && !world.accounts.has(id));
    return { users, roles, everyone: message.pings.includes("everyone") };
  }
  const named = mentionsIn(world, message.shown.content);
  const replied = message.pings.flatMap((id) => world.accounts.get(id) ?? []);
  return { ...named, users: [...new Set([...named.users, ...replied])] };
}

/** A message as REST gives it; `messageEvent` adds what only the gateway says. */
export function messageJson(world: World, message: WireMessage, depth = 0): Json {
  const { channel, shown, replyTo, interaction, thread } = message;
  const named = mentionsOf(world, message);
  const reference = { type: 0, channel_id: replyTo?.channel.id, message_id: replyTo?.id };
  return {
    type: message.type,
    tts: false,
    timestamp: time(message.at),
    ...(channel.thread && { position: positionOf(message) }),
    pinned: false,
    mentions: named.users.map(userJson),
    mention_roles: named.roles,
    mention_everyone: named.everyone,
    id: message.id,
    flags: shown.flags,
    embeds: shown.embeds.map((embed) => ({ type: "rich", content_scan_version: 0, ...embed })),
    edited_timestamp: message.editedAt === undefined ? null : time(message.editedAt),
    content: shown.content,
    components: shown.components,
    channel_id: channel.id,
    author: userJson(message.author),
    attachments: shown.files.map((file) => attachmentJson(world, channel, file)),
    ...(replyTo && { message_reference: { ...reference, ...(channel.guild && { guild_id: channel.guild.id }) } }),
    ...(replyTo && depth === 0 && { referenced_message: replyTo.deleted ? null : messageJson(world, replyTo, 1) }),
    ...(interaction && {
      application_id: world.bot.id,
      webhook_id: world.bot.id,
      interaction_metadata: {
        id: interaction.id,
        type: interaction.type,
        user: userJson(interaction.user),
        authorizing_integration_owners: owners(channel),
      },
    }),
    ...(thread && !thread.deleted && { thread: channelJson(world, thread) }),
  };
}

const positionOf = ({ channel, id }: WireMessage): number =>
  channel.messages.filter((other) => BigInt(other.id) < BigInt(id) && other.type !== 21).length;

export function messageEvent(world: World, message: WireMessage): Json {
  const { channel, author, nonce } = message;
  const { guild } = channel;
  const json = messageJson(world, message);
  const mentions = mentionsOf(world, message).users.map((account) => ({
    ...userJson(account),
    ...(guild && { member: memberJson(guild, account) }),
  }));
  return {
    ...json,
    mentions,
    ...(nonce !== undefined && { nonce }),
    ...(guild && { member: memberJson(guild, author), guild_id: guild.id }),
    channel_type: CHANNEL_TYPES[channel.kind],
  };
}
