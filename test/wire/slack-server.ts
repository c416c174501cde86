/**
 * A small strict Slack on 127.0.0.1: point the clients' `slackApiUrl` at `apiUrl`. It keeps what its channels show,
 * refuses what Slack refuses, misbehaves on demand, and lets people write, press and submit.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createEvents } from "./slack-events.ts";
import type { Events } from "./slack-events.ts";
import { createFaults } from "./faults.ts";
import type { Fault } from "./faults.ts";
import { SLACK_RATES, tooFast } from "./rates.ts";
import { answerPage, readBody } from "./slack-http.ts";
import { createUser } from "./slack-people.ts";
import type { SlackUser } from "./slack-people.ts";
import { localise } from "./slack-recorded.ts";
import { receiveUpload, sendBytes } from "./slack-file-routes.ts";
import { respond } from "./slack-response-url.ts";
import { createSocketMode } from "./slack-socket.ts";
import type { EnvelopeType, Pushed } from "./slack-envelopes.ts";
import type { SocketMode } from "./slack-socket.ts";
import { serveApi } from "./slack-web-api.ts";
import type { Call, WebApi } from "./slack-web-api.ts";
import { addChannel, addMessage, createWorld } from "./slack-world.ts";
import type { Account, Status, WireChannel, WireMessage, WireView, World } from "./slack-world.ts";

export interface SlackServerOptions {
  /** 0 (a free one) unless set. */
  readonly port?: number;
  readonly botToken?: string;
  readonly appToken?: string;
  /** The bot's name, as people mention it. */
  readonly name?: string;
  readonly botUserId?: string;
  readonly teamId?: string;
  readonly appId?: string;
  /** Slack waits 3 s for an acknowledgement. */
  readonly ackMs?: number;
  /** Between two PINGs of the server; 10 s unless set. */
  readonly pingMs?: number;
  /** Of the bot token; absent: all that there are. */
  readonly scopes?: readonly string[];
  /** The clock by which calls are noted; the machine's unless set. */
  readonly now?: () => number;
}
interface UserOptions {
  readonly guest?: "restricted" | "ultra_restricted";
  /** Of another organisation. */
  readonly team?: string;
  readonly stranger?: true;
  /** Another app's bot: its messages carry `bot_id` and `app_id`. */
  readonly isBot?: true;
}
interface ChannelOptions {
  readonly private?: true;
  /** With another organisation. */
  readonly shared?: true;
  /** Without the bot. */
  readonly withoutBot?: true;
}
export interface SlackServer {
  /** `http://127.0.0.1:PORT/api/` */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly bot: { readonly id: string; readonly name: string; readonly botId: string };
  readonly team: World["team"];
  /** Every request to the Web API, in order of arrival. */
  readonly calls: readonly Call[];
  /** What Slack would accept in silence, but no client should send. */
  readonly violations: readonly string[];
  /** Edits that came although Slack's rates left no room. */
  tooFast(): readonly string[];
  /** Envelopes, acknowledgements, and the sockets: `loseAcks`, `connections`. */
  readonly socket: SocketMode;
  readonly acks: SocketMode["acks"];
  /** The assistant's status as it was set, oldest first; an empty one is its end. */
  readonly statuses: readonly Status[];
  /** Modals that are open now. */
  readonly views: readonly WireView[];
  user(id: string, name: string, options?: UserOptions): SlackUser;
  channel(id: string, name: string, members?: readonly SlackUser[], options?: ChannelOptions): WireChannel;
  /** Puts the bot into a channel, and tells it. */
  invite(channel: WireChannel, inviter: SlackUser): void;
  /** A notice of Slack itself (USLACK). */
  systemMessage(channel: WireChannel, text: string): WireMessage;
  /** Sends any payload; URLs of recorded ones are pointed here. */
  push(type: EnvelopeType, payload: Readonly<Record<string, unknown>>): Pushed;
  /** The last event that a person caused, as after a lost acknowledgement. */
  redeliver(): Pushed;
  /** `place` is a channel's id, `error` one of Slack's codes. */
  fail(fault: Fault): void;
  /** From now on the token is refused with this error, or accepted again; `true` is the usual error. */
  setRevoked(token: "bot" | "app", error: string | boolean): void;
  /** Tells the client that its socket goes: `warning`, or `refresh_requested` unless said otherwise. */
  disconnect(reason?: "warning" | "refresh_requested" | "link_disabled"): void;
  /** Cuts every socket without a word. */
  killSocket(): void;
  /** Moves the server's own clock, by which triggers and response URLs run out. */
  advance(ms: number): void;
  close(): Promise<void>;
}

