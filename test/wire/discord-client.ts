/** The real client of Discord, against the loopback server: what the tests of the server drive it with. */
import { Client, GatewayIntentBits, Partials, REST } from "discord.js";
import type { ClientOptions } from "discord.js";
import { onTestFinished } from "vitest";
import { createDiscordServer } from "./discord-server.ts";
import type { DiscordServer, DiscordServerOptions } from "./discord-server.ts";
import type { WireMessage } from "./discord-world.ts";

const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
export const ALL_INTENTS = [Guilds, GuildMessages, DirectMessages, MessageContent];

/** A server with one text channel and one person, and plain REST for the bot that refuses rather than waits. */
export async function serverWithRest(options: DiscordServerOptions = {}) {
  const server = await createDiscordServer(options);
  onTestFinished(() => server.close());
  const guild = server.guild("Team");
  const channel = server.channel(guild, "general");
  const ana = server.user("1100000000000000001", "Ana");
  const rest = new REST({ api: server.api, version: "10", retries: 0, rejectOnRateLimit: () => true });
  rest.setToken(server.token);
  const quiet = { allowed_mentions: { parse: [] } };
  const say = (body: object, place = channel.id) =>
    rest.post(`/channels/${place}/messages`, { body: { ...quiet, ...body } });
  return { server, guild, channel, ana, rest, say };
}

/** Logged in and ready. */
export async function connect(server: DiscordServer, options: Partial<ClientOptions> = {}): Promise<Client<true>> {
  const client = new Client({
    intents: ALL_INTENTS,
    partials: [Partials.Channel],
    rest: { api: server.api },
    allowedMentions: { parse: [], repliedUser: false },
    ...options,
  });
  onTestFinished(() => client.destroy());
  const ready = new Promise<Client<true>>((resolve) => client.once("clientReady", resolve));
  await client.login(server.token);
  return ready;
}

/** Texts of the messages of people, as they come. */
export function heard(client: Client): string[] {
  const texts: string[] = [];
  client.on("messageCreate", ({ author, content, type }) => {
    if (author.id !== client.user?.id && type !== 21) texts.push(content);
  });
  return texts;
}

/** Expects a refusal of the platform. */
export const refused = (code: number, status: number) => ({ code, status });

export const button = (custom_id: string, label = "Yes") => ({ type: 2, style: 1, label, custom_id });
export const row = (...components: object[]) => ({ type: 1, components });
export const menu = (...labels: string[]) => ({
  type: 3,
  custom_id: "menu",
  max_values: labels.length,
  options: labels.map((label) => ({ label, value: `v-${label}` })),
});
export const last = (messages: readonly WireMessage[]): WireMessage => {
  const message = messages.at(-1);
  if (!message) throw new Error("Expected a message, got none.");
  return message;
};
