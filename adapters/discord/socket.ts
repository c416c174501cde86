/**
 * One connection to the gateway, through @discordjs/ws: the part of discord.js that identifies, resumes and keeps the
 * heartbeat. The client above it would build objects of every payload, and one that lacks a field ends the process there.
 */
import { CloseCodes, WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
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

const CLOSING_MS = 2_000;

export function openSocket(api: Api, intents: number, session: Session, events: SocketEvents): Socket {
  let left = false;
  let isOpen = false;
  const ws = new WebSocketManager({
    token: api.token,
    intents,
    rest: api.rest,
    shardCount: 1,
    shardIds: [0],
    // The library connects again after a pause, whatever happened meanwhile: one that was left gets no further.
    retrieveSessionInfo: () => (left ? new Promise<never>(() => {}) : session.current()),
    updateSessionInfo: (_, info) => {
      if (!left) session.update(info);
    },
  });

  /** Of a socket that is still opening the library would forget to hear its failure, which ends the process. */
  async function shut(): Promise<void> {
    if (!isOpen) return;
    const closing = ws.destroy({ code: CloseCodes.Resuming, reason: "stopping" });
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref())]);
  }
  function leave(): Promise<void> {
    left = true;
    session.flush();
    return shut();
  }

  const unlessLeft =
    <Args extends unknown[]>(call: (...args: Args) => void) =>
    (...args: Args): void => {
      if (!left) call(...args);
    };
  ws.on(WebSocketShardEvents.Hello, () => {
    isOpen = true;
    if (left) void shut();
  });
  ws.on(WebSocketShardEvents.Closed, () => {
    isOpen = false;
  });
  ws.on(WebSocketShardEvents.Ready, unlessLeft(events.flowing));
  ws.on(WebSocketShardEvents.Resumed, unlessLeft(events.flowing));
  ws.on(WebSocketShardEvents.HeartbeatComplete, unlessLeft(events.alive));
  ws.on(
    WebSocketShardEvents.Dispatch,
    unlessLeft(({ data }) => events.dispatch(data)),
  );
  ws.on(
    WebSocketShardEvents.Closed,
    unlessLeft(({ code }) => events.closed(code)),
  );
  ws.on(
    WebSocketShardEvents.Error,
    unlessLeft(({ error }) => events.failed(error)),
  );
  ws.on(
    WebSocketShardEvents.Debug,
    unlessLeft(({ message }) => events.debug(message)),
  );

  async function connect(): Promise<void> {
    try {
      await ws.connect();
    } catch (error) {
      if (left) return;
      await leave().catch(() => {});
      throw error;
    }
  }
  return { ready: connect(), leave };
}
