/** What the bot is told of: events in their outer wrapping, as the fixtures show it. */
import { channelName, messageJson } from "./slack-json.ts";
import type { Pushed } from "./slack-envelopes.ts";
import type { SocketMode } from "./slack-socket.ts";
import { isMember } from "./slack-world.ts";
import type { WireChannel, WireMessage, World } from "./slack-world.ts";

type Json = Record<string, unknown>;

export interface Events {
  /** Wraps and sends any event. */
  tell(event: Json, channel?: WireChannel): Pushed;
  /** A new message, if the bot is there to see it; `type` as `app_mention` is the twin of one. */
  message(message: WireMessage, type?: "message" | "app_mention"): Pushed | undefined;
  /** `previous` is the message as it was before. */
  changed(message: WireMessage, previous: Json): Pushed | undefined;
  deleted(channel: WireChannel, previous: Json): Pushed | undefined;
}

const CHANNEL_TYPES = { channel: "channel", group: "group", im: "im" } as const;

export function createEvents(world: World, socket: SocketMode): Events {
  function tell(event: Json, channel?: WireChannel): Pushed {
    const authorization = { enterprise_id: null, team_id: world.team.id, user_id: world.bot.id, is_bot: true };
    return socket.push("events_api", {
      token: "example-verification-token",
      team_id: world.team.id,
      context_team_id: world.team.id,
      context_enterprise_id: null,
      api_app_id: world.appId,
      event,
      type: "event_callback",
      event_id: `Ev${String(world.count()).padStart(10, "0")}`,
      event_time: Math.floor(world.now() / 1000),
      authorizations: [{ ...authorization, is_enterprise_install: false }],
      is_ext_shared_channel: channel?.shared ?? false,
      event_context: `4-event-context-${channel?.id ?? "none"}`,
    });
  }

  const seen = (channel: WireChannel) => isMember(channel, world.bot);
  const place = ({ id, type }: WireChannel, ts: string) => ({
    channel: id,
    event_ts: ts,
    channel_type: CHANNEL_TYPES[type],
  });

  function hidden(channel: WireChannel, event: Json): Pushed | undefined {
    if (!seen(channel)) return undefined;
    const ts = world.nextTs();
    return tell({ type: "message", ...event, hidden: true, ts, ...place(channel, ts) }, channel);
  }

  return {
    tell,
    message(message, type = "message") {
      const { channel, ts } = message;
      if (!seen(channel)) return undefined;
      const { channel_type, ...where } = place(channel, ts);
      const event = { ...messageJson(world, message), type, ...where };
      return tell(type === "message" ? { ...event, channel_type } : event, channel);
    },
    changed(message, previous) {
      const team = { source_team: world.team.id, user_team: message.user.team };
      const now = { ...messageJson(world, message), ...team };
      return hidden(message.channel, { subtype: "message_changed", message: now, previous_message: previous });
    },
    deleted: (channel, previous) =>
      hidden(channel, { subtype: "message_deleted", previous_message: previous, deleted_ts: previous["ts"] }),
  };
}

/** The fields that interactions and commands have in common. */
export const teamFields = (world: World): Json => ({
  api_app_id: world.appId,
  token: "example-verification-token",
  team: { id: world.team.id, domain: world.team.domain },
  enterprise: null,
  is_enterprise_install: false,
});
export const channelFields = (channel: WireChannel): Json => ({ id: channel.id, name: channelName(channel) });
