/** Threads and forum posts. https://discord.com/developers/docs/resources/channel */
import { channelFor, demand, messageIn } from "./discord-access.ts";
import { messageJson } from "./discord-message-json.ts";
import { channelJson } from "./discord-place-json.ts";
import type { Json } from "./discord-account-json.ts";
import { post } from "./discord-message-routes.ts";
import { refusal } from "./discord-refusals.ts";
import { created, nothing, ok, readAs } from "./discord-site.ts";
import type { Routes, Site } from "./discord-site.ts";
import { addChannel, addMessage, EMPTY, sees, threadsOf } from "./discord-world.ts";
import type { Account, ChannelKind, WireChannel, WireMessage, World } from "./discord-world.ts";

/** HAS_THREAD */
const HAS_THREAD = 32;

export const THREAD_ROUTES: Routes = {
  "POST /channels/:id/messages/:id/threads": ({ params: [id = "", messageId = ""], body }, site) => {
    const { name, auto_archive_duration: minutes } = readAs("thread_on_message", body, site.violate);
    const parent = channelFor(site.world, id);
    if (parent.kind !== "text" && parent.kind !== "announcement") throw refusal("channel_type");
    const message = messageIn(parent, messageId);
    demand(parent, "create_threads");
    const thread = threadOnMessage(message, String(name), site, site.world.bot, Number(minutes ?? 4320));
    return created(channelJson(site.world, thread));
  },
  "POST /channels/:id/threads": async (request, site) => {
    const parent = channelFor(site.world, request.params[0] ?? "");
    if (parent.kind === "forum") return created(await openForumPost(parent, request, site));
    if (parent.kind !== "text" && parent.kind !== "announcement") throw refusal("channel_type");
    const { name, type = 12 } = readAs("thread", request.body, site.violate);
    const kind = type === 12 ? "private_thread" : "public_thread";
    demand(parent, type === 12 ? "create_private_threads" : "create_threads");
    const thread = addThread(site.world, parent, { name: String(name), kind, owner: site.world.bot });
    site.events.channel("CREATE", thread);
    return created(channelJson(site.world, thread));
  },
  "PATCH /channels/:id": ({ params: [id = ""], body }, site) => {
    const channel = channelFor(site.world, id);
    const { archived, locked } = { archived: undefined, locked: undefined, ...(body as Json) }; // two flags are read
    if (!channel.thread) throw refusal("missing_permissions");
    if (channel.thread.ownerId !== site.world.bot.id || locked !== undefined) demand(channel, "manage_threads");
    setArchived(channel, archived === true, locked === true, site);
    return ok(channelJson(site.world, channel));
  },
  "PUT /channels/:id/thread-members/@me": ({ params: [id = ""] }, { world }) => {
    const channel = channelFor(world, id);
    if (channel.thread?.archived) throw refusal("archived");
    channel.thread?.members.add(world.bot.id);
    return nothing;
  },
  "GET /guilds/:id/threads/active": ({ params: [id = ""] }, { world }) => {
    const guild = world.guilds.get(id);
    if (!guild?.present) throw refusal("unknown_guild");
    const parents = [...world.channels.values()].filter((one) => one.guild === guild && !one.thread);
    const threads = parents.flatMap((parent) => threadsOf(world, parent)).filter((one) => sees(world, one));
    const active = threads.filter(({ thread }) => !thread?.archived).map((one) => channelJson(world, one));
    return ok({ threads: active, members: [] });
  },
};

async function openForumPost(
  parent: WireChannel,
  request: { readonly body: unknown; readonly uploads: Parameters<typeof post>[1]["uploads"] },
  site: Site,
): Promise<Json> {
  const { name, message: opening } = readAs("forum_post", request.body, site.violate);
  demand(parent, "send");
  const thread = addThread(site.world, parent, { name: String(name), kind: "public_thread", owner: site.world.bot });
  site.events.channel("CREATE", thread);
  const message = await post(thread, request, "message", opening, site, { id: thread.id });
  return { ...channelJson(site.world, thread), message: messageJson(site.world, message) };
}

interface NewThread {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly owner: Account;
  readonly id?: string;
  readonly minutes?: number;
}

export function addThread(world: World, parent: WireChannel, { name, kind, owner, id, minutes = 4320 }: NewThread) {
  const at = world.now();
  const times = { createdAt: at, archivedAt: at, autoArchive: minutes };
  const members = new Set([owner.id, world.bot.id]);
  const thread = { parent, ownerId: owner.id, members, archived: false, locked: false, ...times };
  const place = parent.guild ? { guild: parent.guild } : {};
  return addChannel(world, { kind, name, thread, ...place, ...(id !== undefined && { id }) });
}

/**
 * The thread has the message's id, begins with a starter message that only points to it, and marks it.
 * @throws Refusal 160004 when it has one already
 */
export function threadOnMessage(
  message: WireMessage,
  name: string,
  { world, events }: Pick<Site, "world" | "events">,
  owner: Account,
  minutes?: number,
): WireChannel {
  if (message.thread && !message.thread.deleted) throw refusal("thread_exists");
  const kind = message.channel.kind === "announcement" ? "announcement_thread" : "public_thread";
  const more = minutes === undefined ? {} : { minutes };
  const thread = addThread(world, message.channel, { name, kind, owner, id: message.id, ...more });
  thread.thread?.members.add(message.author.id);
  message.thread = thread;
  message.shown = { ...message.shown, flags: message.shown.flags | HAS_THREAD };
  events.channel("CREATE", thread);
  events.messageUpdated(message);
  events.messageCreated(
    addMessage(world, { channel: thread, author: message.author, shown: EMPTY, type: 21, replyTo: message }),
  );
  return thread;
}

export function setArchived(
  channel: WireChannel,
  archived: boolean,
  locked: boolean,
  site: Pick<Site, "events" | "world">,
) {
  if (!channel.thread) return;
  channel.thread.archived = archived;
  channel.thread.locked = locked;
  channel.thread.archivedAt = site.world.now();
  site.events.channel("UPDATE", channel);
}
