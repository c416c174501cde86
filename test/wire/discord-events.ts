/** What the bot is told, and with which intent. https://discord.com/developers/docs/events/gateway-events */
import type { Dispatch, Gateway } from "./discord-gateway.ts";
import { INTENTS } from "./discord-gateway.ts";
import { userJson } from "./discord-account-json.ts";
import { mentionsOf, messageEvent } from "./discord-message-json.ts";
import { channelJson, guildJson } from "./discord-place-json.ts";
import type { Json } from "./discord-account-json.ts";
import { CHANNEL_TYPES, sees } from "./discord-world.ts";
import type { WireChannel, WireGuild, WireMessage, World } from "./discord-world.ts";

export interface Events {
  /** Any event, as it stands, whatever the intents. */
  push(t: string, d: Json): void;
  messageCreated(message: WireMessage): void;
  messageUpdated(message: WireMessage): void;
  messageDeleted(message: WireMessage): void;
  channel(change: "CREATE" | "UPDATE" | "DELETE", channel: WireChannel): void;
  guildJoined(guild: WireGuild): void;
  guildLeft(guild: WireGuild): void;
  /** The last MESSAGE_CREATE that a person caused, once more; false when there was none. */
  again(): boolean;
}

const NOTHING = { content: "", attachments: [], embeds: [], components: [] };

/**
 * Without the intent for content: a message in a server is told without what it says, unless it is the bot's own or
 * mentions it. https://docs.discord.com/developers/events/gateway#message-content-intent
 */
export function withoutContent(world: World, message: WireMessage, json: Json): Json {
  const { channel, author } = message;
  const named = mentionsOf(world, message).users.some(({ id }) => id === world.bot.id);
  const own = author.id === world.bot.id;
  const replied = json["referenced_message"];
  const inner =
    message.replyTo && replied
      ? { referenced_message: withoutContent(world, message.replyTo, replied as Json) } // made by messageJson
      : {};
  return !channel.guild || own || named ? { ...json, ...inner } : { ...json, ...NOTHING, ...inner };
}

export const guildCreate = (world: World, guild: WireGuild): Dispatch => ({
  t: "GUILD_CREATE",
  d: guildJson(world, guild),
  needs: INTENTS.guilds,
});

export function createEvents(world: World, gateway: Pick<Gateway, "dispatch">): Events {
  let last: WireMessage | undefined;
  const messageIntent = ({ guild }: WireChannel) => (guild ? INTENTS.guild_messages : INTENTS.direct_messages);

  function tellMessage(t: string, message: WireMessage): void {
    if (message.ephemeralFor !== undefined || !sees(world, message.channel)) return;
    const d = messageEvent(world, message);
    gateway.dispatch({ t, d, needs: messageIntent(message.channel), bare: withoutContent(world, message, d) });
  }

  function messageCreated(message: WireMessage): void {
    const written = message.type === 0 || message.type === 19;
    if (written && message.author.id !== world.bot.id) last = message;
    tellMessage("MESSAGE_CREATE", message);
  }

  return {
    push: (t, d) => gateway.dispatch({ t, d }),
    messageCreated,
    messageUpdated: (message) => tellMessage("MESSAGE_UPDATE", message),
    messageDeleted({ id, channel, ephemeralFor }) {
      if (ephemeralFor !== undefined || !sees(world, channel)) return;
      const d = { id, channel_id: channel.id, ...(channel.guild && { guild_id: channel.guild.id }) };
      gateway.dispatch({ t: "MESSAGE_DELETE", d, needs: messageIntent(channel) });
    },
    channel(change, channel) {
      const { thread, guild } = channel;
      if (!guild || (thread && !sees(world, channel))) return;
      const kind = thread ? "THREAD" : "CHANNEL";
      const brief = {
        id: channel.id,
        guild_id: guild.id,
        parent_id: thread?.parent.id,
        type: CHANNEL_TYPES[channel.kind],
      };
      const whole = { ...channelJson(world, channel), ...(thread && change === "CREATE" && { newly_created: true }) };
      const d = thread && change === "DELETE" ? brief : whole;
      gateway.dispatch({ t: `${kind}_${change}`, d, needs: INTENTS.guilds });
    },
    guildJoined: (guild) => gateway.dispatch(guildCreate(world, guild)),
    guildLeft: ({ id }) => gateway.dispatch({ t: "GUILD_DELETE", d: { id }, needs: INTENTS.guilds }),
    again() {
      if (last) messageCreated(last);
      return last !== undefined;
    },
  };
}

/** READY, as far as it says who the bot is and where. */
export const readyJson = (world: World): Json => ({
  user: { ...userJson(world.bot), bot: true, verified: true, mfa_enabled: true, email: null, flags: 0 },
  guilds: [...world.guilds.values()].filter(({ present }) => present).map(({ id }) => ({ id, unavailable: true })),
  application: { id: world.bot.id, flags: applicationFlags(world) },
  session_type: "normal",
  private_channels: [],
  relationships: [],
  presences: [],
  guild_join_requests: [],
  geo_ordered_rtc_regions: [],
});

/** GATEWAY_MESSAGE_CONTENT_LIMITED, as set in the portal for a small application. */
export const applicationFlags = ({ messageContent }: World): number => (messageContent ? 1 << 19 : 0);