export async function createSlackServer(options: SlackServerOptions = {}): Promise<SlackServer> {
  const {
    botToken = "xoxb-1000000000001-2000000000002-TestTokenTestToken",
    appToken = "xapp-1-A0TEST00001-3000-test",
  } = options;
  const { port = 0, name = "Threadline", botUserId = "U0TESTBOT01", teamId = "T0TEST00001" } = options;
  const { appId = "A0TEST00001", ackMs = 3000, pingMs = 10_000 } = options;
  let skew = 0;
  let last: Pushed | undefined;
  const violations: string[] = [];
  const violate = (what: string) => void violations.push(what);
  const world = createWorld({ botUserId, teamId, appId, name, now: () => Date.now() + skew });
  const faults = createFaults();
  // What fails before a call is read is a client that has gone: nobody waits for an answer.
  const server = createServer((request, response) => {
    serve(parts, request, response).catch(() => response.destroy());
  });
  const socket = createSocketMode(server, { ackMs, pingMs, appId, violate });
  const events = createEvents(world, socket);
  const api: WebApi = {
    world,
    events,
    socket,
    faults,
    violate,
    calls: [],
    tokens: new Map([
      [botToken, { type: "bot", refusedWith: undefined }],
      [appToken, { type: "app", refusedWith: undefined }],
    ]),
    scopes: options.scopes,
    now: options.now ?? Date.now,
  };
  const parts: Parts = { world, events, api, botToken, violate };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  world.origin = `http://127.0.0.1:${typeof address === "object" && address ? address.port : port}`;
  const said = (pushed: Pushed | undefined) => void (last = pushed ?? last);

  return {
    apiUrl: `${world.origin}/api/`,
    botToken,
    appToken,
    bot: { id: world.bot.id, name, botId: world.bot.bot.botId },
    team: world.team,
    calls: api.calls,
    violations,
    tooFast: () => tooFast(api.calls, SLACK_RATES),
    socket,
    acks: socket.acks,
    statuses: world.statuses,
    get views() {
      return [...world.views.values()].filter(({ open }) => open);
    },
    user: (id, called, more = {}) => createUser({ world, events, socket, said }, accountOf(world, id, called, more)),
    channel(id, called, members = [], more = {}) {
      const people = members.map(({ account }) => account.id);
      const all = new Set(more.withoutBot ? people : [...people, world.bot.id]);
      const type = more.private ? "group" : "channel";
      return addChannel(world, { id, name: called, type, members: all, shared: more.shared ?? false });
    },
    invite(channel, { account }) {
      channel.members.add(world.bot.id);
      const ts = world.nextTs();
      const who = { user: world.bot.id, inviter: account.id, team: world.team.id };
      const where = { channel: channel.id, channel_type: channel.type === "group" ? "G" : "C" };
      said(events.tell({ type: "member_joined_channel", ...who, ...where, event_ts: ts }, channel));
    },
    systemMessage(channel, text) {
      const user = { id: "USLACK", name: "Slack", team: world.team.id };
      const message = addMessage(world, { channel, user, text, blocks: [] });
      said(events.message(message));
      return message;
    },
    push: (type, payload) => socket.push(type, localise(world, payload)),
    redeliver() {
      if (!last) throw new Error("Expected an event to deliver again; nobody has caused one yet.");
      return socket.push(last.type, last.payload, 1);
    },
    fail: (fault) => faults.add(fault),
    setRevoked(token, error) {
      const usual = token === "bot" ? "token_revoked" : "invalid_auth";
      const refusedWith = error === true ? usual : error || undefined;
      for (const known of api.tokens.values()) if (known.type === token) known.refusedWith = refusedWith;
    },
    disconnect: (reason = "refresh_requested") => socket.disconnect(reason),
    killSocket: () => socket.kill(),
    advance: (ms) => void (skew += ms),
    close: () => {
      socket.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function accountOf({ team }: World, id: string, name: string, options: UserOptions): Account {
  const { guest, stranger, isBot } = options;
  const bot = { botId: `B${id.slice(1)}`, appId: `A${id.slice(1)}` };
  return {
    id,
    name,
    team: options.team ?? team.id,
    ...(guest && { guest }),
    ...(stranger && { stranger }),
    ...(isBot && { bot }),
  };
}

interface Parts {
  readonly world: World;
  readonly events: Events;
  readonly api: WebApi;
  readonly botToken: string;
  readonly violate: (what: string) => void;
}

async function serve(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://local");
  const [, area = "", rest = ""] = /^\/([^/]+)\/(.*)$/.exec(pathname) ?? [];
  const body = await readBody(request);
  const type = request.headers["content-type"] ?? "";
  if (area === "api")
    return serveApi(parts.api, rest, { body, type, authorization: request.headers.authorization }, response);
  if (area === "response") return respond(parts, rest, body, response);
  if (area === "upload") return receiveUpload(parts.world, rest, { body, type }, response);
  if (area === "files-pri") return sendBytes(parts, rest, request.headers.authorization, response);
  answerPage(response, 404, "Not found");
}
