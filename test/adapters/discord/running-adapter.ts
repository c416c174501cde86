/** The real adapter over the real client, against the loopback server. */
import { pino } from "pino";
import { onTestFinished, vi } from "vitest";
import { discord } from "../../../adapters/discord/adapter.ts";
import type { Adapter, AdapterDeps, Clock, Deliver, Delivered, Inbound, InboundOf } from "../../../gateway/contract.ts";
import { tempFolder } from "../../helpers.ts";
import { createDiscordServer } from "../../wire/discord-server.ts";
import type { DiscordServer, DiscordServerOptions } from "../../wire/discord-server.ts";
import type { WireMessage } from "../../wire/discord-world.ts";

export interface Running {
  readonly server: DiscordServer;
  readonly adapter: Adapter;
  /** What was delivered, in order. */
  readonly inbound: Inbound[];
  /** JSON lines. */
  readonly log: string[];
  readonly folder: string;
  /** What `deliver` does from now on. */
  answer: (event: Inbound) => Delivered | Promise<Delivered>;
  readonly start: () => ReturnType<Adapter["start"]>;
}
export type Settings = DiscordServerOptions & {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly server?: DiscordServer;
  readonly folder?: string;
};

const SPEED = 10;

/** Time runs faster, so that waits of seconds take a part of them. */
function fastClock(): Clock {
  const began = Date.now();
  return {
    now: () => began + (Date.now() - began) * SPEED,
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms / SPEED);
      return () => clearTimeout(timer);
    },
  };
}

function adapterDeps(log: string[], folder: string): AdapterDeps {
  return {
    log: pino({ level: "debug" }, { write: (line: string) => void log.push(line) }),
    clock: fastClock(),
    folder,
    secret: "00".repeat(32),
    transcript: { threads: () => [], entries: () => [], onDeleted() {} },
  };
}

/** Not started yet, so that a test can prepare the server. Stopped and closed when the test ends. */
export async function prepareAdapter({ config, server: given, folder, ...options }: Settings = {}): Promise<Running> {
  const server = given ?? (await createDiscordServer(options));
  const home = folder ?? tempFolder();
  const [inbound, log]: [Inbound[], string[]] = [[], []];
  const settings = discord.config.parse({ bot_token: server.token, api_url: server.api, ...config });
  const adapter = await discord.create(settings, adapterDeps(log, home));
  const deliver: Deliver = async (event) => {
    const delivered = await running.answer(event);
    inbound.push(event);
    return delivered;
  };
  const running: Running = {
    server,
    adapter,
    inbound,
    log,
    folder: home,
    answer: () => ({ accepted: true }),
    start: () => adapter.start(deliver, { origin: "http://127.0.0.1:0", mount: () => {} }),
  };
  onTestFinished(async () => {
    await adapter.stop();
    if (!given) await server.close();
  });
  return running;
}

/** Connected, in a server with one text channel, and with two people. */
export async function runAdapter(settings: Settings = {}) {
  const running = await prepareAdapter(settings);
  const { server } = running;
  const guild = server.guild("Team", "1400000000000000100");
  const channel = server.channel(guild, "general", "text", "1400000000000000200");
  const sam = server.user("1100000000000000001", "Sam");
  const ana = server.user("1100000000000000002", "Ana");
  await running.start();
  await eventually(() => running.adapter.health().connected || Promise.reject(new Error("not connected")));
  const mention = (text: string) => `<@${server.bot.id}> ${text}`;
  return { ...running, running, guild, channel, sam, ana, mention };
}

/** The only event of this type so far. */
export function theOne<Type extends Inbound["type"]>(events: readonly Inbound[], type: Type): InboundOf<Type> {
  const found = events.filter((event): event is InboundOf<Type> => event.type === type);
  const [first, ...more] = found;
  if (!first || more.length > 0) throw new Error(`Expected one ${type}, got ${found.length}.`);
  return first;
}

/** Repeats a check until it holds; patient, because a busy machine is slow. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000, interval: 10 });

export const byBot = (messages: readonly WireMessage[]): WireMessage[] =>
  messages.filter(({ author, deleted, type }) => author.bot && !deleted && type !== 21);
