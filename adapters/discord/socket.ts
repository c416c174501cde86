/**
 * One connection to the gateway, through @discordjs/ws: the part of discord.js that identifies, resumes and keeps the
 * heartbeat. The client above it would build objects of every payload, and one that lacks a field ends the process there.
 */
import {
  CloseCodes,
  managerToFetchingStrategyOptions,
  SimpleContextFetchingStrategy,
  WebSocketManager,
  WebSocketShardEvents,
} from "@discordjs/ws";
import type { FetchingStrategyOptions, SessionInfo } from "@discordjs/ws";
import { AdapterError } from "../../gateway/contract.ts";
import { LastingShard } from "./lasting-shard.ts";
import type { Api } from "./rest.ts";
import type { Session } from "./session.ts";

export interface Dispatch {
  readonly t: string;
  readonly d: unknown;
  /** The sequence number within the session. */
  readonly s: number;
}
/** None is called after `leave`. */
export interface SocketEvents {
  /** Events flow from now on: a session has begun or was resumed. */
  readonly flowing: () => void;
  readonly alive: () => void;
  readonly dispatch: (dispatch: Dispatch) => void;
  /** The library connects again by itself, but for the codes that are hopeless. */
  readonly closed: (code: number) => void;
  readonly failed: (error: Error) => void;
  readonly debug: (message: string) => void;
}
export interface Socket {
  /** Resolves once events flow for the first time; rejects with what made that impossible. */
  readonly ready: Promise<void>;
  /** For good; the session can be resumed. Resolves when the socket is closed, or after two seconds. */
  leave(): Promise<void>;
}

export interface SocketSettings {
  readonly api: Api;
  readonly intents: number;
  readonly session: Session;
  /** How long a server may be silent to who connects, ms. */
  readonly helloMs?: number;
}

const HELLO_MS = 10_000;
const CLOSING_MS = 2_000;
/** So often a session is looked for where Discord said that it can be resumed; then at the usual address. */
const TRIES_AT_ITS_OWN = 3;

export function openSocket(settings: SocketSettings, events: SocketEvents): Socket {
  const { api, intents, session, helloMs = HELLO_MS } = settings;
  let left = false;
  let isOpen = false;
  let attempts = 0;
  let shard: LastingShard | undefined;
  let usual: FetchingStrategyOptions["gatewayInformation"] | undefined;
  const manager = new WebSocketManager({
    token: api.token,
    intents,
    rest: api.rest,
    shardCount: 1,
    shardIds: [0],
    helloTimeout: helloMs,
    // Sooner: of a socket that is left while it opens the library forgets to hear its failure, which ends the process.
    handshakeTimeout: helloMs * 0.8,
    // The library connects again after a pause, whatever happened meanwhile: one that was left gets no further.
    retrieveSessionInfo: () => (left ? new Promise<never>(() => {}) : reachable(session.current())),
    updateSessionInfo: (_, info) => {
      if (!left) session.update(info);
    },
  });

  /** Asked for at each attempt to connect, and while events flow. */
  function reachable(info: SessionInfo | null): SessionInfo | null {
    if (isOpen || !info || !usual) return info;
    attempts += 1;
    return attempts > TRIES_AT_ITS_OWN ? { ...info, resumeURL: usual.url } : info;
  }

  async function shut(): Promise<void> {
    if (!isOpen) return;
    const closing = shard?.destroy({ code: CloseCodes.Resuming, reason: "stopping" });
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref())]);
  }
  function leave(): Promise<void> {
    left = true;
    session.flush();
    return shut();
  }

  function listen(to: LastingShard): void {
    const unlessLeft =
      <Args extends unknown[]>(call: (...args: Args) => void) =>
      (...args: Args): void => {
        if (!left) call(...args);
      };
    to.on(WebSocketShardEvents.Hello, () => {
      isOpen = true;
      attempts = 0;
      if (left) void shut();
    });
    to.on(WebSocketShardEvents.Closed, ({ code }) => {
      isOpen = false;
      unlessLeft(events.closed)(code);
    });
    to.on(WebSocketShardEvents.Ready, unlessLeft(events.flowing));
    to.on(WebSocketShardEvents.Resumed, unlessLeft(events.flowing));
    to.on(WebSocketShardEvents.HeartbeatComplete, unlessLeft(events.alive));
    to.on(
      WebSocketShardEvents.Dispatch,
      unlessLeft(({ data }) => events.dispatch(data)),
    );
    to.on(
      WebSocketShardEvents.Error,
      unlessLeft(({ error }) => events.failed(error)),
    );
    to.on(
      WebSocketShardEvents.Debug,
      unlessLeft(({ message }) => events.debug(message)),
    );
  }

  async function connect(): Promise<void> {
    try {
      const options = await managerToFetchingStrategyOptions(manager);
      if (left) return;
      usual = options.gatewayInformation;
      if (!session.current()) demandStart(usual);
      shard = new LastingShard(new SimpleContextFetchingStrategy(manager, options), 0);
      listen(shard);
      await shard.connect();
    } catch (error) {
      if (left) return;
      await leave().catch(() => {});
      throw error;
    }
  }
  return { ready: connect(), leave };
}

/** Discord resets the token of who begins more sessions than it may in a day. */
function demandStart({ session_start_limit: limit }: FetchingStrategyOptions["gatewayInformation"]): void {
  if (limit.remaining > 0) return;
  const message = "Discord lets the bot begin no more sessions for now: it has begun too many.";
  throw new AdapterError("rate_limited", message, { retryAfterMs: limit.reset_after });
}
