/** People, channels, messages, files and views as Slack writes them. Shapes: the recorded payloads of the fixtures. */
import type { Account, WireChannel, WireFile, WireMessage, WireView, World } from "./slack-world.ts";

type Json = Record<string, unknown>;

const botProfile = (world: World, { id, name, team, bot }: Account): Json =>
  bot
    ? {
        bot_id: bot.botId,
        app_id: bot.appId,
        bot_profile: {
          id: bot.botId,
          deleted: false,
          name,
          updated: 1_766_422_444,
          app_id: bot.appId,
          user_id: id,
          icons: { image_36: `${world.origin}/icons/bot_36.png` },
          team_id: team,
        },
      }
    : {};

/** Without `channel`, as in the answers of the Web API. */
export function messageJson(world: World, message: WireMessage, withMetadata = false): Json {
  const { user, ts, channel, thread_ts, files, metadata } = message;
  const root = thread_ts === undefined ? undefined : channel.messages.find((one) => one.ts === thread_ts);
  const foreign = user.team === world.team.id ? {} : { user_team: user.team, source_team: user.team };
  return {
    type: "message",
    ...(message.subtype !== undefined && { subtype: message.subtype }),
    user: user.id,
    ts,
    ...(message.client_msg_id !== undefined && { client_msg_id: message.client_msg_id }),
    ...botProfile(world, user),
    text: message.text,
    team: user.team,
    ...foreign,
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
    ...(files.length > 0 && {
      files: files.map((file) => fileJson(world, file)),
      upload: false,
      display_as_bot: false,
    }),
    ...(thread_ts !== undefined && { thread_ts, ...(root && { parent_user_id: root.user.id }) }),
    ...threadJson(message),
    ...(message.editedTs !== undefined && { edited: { user: user.id, ts: message.editedTs } }),
    ...reactionsJson(message),
    ...(withMetadata && metadata && { metadata }),
  };
}

function threadJson({ channel, ts }: WireMessage): Json {
  const replies = channel.messages.filter((one) => one.thread_ts === ts && !one.deleted);
  const last = replies.at(-1);
  if (!last) return {};
  const users = [...new Set(replies.map(({ user }) => user.id))];
  return {
    thread_ts: ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    reply_users: users,
    latest_reply: last.ts,
    subscribed: false,
  };
}

function reactionsJson({ reactions }: WireMessage): Json {
  const list = [...reactions].map(([name, users]) => ({ name, users: [...users], count: users.size }));
  return list.length > 0 ? { reactions: list } : {};
}

export function fileJson(world: World, file: WireFile): Json {
  const base = `${world.origin}/files-pri/${world.team.id}-${file.id}`;
  const created = Math.floor(world.now() / 1000);
  return {
    id: file.id,
    created,
    timestamp: created,
    name: file.name,
    title: file.title,
    mimetype: file.mime,
    filetype: file.name.split(".").at(-1) ?? "binary",
    user: file.user,
    user_team: world.users.get(file.user)?.team ?? world.team.id,
    editable: false,
    size: file.sizeBytes,
    mode: "hosted",
    is_external: false,
    external_type: "",
    is_public: true,
    public_url_shared: false,
    display_as_bot: false,
    username: "",
    url_private: `${base}/${encodeURIComponent(file.name)}`,
    url_private_download: `${base}/download/${encodeURIComponent(file.name)}`,
    media_display_type: "unknown",
    permalink: `${world.origin}/files/${file.user}/${file.id}/${encodeURIComponent(file.name)}`,
    is_starred: false,
    skipped_shares: true,
    has_rich_preview: false,
    file_access: "visible",
  };
}

/** `shares` as files.info writes them: by openness, then by channel. */
export function sharesJson(world: World, file: WireFile): Json {
  const shares: Record<"public" | "private", Record<string, Json[]>> = { public: {}, private: {} };
  for (const { channel: id, ts } of file.shares) {
    const channel = world.channels.get(id);
    const places = shares[channel?.type === "channel" ? "public" : "private"];
    places[id] = [...(places[id] ?? []), { ts, channel_name: channelName(channel) }];
  }
  const seen = Object.entries(shares).filter(([, places]) => Object.keys(places).length > 0);
  return { shares: Object.fromEntries(seen) };
}

/** How payloads name a channel. */
export function channelName(channel: WireChannel | undefined): string {
  if (channel?.type === "im") return "directmessage";
  return channel?.type === "group" ? "privategroup" : (channel?.name ?? "unknown");
}

export function channelJson(world: World, channel: WireChannel): Json {
  const common = {
    id: channel.id,
    created: 1_766_422_444,
    is_im: channel.type === "im",
    is_archived: channel.archived,
    is_org_shared: false,
    context_team_id: world.team.id,
  };
  if (channel.type === "im") return { ...common, user: channel.user, is_open: true, priority: 0 };
  const hidden = channel.type === "group";
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: !hidden,
    is_group: hidden,
    is_mpim: false,
    is_private: hidden,
    is_member: channel.members.has(world.bot.id),
    is_general: false,
    is_shared: channel.shared,
    is_ext_shared: channel.shared,
    creator: "U0CREATOR01",
    topic: { value: "", creator: "", last_set: 0 },
    purpose: { value: "", creator: "", last_set: 0 },
  };
}

export function userJson(world: World, account: Account): Json {
  const handle = account.name.toLowerCase().replaceAll(/\s+/g, ".");
  return {
    id: account.id,
    team_id: account.team,
    name: handle,
    deleted: false,
    real_name: account.name,
    tz: "Europe/Berlin",
    profile: {
      real_name: account.name,
      display_name: account.name,
      real_name_normalized: account.name,
      display_name_normalized: account.name,
      team: account.team,
      ...(account.bot && { bot_id: account.bot.botId, api_app_id: account.bot.appId }),
    },
    is_admin: false,
    is_owner: false,
    is_restricted: account.guest !== undefined,
    is_ultra_restricted: account.guest === "ultra_restricted",
    ...(account.team !== world.team.id && { is_stranger: account.stranger ?? false }),
    is_bot: account.bot !== undefined,
    is_app_user: false,
    updated: 1_766_422_444,
  };
}

/** A view as views.open answers it and as a submission carries it; `values` are what the person filled in. */
export function viewJson(world: World, { id, fields, hash }: WireView, values: Json = {}): Json {
  return {
    id,
    team_id: world.team.id,
    ...fields,
    state: { values },
    hash,
    previous_view_id: null,
    root_view_id: id,
    app_id: world.appId,
    external_id: "",
    app_installed_team_id: world.team.id,
    bot_id: world.bot.bot.botId,
  };
}
