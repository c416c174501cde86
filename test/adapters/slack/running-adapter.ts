/** The real adapter over the real clients, against the loopback server. */
import { pino } from "pino";
import { onTestFinished, vi } from "vitest";
import { slack } from "../../../adapters/slack/adapter.ts";
import type { Adapter, AdapterDeps, Clock, Deliver, Delivered, Inbound, InboundOf } from "../../../gateway/contract.ts";
import { tempFolder } from "../../helpers.ts";
import { createSlackServer } from "../../wire/slack-server.ts";
import type { SlackServer, SlackServerOptions } from "../../wire/slack-server.ts";
import type { SlackUser } from "../../wire/slack-people.ts";
import type { WireChannel } from "../../wire/slack-world.ts";

export interface Running {
  readonly server: SlackServer;
  readonly adapter: Adapter;
  readonly ana: SlackUser;
  /** A channel of Ana and the bot. */
  readonly team: WireChannel;
  /** What was delivered, in order. */
  readonly inbound: Inbound[];
  /** JSON lines. */
  readonly log: string[];
  /** The waits that were asked of the clock, ms. */
  readonly waits: number[];
  /** What `deliver` does from now on. */
  answer: (event: Inbound) => Delivered | Promise<Delivered>;
  readonly start: () => ReturnType<Adapter["start"]>;
}

const SPEED = 100;

/** Time runs faster, so that waits of seconds take milliseconds. */
export function fastClock(waits: number[] = []): Clock {
  const began = Date.now();
  return {
    now: () => began + (Date.now() - began) * SPEED,
    after: (ms, callback) => {
      waits.push(ms);
      const timer = setTimeout(callback, ms / SPEED);
      return () => clearTimeout(timer);
    },
  };
}

export const adapterDeps = (log: string[], clock: Clock, folder = tempFolder()): AdapterDeps => ({
  log: pino({ level: "debug" }, { write: (line: string) => void log.push(line) }),
  clock,
  folder,
  secret: "00".repeat(32),
  transcript: { threads: () => [], entries: () => [], onDeleted() {} },
});

export const settingsOf = ({ botToken, appToken, apiUrl }: Pick<SlackServer, "botToken" | "appToken" | "apiUrl">) =>
  slack.config.parse({ bot_token: botToken, app_token: appToken, api_url: apiUrl });

/** Not started yet, so that a test can prepare the server. Stopped and closed when the test ends. */
export async function prepareAdapter(
  options: SlackServerOptions & { readonly apiUrl?: string; readonly folder?: string; readonly clock?: Clock } = {},
): Promise<Running> {
  const server = await createSlackServer(options);
  const [inbound, log, waits]: [Inbound[], string[], number[]] = [[], [], []];
  const settings = settingsOf({ ...server, apiUrl: options.apiUrl ?? server.apiUrl });
  const adapter = await slack.create(settings, adapterDeps(log, options.clock ?? fastClock(waits), options.folder));
  const ana = server.user("U0ANA000001", "Ana");
  const deliver: Deliver = async (event) => {
    const delivered = await running.answer(event);
    inbound.push(event);
    return delivered;
  };
  const running: Running = {
    server,
    adapter,
    ana,
    team: server.channel("C0TEAM00001", "team", [ana]),
    inbound,
    log,
    waits,
    answer: () => ({ accepted: true }),
    start: () => adapter.start(deliver, { origin: "http://127.0.0.1:0", mount: () => {} }),
  };
  onTestFinished(async () => {
    await adapter.stop();
    await server.close();
  });
  return running;
}

export async function runAdapter(options: SlackServerOptions = {}): Promise<Running> {
  const running = await prepareAdapter(options);
  await running.start();
  return running;
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
