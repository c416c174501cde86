/** Messages of a channel. https://discord.com/developers/docs/resources/message */
import { channelFor, demand, messageIn, requireWriting } from "./discord-access.ts";
import { contentAfter, messageBody, misdeeds, pingsOf, storeUploads } from "./discord-content.ts";
import type { MessageBody } from "./discord-content.ts";
import { withoutContent } from "./discord-events.ts";
import { messageJson } from "./discord-message-json.ts";
import type { Json } from "./discord-account-json.ts";
import { invalid, refusal } from "./discord-refusals.ts";
import type { BodyKind } from "./discord-schemas.ts";
import { nothing, ok, readAs } from "./discord-site.ts";
import type { RouteRequest, Routes, Site } from "./discord-site.ts";
import { addMessage, allows } from "./discord-world.ts";
import type { WireChannel, WireMessage, World } from "./discord-world.ts";

export const MESSAGE_ROUTES: Routes = {
  "GET /channels/:id/messages": ({ params: [id = ""], query }, { world }) => {
    const channel = channelFor(world, id);
    if (channel.kind === "forum") throw refusal("no_text_channel");
    if (!allows(channel, "history")) return ok([]);
    return ok(page(channel, query).map((message) => readable(world, message)));
  },
  "GET /channels/:id/messages/:id": ({ params: [id = "", messageId = ""] }, { world }) => {
    const channel = channelFor(world, id);
    demand(channel, "history");
    return ok(readable(world, messageIn(channel, messageId)));
  },
  "POST /channels/:id/messages": async (request, site) => {
    const channel = channelFor(site.world, request.params[0] ?? "");
    requireWriting(channel);
    return ok(messageJson(site.world, await post(channel, request, "message", request.body, site)));
  },
  "PATCH /channels/:id/messages/:id": async (request, site) => {
    const [id = "", messageId = ""] = request.params;
    const channel = channelFor(site.world, id);
    const message = messageIn(channel, messageId);
    if (message.author.id !== site.world.bot.id) throw refusal("not_author");
    if (channel.thread?.archived) throw refusal("archived");
    return ok(messageJson(site.world, await edit(message, request, "edit", request.body, site)));
  },
  "DELETE /channels/:id/messages/:id": ({ params: [id = "", messageId = ""] }, site) => {
    const channel = channelFor(site.world, id);
    const message = messageIn(channel, messageId);
    if (message.author.id !== site.world.bot.id) throw refusal(channel.guild ? "missing_permissions" : "dm_action");
    if (channel.thread?.archived) throw refusal("archived");
    remove(message, site);
    return nothing;
  },
  "POST /channels/:id/typing": ({ params: [id = ""] }, { world }) => {
    const channel = channelFor(world, id);
    requireWriting(channel);
    channel.typing.push(world.now());
    return nothing;
  },
  "PUT /channels/:id/messages/:id/reactions/:emoji/@me": ({ params: [id = "", messageId = ""] }, { world }) => {
    const channel = channelFor(world, id);
    messageIn(channel, messageId);
    demand(channel, "history", "add_reactions");
    return nothing;
  },
};

/** Newest first; `before`, `after` and `around` are ids. */
function page(channel: WireChannel, query: URLSearchParams): WireMessage[] {
  const limit = Number(query.get("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalid(["limit"], "int value should be between 1 and 100.", "NUMBER_TYPE_MAX");
  const all = channel.messages.filter(({ deleted }) => !deleted).toReversed();
  const [before, after, around] = ["before", "after", "around"].map((key) => query.get(key));
  const older = (id: string) => all.filter((message) => BigInt(message.id) < BigInt(id)).slice(0, limit);
  const newer = (id: string) => all.filter((message) => BigInt(message.id) > BigInt(id)).slice(-limit);
  if (before) return older(before);
  if (after) return newer(after);
  if (!around) return all.slice(0, limit);
  const half = Math.floor(limit / 2);
  const centre = all.filter(({ id }) => id === around);
  return [...newer(around).slice(-half), ...centre, ...older(around).slice(0, half)].slice(0, limit);
}

/** What an application without the intent for content may read. A nonce is only told at creation. */
function readable(world: World, message: WireMessage): Json {
  const json = messageJson(world, message);
  return world.messageContent ? json : withoutContent(world, message, json);
}

/** Discord: some minutes. */
const NONCE_MS = 5 * 60 * 1000;

function sameNonce({ messages }: WireChannel, { nonce, enforce_nonce }: MessageBody, world: World) {
  if (!enforce_nonce || nonce === undefined || nonce === null) return undefined;
  return messages.find(
    (one) => one.author.id === world.bot.id && one.nonce === nonce && world.now() - one.at < NONCE_MS,
  );
}

type Uploading = Pick<RouteRequest, "uploads">;

/** A new message of the bot, told to the gateway too. The caller has checked that it may write there. */
export async function post(
  channel: WireChannel,
  { uploads }: Uploading,
  kind: BodyKind,
  json: unknown,
  site: Site,
  more: Partial<WireMessage> = {},
): Promise<WireMessage> {
  const { world, events } = site;
  const body = messageBody(readAs(kind, json, site.violate));
  const twin = sameNonce(channel, body, world);
  // Discord: a repeat of what was deleted since is not created again.
  if (twin?.deleted) throw refusal("unknown_message");
  if (twin) return twin;
  if (uploads.length > 0 && more.interaction === undefined) demand(channel, "attach");
  const shown = contentAfter(undefined, body, await storeUploads(world, body, uploads));
  const replyTo = repliedTo(channel, body);
  const pings = pingsOf(world, shown, body.allowed_mentions, replyTo);
  for (const what of misdeeds(body, shown, pings)) site.violate(what);
  const nonce = body.nonce ?? undefined;
  const message = addMessage(world, {
    channel,
    author: world.bot,
    shown,
    pings,
    ...(replyTo && { replyTo }),
    ...(nonce !== undefined && { nonce }),
    ...more,
  });
  revive(channel, site);
  events.messageCreated(message);
  return message;
}

/** A message in an archived thread opens it again. */
export function revive(channel: WireChannel, { events }: Pick<Site, "events">): void {
  if (!channel.thread?.archived) return;
  channel.thread.archived = false;
  events.channel("UPDATE", channel);
}

function repliedTo(channel: WireChannel, { message_reference: reference }: MessageBody): WireMessage | undefined {
  if (!reference) return undefined;
  if (!allows(channel, "history")) throw refusal("no_history");
  const found = channel.messages.find(({ id, deleted }) => id === reference.message_id && !deleted);
  if (!found && reference.fail_if_not_exists !== false)
    throw invalid(["message_reference"], "Unknown message", "REPLIES_UNKNOWN_MESSAGE");
  return found;
}

/** The bot's message changed, and told. */
export async function edit(
  message: WireMessage,
  { uploads }: Uploading,
  kind: BodyKind,
  json: unknown,
  site: Site,
): Promise<WireMessage> {
  const body = messageBody(readAs(kind, json, site.violate));
  const after = contentAfter(message.shown, body, await storeUploads(site.world, body, uploads));
  const pings = pingsOf(site.world, after, body.allowed_mentions, undefined);
  for (const what of misdeeds(body, after, pings)) site.violate(what);
  change(message, after, site);
  return message;
}

export function change(message: WireMessage, after: WireMessage["shown"], { world, events }: Site): void {
  message.edits.push({ ...message.shown, at: world.now() });
  message.shown = after;
  message.editedAt = world.now();
  events.messageUpdated(message);
}

export function remove(message: WireMessage, { events }: Pick<Site, "events">): void {
  message.deleted = true;
  events.messageDeleted(message);
}
