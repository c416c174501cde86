/** Who may do what where: the bot's standing in a channel, as a refusal when it is missing. */
import { refusal } from "./discord-refusals.ts";
import { allows, sees } from "./discord-world.ts";
import type { Permission, WireChannel, WireMessage, World } from "./discord-world.ts";

/** @throws Refusal 10003 for what is not there, 50001 for what the bot may not see */
export function channelFor(world: World, id: string): WireChannel {
  const channel = world.channels.get(id);
  if (!channel || channel.deleted) throw refusal("unknown_channel");
  if (!sees(world, channel)) throw refusal("missing_access");
  return channel;
}

/** @throws Refusal 50013 */
export function demand(channel: WireChannel, ...permissions: readonly Permission[]): void {
  if (!permissions.every((permission) => allows(channel, permission))) throw refusal("missing_permissions");
}

/** @throws Refusal when the bot cannot write there */
export function requireWriting(channel: WireChannel): void {
  if (channel.kind === "forum") throw refusal("no_text_channel");
  if (channel.recipient && channel.denied.has("send")) throw refusal("dm_closed");
  demand(channel, channel.thread ? "send_in_threads" : "send");
  if (channel.thread?.archived && channel.thread.locked) throw refusal("archived");
}

/** @throws Refusal 10008 */
export function messageIn(channel: WireChannel, id: string): WireMessage {
  const message = channel.messages.find((one) => one.id === id && !one.deleted);
  if (!message) throw refusal("unknown_message");
  return message;
}
