/** Recorded payloads carry absolute addresses of Slack's; here they lead to the loopback server. */
import { z } from "zod";
import { addResponseUrl } from "./slack-triggers.ts";
import { addChannel, isMember } from "./slack-world.ts";
import type { World } from "./slack-world.ts";

const id = z.looseObject({ id: z.string() });
const recorded = z.looseObject({
  response_url: z.string().exactOptional(),
  user: id.exactOptional(),
  channel: id.exactOptional(),
  user_id: z.string().exactOptional(),
  channel_id: z.string().exactOptional(),
});

export function localise(world: World, payload: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const files = JSON.stringify(payload).replaceAll("https://files.slack.example/", `${world.origin}/`);
  const read = recorded.parse(JSON.parse(files));
  if (read.response_url === undefined) return read;
  const user = read.user?.id ?? read.user_id ?? "";
  const place = read.channel?.id ?? read.channel_id ?? "";
  const channel = addChannel(world, { id: place, name: place, type: "channel" });
  if (!isMember(channel, world.bot)) channel.members.add(world.bot.id).add(user);
  return { ...read, response_url: addResponseUrl(world, { channel, user }) };
}
