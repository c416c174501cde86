/**
 * The gateway: one WebSocket a client, sessions that outlive it. https://discord.com/developers/docs/events/gateway
 *
 * A session begins with IDENTIFY and holds every dispatch since, numbered. It is attached to one socket or waits for a
 * RESUME, which replays what was missed. It ends when the client closes with 1000 or 1001, when its token is refused, or
 * when a test loses it.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Json } from "./discord-account-json.ts";

export const INTENTS = {
  guilds: 1 << 0,
  members: 1 << 1,
  presences: 1 << 8,
  guild_messages: 1 << 9,
  direct_messages: 1 << 12,
  content: 1 << 15,
} as const;

export interface Dispatch {
  readonly t: string;
  readonly d: Json;
  /** The intent without which it is not told; absent: always told. */
  readonly needs?: number;
  /** What is told without the intent for content; absent: the same. */
  readonly bare?: Json;
}
interface Session {
  readonly id: string;
  readonly intents: number;
  readonly sent: { readonly s: number; readonly t: string; readonly d: Json }[];
  socket: WebSocket | undefined;
}
export interface GatewayOptions {
  /** ms; Discord's is about 41 s. */
  readonly heartbeatMs: number;
  readonly accepts: (token: unknown) => boolean;
  /** Of the privileged intents, those that the application may have. */
  readonly allowedIntents: () => number;
  /** READY without what the gateway knows itself, and what follows it. */
  readonly greet: () => { readonly ready: Json; readonly after: readonly Dispatch[] };
  readonly url: () => string;
}
export interface Gateway {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  dispatch(event: Dispatch): void;
  /** The intents of each IDENTIFY that was accepted, in order. */
  readonly identified: readonly number[];
  /** How often a session was resumed. */
  resumed(): number;
  connected(): boolean;
  /** Calls back at once while a session is connected, else when the next one is. */
  whenConnected(callback: () => void): void;
  /** Op 7: please connect again. */
  askReconnect(): void;
  /** Op 9; without `resumable` the session is lost. */
  invalidate(resumable: boolean): void;
  /** Closes the sockets with this code. 4009: the session is lost too. */
  closeWith(code: number): void;
  /** Cuts the sockets, no goodbye. */
  cut(): void;
  /** Neither acks nor events go out, as from a dead connection; they wait for a RESUME. */
  setSilent(silent: boolean): void;
  /** Every RESUME from now on finds no session. */
  loseSessions(): void;
  close(): void;
}

/** Discord: codes after which a session cannot be resumed. */
const FATAL = [4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014];

export function createGateway(options: GatewayOptions): Gateway {
  const server = new WebSocketServer({ noServer: true });
  const sessions = new Map<string, Session>();
  const identified: number[] = [];
  let waiting: (() => void)[] = [];
  let resumed = 0;
  let silent = false;

  const send = (socket: WebSocket, packet: object) => {
    if (!silent && socket.readyState === socket.OPEN) socket.send(JSON.stringify(packet));
  };
  const connected = () => [...sessions.values()].some(({ socket }) => socket !== undefined);

  function attach(session: Session, socket: WebSocket): void {
    session.socket = socket;
    socket.once("close", (code) => {
      if (session.socket !== socket) return;
      session.socket = undefined;
      if (code === 1000 || code === 1001) sessions.delete(session.id);
    });
  }

  function tell(session: Session, t: string, d: Json): void {
    const packet = { s: session.sent.length + 1, t, d };
    session.sent.push(packet);
    if (session.socket) send(session.socket, { op: 0, ...packet });
  }

  function dispatchTo(session: Session, { t, d, needs, bare }: Dispatch): void {
    if (needs !== undefined && (session.intents & needs) === 0) return;
    tell(session, t, bare && (session.intents & INTENTS.content) === 0 ? bare : d);
  }

  function announce(): void {
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback();
  }

  function identify(socket: WebSocket, data: Json): void {
    const intents = Number(data["intents"]);
    const privileged = INTENTS.members | INTENTS.presences | INTENTS.content;
    if (!options.accepts(data["token"])) return socket.close(4004, "Authentication failed.");
    if (!Number.isInteger(intents)) return socket.close(4013, "Invalid intent(s).");
    if ((intents & privileged & ~options.allowedIntents()) !== 0) return socket.close(4014, "Disallowed intent(s).");
    const session: Session = { id: randomUUID().replaceAll("-", ""), intents, sent: [], socket: undefined };
    sessions.set(session.id, session);
    identified.push(intents);
    attach(session, socket);
    const { ready, after } = options.greet();
    tell(session, "READY", { v: 10, session_id: session.id, resume_gateway_url: options.url(), ...ready });
    for (const event of after) dispatchTo(session, event);
    announce();
  }

  function resume(socket: WebSocket, data: Json): void {
    if (!options.accepts(data["token"])) return socket.close(4004, "Authentication failed.");
    const session = sessions.get(String(data["session_id"]));
    const seen = Number(data["seq"]);
    if (!session) return send(socket, { op: 9, d: false });
    if (seen > session.sent.length) return socket.close(4007, "Invalid seq.");
    session.socket?.terminate();
    attach(session, socket);
    for (const packet of session.sent.filter(({ s }) => s > seen)) send(socket, { op: 0, ...packet });
    resumed += 1;
    tell(session, "RESUMED", {});
    announce();
  }

  function receive(socket: WebSocket, text: string): void {
    const { op, d } = JSON.parse(text) as { op: number; d: Json | null }; // what a client sends; op decides
    if (op === 1) return send(socket, { op: 11 });
    if (op === 2) return identify(socket, d ?? {});
    if (op === 6) return resume(socket, d ?? {});
    if (op !== 3 && op !== 4 && op !== 8) socket.close(4001, "Unknown opcode.");
  }

  server.on("connection", (socket) => {
    // ws: one message is one buffer unless fragments are asked for.
    socket.on("message", (data: Buffer) => receive(socket, data.toString()));
    socket.on("error", () => socket.terminate());
    send(socket, { op: 10, d: { heartbeat_interval: options.heartbeatMs } });
  });
  const each = (action: (socket: WebSocket) => void) => {
    for (const socket of server.clients) action(socket);
  };

  return {
    identified,
    connected,
    resumed: () => resumed,
    upgrade: (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (client) => server.emit("connection", client, request)),
    dispatch: (event) => {
      for (const session of sessions.values()) dispatchTo(session, event);
    },
    whenConnected: (callback) => (connected() ? callback() : void waiting.push(callback)),
    askReconnect: () => each((socket) => send(socket, { op: 7, d: null })),
    invalidate(resumable) {
      if (!resumable) sessions.clear();
      each((socket) => send(socket, { op: 9, d: resumable }));
    },
    closeWith(code) {
      if (FATAL.includes(code)) sessions.clear();
      each((socket) => socket.close(code));
    },
    cut: () => each((socket) => socket.terminate()),
    setSilent: (next) => void (silent = next),
    loseSessions: () => sessions.clear(),
    close() {
      each((socket) => socket.terminate());
      server.close();
    },
  };
}
