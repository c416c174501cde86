/** Socket Mode: WebSockets that a ticket opens, a greeting, PINGs, and envelopes on them in turn. */
import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { WebSocket, WebSocketServer } from "ws";
import { createEnvelopes } from "./slack-envelopes.ts";
import type { Envelopes } from "./slack-envelopes.ts";

export interface SocketMode extends Pick<Envelopes, "acks" | "push" | "loseAcks"> {
  /** A path that opens one socket, once. */
  ticket(): string;
  /** How many sockets are open. */
  connections(): number;
  /** Tells every open socket to go. It gets nothing new, and may still acknowledge; the client has to close it. */
  disconnect(reason: string): void;
  /** Cuts every socket without a word. */
  kill(): void;
  close(): void;
}
interface SocketOptions {
  readonly ackMs: number;
  /** Between two PINGs of the server. */
  readonly pingMs: number;
  readonly appId: string;
  readonly violate: (what: string) => void;
}

export function createSocketMode(server: Server, { ackMs, pingMs, appId, violate }: SocketOptions): SocketMode {
  const tickets = new Set<string>();
  const sockets: WebSocket[] = [];
  const leaving = new Set<WebSocket>();
  let turn = 0;
  const envelopes = createEnvelopes({ ackMs, violate, pick });
  const listener = new WebSocketServer({ noServer: true });
  const pings = setInterval(() => {
    for (const socket of sockets) socket.ping("server");
  }, pingMs);

  server.on("upgrade", (request, stream, head) => {
    const ticket = new URL(request.url ?? "/", "http://local").searchParams.get("ticket") ?? "";
    if (tickets.delete(ticket)) listener.handleUpgrade(request, stream, head, open);
    else stream.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
  });

  function pick(): WebSocket | undefined {
    const ready = sockets.filter((socket) => socket.readyState === WebSocket.OPEN && !leaving.has(socket));
    return ready[turn++ % Math.max(ready.length, 1)];
  }

  function open(socket: WebSocket): void {
    sockets.push(socket);
    // ws: text arrives as one buffer unless other types were asked for.
    socket.on("message", (data) => envelopes.receive(Buffer.isBuffer(data) ? data.toString() : ""));
    socket.on("close", () => {
      sockets.splice(sockets.indexOf(socket), 1);
      leaving.delete(socket);
      envelopes.closed(socket);
    });
    const debug_info = { host: "applink-1", build_number: 1, approximate_connection_time: 18_060 };
    const connection_info = { app_id: appId };
    socket.send(JSON.stringify({ type: "hello", num_connections: sockets.length, debug_info, connection_info }));
    envelopes.pump();
  }

  return {
    acks: envelopes.acks,
    push: (...given) => envelopes.push(...given),
    loseAcks: (count) => envelopes.loseAcks(count),
    ticket() {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `/link/?ticket=${ticket}&app_id=${appId}`;
    },
    connections: () => sockets.length,
    disconnect(reason) {
      for (const socket of sockets) {
        leaving.add(socket);
        socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-1" } }));
      }
    },
    kill() {
      for (const socket of sockets) socket.terminate();
    },
    close() {
      clearInterval(pings);
      envelopes.close();
      for (const socket of sockets) socket.removeAllListeners("close").terminate();
      listener.close();
    },
  };
}
