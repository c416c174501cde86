/** The methods that read: auth.*, users.*, team.*, conversations.*; and the one that opens the socket. */
import { z } from "zod";
import { channelJson, messageJson, userJson } from "./slack-json.ts";
import { channelOf, count, flag, method } from "./slack-method.ts";
import type { Answer, Method, MethodContext } from "./slack-method.ts";
import { Refusal } from "./slack-rules.ts";
import { findMessage, isMember, threadOf } from "./slack-world.ts";
import type { WireMessage } from "./slack-world.ts";

const paging = {
  channel: z.string(),
  cursor: z.string().optional(),
  latest: z.string().optional(),
  oldest: z.string().optional(),
  inclusive: flag.default(false),
  limit: count(1000).default(100),
  include_all_metadata: flag.default(false),
};
type Paging = z.output<z.ZodObject<typeof paging>>;

export const READ_METHODS: Readonly<Record<string, Method>> = {
  "auth.test": method({ token: "any" }, {}, (_, { world, token }) => {
    const { team, bot, appId } = world;
    if (token === "app") return { app_name: bot.name, app_id: appId };
    return {
      url: `https://${team.domain}.slack.com/`,
      team: team.name,
      user: bot.name.toLowerCase(),
      team_id: team.id,
      user_id: bot.id,
      bot_id: bot.bot.botId,
      is_enterprise_install: false,
    };
  }),
  "apps.connections.open": method({ token: "app" }, {}, (_, { world, socket }) => ({
    url: `${world.origin.replace("http", "ws")}${socket.ticket()}`,
  })),
  "team.info": method("team:read", { team: z.string().optional() }, (_, { world }) => ({
    team: { ...world.team, url: `https://${world.team.domain}.slack.com/`, email_domain: "", icon: {} },
  })),
  "users.info": method("users:read", { user: z.string(), include_locale: flag.optional() }, ({ user }, { world }) => {
    const account = world.users.get(user);
    if (!account) throw new Refusal("user_not_found");
    return { user: userJson(world, account) };
  }),
  "conversations.info": method(
    "channels:read",
    { channel: z.string(), include_locale: flag.optional(), include_num_members: flag.optional() },
    ({ channel }, context) => ({ channel: channelJson(context.world, channelOf(context, channel)) }),
  ),
  "conversations.open": method(
    "im:write",
    { users: z.string().optional(), channel: z.string().optional(), return_im: flag.optional() },
    ({ users, channel: id }, context) => {
      const list = [...context.world.channels.values()];
      const channel = list.find((one) => one.type === "im" && (one.user === users || one.id === id));
      if (!channel) throw new Refusal("user_not_found");
      return { channel: { id: channel.id } };
    },
  ),
  "conversations.replies": method("channels:history", { ...paging, ts: z.string() }, (query, context) => {
    const channel = readable(context, query.channel);
    const [root, ...replies] = threadOf(channel, query.ts);
    if (!root) throw new Refusal("thread_not_found");
    // Oldest first. The first message leads, whatever the bounds; later pages go on without it.
    return pageJson([root, ...replies.filter(within(query))], query, context);
  }),
  "conversations.history": method("channels:history", paging, (query, context) => {
    const channel = readable(context, query.channel);
    const top = channel.messages.filter((one) => !one.deleted && one.thread_ts === undefined);
    return pageJson(top.filter(within(query)).toReversed(), query, context);
  }),
};

function readable(context: MethodContext, id: string) {
  const channel = channelOf(context, id);
  if (!isMember(channel, context.world.bot)) throw new Refusal("not_in_channel");
  return channel;
}

/** Bounds leave out the message they name, unless `inclusive`. */
function within({ latest, oldest, inclusive }: Paging) {
  return ({ ts }: WireMessage): boolean => {
    const named = ts === latest || ts === oldest;
    return named ? inclusive : Number(ts) < Number(latest ?? Infinity) && Number(ts) > Number(oldest ?? 0);
  };
}

/** One page. The cursor is opaque to clients: it holds the ts after which to go on. */
function pageJson(list: readonly WireMessage[], query: Paging, { world }: MethodContext): Answer {
  const { cursor, limit, include_all_metadata } = query;
  const after = cursor === undefined ? undefined : Buffer.from(cursor, "base64url").toString();
  const start = after === undefined ? 0 : list.findIndex(({ ts }) => ts === after) + 1;
  if (after !== undefined && start === 0) throw new Refusal("invalid_cursor");
  const messages = list.slice(start, start + limit);
  const last = start + limit < list.length ? messages.at(-1) : undefined;
  return {
    messages: messages.map((message) => messageJson(world, message, include_all_metadata)),
    has_more: last !== undefined,
    ...(last && { response_metadata: { next_cursor: Buffer.from(last.ts).toString("base64url") } }),
  };
}

/** A thread is named by any message of it that is there. */
export const threadExists = (context: MethodContext, channel: string, ts: string): boolean =>
  findMessage(channelOf(context, channel), ts) !== undefined;
