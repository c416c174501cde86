/** The real adapter over the real client, against the loopback server. */
import { tmpdir } from "node:os";
import { pino } from "pino";
import { onTestFinished, vi } from "vitest";
import { telegram } from "../../../adapters/telegram/adapter.ts";
import type { Adapter, AdapterDeps, Clock, Deliver, Delivered, Inbound, InboundOf } from "../../../gateway/contract.ts";
import { createTelegramServer } from "../../wire/telegram-server.ts";
import type { TelegramServer, TelegramServerOptions } from "../../wire/telegram-server.ts";

export interface Running {
  readonly server: TelegramServer;
  readonly adapter: Adapter;
  /** What was delivered, in order. */
  readonly inbound: Inbound[];
  /** JSON lines. */
  readonly log: string[];
  /** The waits that were asked of the clock, ms. */
  readonly waits: number[];
  /** What `deliver` does from now on; `undefined`: accepted. */
  answer: (event: Inbound) => Delivered | Promise<Delivered>;
  readonly start: () => ReturnType<Adapter["start"]>;
}

const SPEED = 20;

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

export function adapterDeps(log: string[], clock: Clock): AdapterDeps {
  return {
    log: pino({ level: "debug" }, { write: (line: string) => void log.push(line) }),
    clock,
    folder: tmpdir(),
    secret: "00".repeat(32),
    transcript: { threads: () => [], entries: () => [], onDeleted() {} },
  };
}

/** Not started yet, so that a test can prepare the server. Stopped and closed when the test ends. */
export async function prepareAdapter(options: TelegramServerOptions & { apiUrl?: string } = {}): Promise<Running> {
  const server = await createTelegramServer(options);
  const [inbound, log, waits]: [Inbound[], string[], number[]] = [[], [], []];
  const config = telegram.config.parse({ bot_token: server.token, api_url: options.apiUrl ?? server.url });
  const adapter = await telegram.create(config, adapterDeps(log, fastClock(waits)));
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

export async function runAdapter(options: TelegramServerOptions = {}): Promise<Running> {
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
