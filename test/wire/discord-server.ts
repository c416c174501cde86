/**
 * A small strict Discord on 127.0.0.1: REST under `/api/v10`, the gateway as a WebSocket, files under `/attachments`, all
 * on one port. Point the client's `rest.api` at `api`. It keeps what its channels show, refuses what Discord refuses,
 * misbehaves on demand, and lets people write, press and call commands.
 */
import { createServer } from "node:http";
import { createBuckets } from "./discord-buckets.ts";
import { createEvents, guildCreate, readyJson } from "./discord-events.ts";
import type { Events } from "./discord-events.ts";
import { createGateway, INTENTS } from "./discord-gateway.ts";
import type { Gateway } from "./discord-gateway.ts";
import { createInteractions } from "./discord-interactions.ts";
import { createUser } from "./discord-people.ts";
import type { DiscordUser } from "./discord-people.ts";
import { serve } from "./discord-rest.ts";
import type { Call, DiscordFault, Rest } from "./discord-rest.ts";
import { compileSchemas } from "./discord-schemas.ts";
import type { Site } from "./discord-site.ts";
import { addThread, setArchived } from "./discord-thread-routes.ts";
import { addChannel, addGuild, createWorld, threadsOf } from "./discord-world.ts";
import type { ChannelKind, Permission, WireChannel, WireGuild, World } from "./discord-world.ts";
import { createFaults } from "./faults.ts";

export type { DiscordFault } from "./discord-rest.ts";

export interface DiscordServerOptions {
  readonly token?: string;
  /** Of the bot and its application; a fresh one unless set. */
  readonly botId?: string;
  /** Whether the application may have the content of messages in servers; it may unless set. */
  readonly messageContent?: boolean;
  /** ms */
  readonly heartbeatMs?: number;
  /** Limits by route, off unless set. */
  readonly buckets?: boolean;
}
export interface DiscordServer {
  /** `http://127.0.0.1:<port>/api`: the client's `rest.api`. */
  readonly api: string;
  readonly port: number;
  readonly token: string;
  readonly bot: World["bot"];
  readonly world: World;
  /** Every REST request, in order of arrival. */
  readonly calls: readonly Call[];
  /** What Discord would accept, but no good client sends. */
  readonly violations: readonly string[];
  readonly gateway: Gateway;
  readonly events: Events;
  user(id: string, name: string): DiscordUser;
  /** Another bot: it says, and calls nothing. */
  otherBot(id: string, name: string): DiscordUser;
  guild(name: string, id?: string, botRoleId?: string): WireGuild;
  channel(guild: WireGuild, name: string, kind?: ChannelKind, id?: string): WireChannel;
  /** A thread of the bot's on no message. */
  thread(parent: WireChannel, name: string, kind?: ChannelKind, id?: string): WireChannel;
  threads(channel: WireChannel): readonly WireChannel[];
  /** The bot is taken out of a server, or comes back. */
  setPresent(guild: WireGuild, present: boolean): void;
  /** Also deletes a thread. */
  deleteChannel(channel: WireChannel): void;
  setArchived(thread: WireChannel, state: { readonly archived: boolean; readonly locked?: boolean }): void;
  /** What the bot may not do there from now on, and in the threads below. */
  deny(channel: WireChannel, ...permissions: readonly Permission[]): void;
  setMessageContent(allowed: boolean): void;
  fail(fault: DiscordFault): void;
  /** From now on the token is refused, or accepted again. */
  setRevoked(revoked: boolean): void;
  /** Moves the server's clock; interactions that are then too late have failed. */
  advance(ms: number): void;
  close(): Promise<void>;
}

export async function createDiscordServer(options: DiscordServerOptions = {}): Promise<DiscordServer> {
  const { token = "MTQwMDAwMDAwMDAwMDAwMDAwMA.GTestT.okenTestTokenTestTokenTestTokenTest00" } = options;
  compileSchemas();
  let skew = 0;
  let revoked = false;
  const now = () => Date.now() + skew;
  const world = createWorld(now, options.botId);
  world.messageContent = options.messageContent ?? true;
  const accepts = (given: unknown) => given === token && !revoked;
  const gateway = createGateway({
    heartbeatMs: options.heartbeatMs ?? 41_250,
    accepts,
    allowedIntents: () => (world.messageContent ? INTENTS.content : 0),
    greet: () => ({
      ready: readyJson(world),
      after: [...world.guilds.values()].filter(({ present }) => present).map((guild) => guildCreate(world, guild)),
    }),
    url: () => world.origin.replace(/^http/, "ws"),
  });
  const events = createEvents(world, gateway);
  const interactions = createInteractions(now);
  const violations: string[] = [];
  const site: Site = { world, events, interactions, violate: (what) => void violations.push(what) };
  const calls: Call[] = [];
  const faults = createFaults();
  const rest: Rest = { site, accepts, faults, buckets: createBuckets(now, options.buckets ?? false), calls };

  const server = createServer((request, response) => void serve(rest, request, response));
  server.on("upgrade", (request, socket, head) => gateway.upgrade(request, socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("Expected a port of this machine, got none.");
  world.origin = `http://127.0.0.1:${address.port}`;

  return {
    api: `${world.origin}/api`,
    port: address.port,
    token,
    bot: world.bot,
    world,
    calls,
    violations,
    gateway,
    events,
    user: (id, name) => createUser(site, person(id, name, false)),
    otherBot: (id, name) => createUser(site, person(id, name, true)),
    guild(name, id, botRoleId) {
      const guild = addGuild(world, name, { ...(id && { id }), ...(botRoleId && { botRoleId }) });
      events.guildJoined(guild);
      return guild;
    },
    channel(guild, name, kind = "text", id) {
      const channel = addChannel(world, { kind, name, guild, ...(id !== undefined && { id }) });
      events.channel("CREATE", channel);
      return channel;
    },
    thread(parent, name, kind = "public_thread", id) {
      const owner = world.bot;
      const thread = addThread(world, parent, { name, kind, owner, ...(id !== undefined && { id }) });
      events.channel("CREATE", thread);
      return thread;
    },
    threads: (channel) => threadsOf(world, channel),
    setPresent(guild, present) {
      guild.present = present;
      if (present) events.guildJoined(guild);
      else events.guildLeft(guild);
    },
    deleteChannel(channel) {
      channel.deleted = true;
      events.channel("DELETE", channel);
    },
    setArchived: (thread, { archived, locked = false }) => setArchived(thread, archived, locked, site),
    deny(channel, ...permissions) {
      channel.denied.clear();
      for (const permission of permissions) channel.denied.add(permission);
      events.channel("UPDATE", channel);
    },
    setMessageContent: (allowed) => void (world.messageContent = allowed),
    fail: (fault) => faults.add(fault),
    setRevoked(next) {
      revoked = next;
      if (next) gateway.closeWith(4004);
    },
    advance(ms) {
      skew += ms;
      interactions.expire();
    },
    close() {
      gateway.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const person = (id: string, name: string, bot: boolean) => ({
  id,
  username: name.toLowerCase().replace(/[^\w.]+/g, "."),
  global_name: bot ? null : name,
  bot,
});
