/** Slack, wired: the client, the socket, and what the gateway asks for. */
import { AdapterError, METHODS } from "../../gateway/contract.ts";
import type { Adapter, AdapterDeps, Deliver, Health, Identity, Limits } from "../../gateway/contract.ts";
import { createUnderWay } from "../shared/under-way.ts";
import { createApi } from "./api.ts";
import { keepConnected } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { download, FILE_BYTES, upload } from "./files.ts";
import { createSelf, identityOf } from "./identity.ts";
import { createIntake } from "./intake.ts";
import { edit, remove, send } from "./outgoing.ts";
import { ANSWER_PARTS } from "./part.ts";
import { createPeople } from "./people.ts";
import { createPresence, PRESENCE_MS } from "./presence.ts";
import { plain } from "./plain.ts";
import { find, history } from "./reading.ts";
import { render } from "./render.ts";
import { missingTokens } from "./settings.ts";
import type { SlackConfig } from "./settings.ts";
import { openSocket } from "./socket.ts";

/**
 * Slack: about one post a second in a channel. Everything else is limited for each method in the whole workspace:
 * `chat.update` is Tier 3, some 50 a minute, of which a few are left to questions that are answered. A "wait" names no channel, but posts are limited by channel.
 */
const LIMITS: Limits = {
  rates: [
    { scope: "place", methods: ["post"], calls: 1, perMs: 1000 },
    { scope: "account", methods: ["edit"], calls: 1, perMs: 1300 },
  ],
  waits: METHODS.map((method) => ({ scope: method === "post" ? "place" : "account", methods: [method] })),
  answerParts: ANSWER_PARTS,
  presenceMs: PRESENCE_MS,
  draftMs: 0,
  uploadBytes: FILE_BYTES,
  downloadBytes: FILE_BYTES,
};

export function createSlack(settings: SlackConfig, { log, clock, folder, requestMs }: AdapterDeps): Adapter {
  const { bot_token: botToken = "", app_token: appToken = "", api_url: apiUrl } = settings;
  const api = createApi({ botToken, appToken, apiUrl, log, ...(requestMs !== undefined && { requestMs }) });
  const files = { api, apiUrl, botToken };
  const self = createSelf(api, folder, botToken);
  const now = () => clock.now();
  const people = createPeople(api, self.bot, clock);
  const underWay = createUnderWay();
  const ending = new AbortController();
  let connection: Connection | undefined;
  let lastEventAt: number | undefined;

  async function start(deliver: Deliver): Promise<Identity> {
    const [missing] = missingTokens(settings);
    if (missing !== undefined) throw new AdapterError("auth", missing);
    const intake = createIntake({ api, apiUrl, log, people, deliver, bot: self.bot, clock, ending: ending.signal });
    const handle = (body: unknown) => {
      // A line that is being closed may still bring something: who comes after us gets it again.
      if (ending.signal.aborted) return Promise.reject(new AdapterError("unavailable", "This adapter is stopping."));
      lastEventAt = now();
      return underWay.track(intake.handle(body));
    };
    const open = () => openSocket({ appToken, apiUrl, log, handle, follow });
    connection = keepConnected({ clock, log, prepare: self.confirm, open });
    const failure = await connection.first;
    if (failure?.code === "auth") throw failure;
    return identityOf(self.bot());
  }

  /** Slack has its acknowledgement; that a notice was not taken is no news. */
  function follow(afterwards: () => Promise<unknown>): void {
    underWay.track(afterwards()).catch((error: unknown) => {
      log.debug({ err: error }, "what follows an acknowledgement was not taken");
    });
  }

  /** A bot token that is refused leaves the socket open: events would come, and nothing could be answered. */
  function health(): Health {
    const { connected, lastError } = connection?.health() ?? { connected: false };
    const sentence = api.refusal() ?? lastError;
    return {
      connected: connected && api.refusal() === undefined,
      ...(lastEventAt !== undefined && { lastEventAt }),
      ...(sentence !== undefined && { lastError: sentence }),
    };
  }

  async function stop(): Promise<void> {
    ending.abort();
    await connection?.stop();
    await underWay.settled();
  }

  return {
    platform: "slack",
    limits: LIMITS,
    start,
    stop,
    health,
    render,
    plain,
    presence: createPresence(api, log),
    send: (thread, part, nonce) => send(api, thread, part, nonce),
    edit: (_thread, post, part) => edit(api, post, part),
    remove: (_thread, post) => remove(api, post),
    upload: (thread, file) => upload(files, thread, file),
    // Which posts are its own is asked for where a call comes before `start` knows it.
    find: async (thread, part, nonce, since) => find(api, await self.known(), { thread, part, nonce, since }),
    download: (file) => download(files, file),
    async history(thread, before, limit) {
      const bot = self.bot();
      return bot ? history({ api, people, bot }, thread, before, limit) : "unavailable";
    },
  };
}
