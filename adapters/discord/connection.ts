/**
 * The connection to Discord's gateway, from the start to the end of the program.
 *
 *   preparing ──known──▶ connecting ──ready, resumed──▶ flowing ──closed──▶ connecting …   the library resumes by itself
 *       ▲  └─────────────────┤ no network, 429, 5xx: after a pause
 *       └── without content ─┤ 4014: the bot may not read what does not mention it
 *                            ├──▶ refused     the token is wrong or revoked: an operator must act
 *                            └──▶ stopped     `stop` was called
 */
import { GatewayIntentBits } from "discord.js";
import type { Logger } from "pino";
import type { AdapterError, Clock, Health } from "../../gateway/contract.ts";
import { waitAfter } from "../shared/retry-wait.ts";
import { REFUSED_TOKEN, redact, toAdapterError } from "./errors.ts";
import type { Api } from "./rest.ts";
import type { Session } from "./session.ts";
import { openSocket } from "./socket.ts";
import type { Dispatch, Socket, SocketEvents } from "./socket.ts";

export interface Prepared {
  /** Whether the application may read what does not mention it. */
  readonly mayReadContent: boolean;
  readonly session: Session;
}
export interface ConnectionDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Logger;
  /** What must have succeeded once before the first connection. */
  readonly prepare: () => Promise<Prepared>;
  readonly take: (dispatch: Dispatch) => void;
}
export interface Connection {
  health(): Health;
  stop(): Promise<void>;
}

/** What the bot asks to be told. */
export const intentsFor = (withContent: boolean): number =>
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  (withContent ? GatewayIntentBits.MessageContent : 0);

/** Close codes after which the same would happen again. https://discord.com/developers/docs/topics/opcodes-and-status-codes */
const HOPELESS: Readonly<Record<number, string>> = {
  4004: `Discord closed the connection: ${REFUSED_TOKEN}`,
  4010: "Discord closed the connection: this bot needs sharding, which is not supported.",
  4011: "Discord closed the connection: the bot is in more servers than one connection may serve.",
  4012: "Discord closed the connection: it no longer speaks this version of its API. Update the program.",
  4013: "Discord closed the connection: it does not know the intents that were asked for. Update the program.",
};
const DISALLOWED_INTENTS = 4014;
export const CONTENT_MISSING =
  "The bot may not read messages that do not mention it (Message Content Intent): in servers people must mention it in every message, also inside a thread. Turn it on at https://discord.com/developers/applications, the application, Bot, Privileged Gateway Intents, and start again.";

export function openConnection({ api, clock, log, prepare, take }: ConnectionDeps): Connection {
  let health: Health = { connected: false };
  let ended = false;
  let withContent = true;
  let socket: Socket | undefined;
  let cancelRetry = () => {};

  const down = (lastError: string): void => {
    health = { ...health, connected: false, lastError };
  };

  /** For good, until an operator acts. */
  function giveUp(sentence: string): void {
    ended = true;
    down(sentence);
    log.error(sentence);
  }

  async function attempt(failures = 0): Promise<void> {
    try {
      const { mayReadContent, session } = await prepare();
      if (ended) return;
      socket = openSocket({ api, intents: intentsFor(mayReadContent && withContent), session }, events);
      await socket.ready;
    } catch (error) {
      if (!ended) tryLater(toAdapterError(error, api.token), failures + 1);
    }
  }

  function tryLater(failure: AdapterError, failures: number): void {
    const waitMs = waitAfter(failure, failures);
    if (waitMs === "never") return giveUp(failure.message);
    down(failure.message);
    log.warn({ err: failure }, "Discord is not connected; it is tried again");
    cancelRetry = clock.after(waitMs, () => void attempt(failures));
  }

  function closed(code: number): void {
    const sentence = HOPELESS[code];
    if (sentence !== undefined) return giveUp(sentence);
    if (code !== DISALLOWED_INTENTS) return down(`The connection to Discord was lost (${code}); it is made again.`);
    if (!withContent)
      return giveUp("Discord closed the connection: it grants none of the intents that were asked for.");
    withContent = false;
    down(CONTENT_MISSING);
    log.warn(CONTENT_MISSING);
    void socket?.leave().then(() => attempt());
  }

  const events: SocketEvents = {
    closed,
    flowing: () => {
      health = { connected: true, lastEventAt: clock.now() };
      log.info("Discord is connected");
    },
    alive: () => {
      health = { ...health, lastEventAt: clock.now() };
    },
    dispatch: (dispatch) => {
      health = { ...health, lastEventAt: clock.now() };
      take(dispatch);
    },
    failed: (error) => {
      if (!ended && !health.connected) down(toAdapterError(error, api.token).message);
    },
    debug: (message) => log.debug({ message: redact(message, api.token) }, "discord.js"),
  };

  void attempt();
  return {
    health: () => health,
    stop: async () => {
      ended = true;
      cancelRetry();
      await socket?.leave();
      health = { ...health, connected: false };
    },
  };
}
