/** Discord, wired: REST, the gateway's connection, and what the gateway of ours asks for. */
import { AdapterError, METHODS } from "../../gateway/contract.ts";
import type { Adapter, AdapterDeps, Deliver, Identity, InboundOf, Limits } from "../../gateway/contract.ts";
import { unlessHopeless, unlessLimited } from "../shared/failure.ts";
import { spanBlocks } from "../shared/markdown-spans.ts";
import { accountOf, fetchApplication, fetchUser, inviteLink, mayReadContent } from "./application.ts";
import type { Application, BotUser } from "./application.ts";
import { createChannels } from "./channels.ts";
import { openCommandPlaces } from "./command-places.ts";
import { keepCommands } from "./commands.ts";
import { CONTENT_MISSING, intentsFor, openConnection } from "./connection.ts";
import type { Connection, Prepared } from "./connection.ts";
import { download, DOWNLOAD_BYTES } from "./download.ts";
import { createIntake } from "./intake.ts";
import type { Intake } from "./intake.ts";
import { answerInteraction } from "./interactions.ts";
import { createNonces } from "./nonces.ts";
import { edit, remove, send, showTyping, upload, UPLOAD_BYTES } from "./outgoing.ts";
import { toParts } from "./part.ts";
import { plain } from "./plain.ts";
import { find, history } from "./reading.ts";
import { render } from "./render.ts";
import { createApi } from "./rest.ts";
import type { Api } from "./rest.ts";
import { openSession } from "./session.ts";
import type { Session } from "./session.ts";
import { MISSING } from "./settings.ts";
import type { DiscordConfig } from "./settings.ts";
import { asReplies } from "./thread-key.ts";

/**
 * Discord: about five calls in five seconds for each route and channel, and each thread is a channel; 50 a second in all,
 * of which ten are left to answers. A "wait" is about one route in one channel. Typing is shown for 10 s.
 */
const LIMITS: Limits = {
  rates: [
    { scope: "account", methods: METHODS, calls: 40, perMs: 1000 },
    { scope: "thread", methods: ["post"], calls: 5, perMs: 5000 },
    { scope: "thread", methods: ["edit"], calls: 1, perMs: 1000 },
  ],
  waits: METHODS.map((method) => ({ scope: "thread", methods: [method] })),
  answerParts: 5,
  presenceMs: 10_000,
  draftMs: 0,
  uploadBytes: UPLOAD_BYTES,
  downloadBytes: DOWNLOAD_BYTES,
};

interface Running {
  readonly connection: Connection;
  readonly intake: Intake;
  readonly commands: { stop(): void };
}

export function createDiscord(settings: DiscordConfig, { log, clock, folder, requestMs }: AdapterDeps): Adapter {
  const { bot_token: token = "", api_url: apiUrl, threads: mode, guild_ids: guilds } = settings;
  const api: Api = createApi({
    token,
    apiUrl,
    log,
    now: () => clock.now(),
    ...(requestMs !== undefined && { requestMs }),
  });
  let me: BotUser | undefined;
  let application: Promise<Application> | undefined;
  let session: Session | undefined;
  let running: Running | undefined;
  const account = () => me?.id ?? accountOf(token);
  const channels = createChannels(api, account);
  const outgoing = { api, channels, log, nonces: createNonces(), mode, account };
  const reading = { ...outgoing, now: () => clock.now() };

  /** Asked once, and again only after a failure. */
  function askApplication(): Promise<Application> {
    application ??= fetchApplication(api).catch((error: unknown) => {
      application = undefined;
      throw error;
    });
    return application;
  }

  const askMe = async (): Promise<BotUser> => (me ??= await fetchUser(api));

  /** Asked until it succeeds: without the bot's id no mention can be told, so nothing is taken before. */
  async function prepare(): Promise<Prepared> {
    const { id } = await askMe();
    const readsContent = mayReadContent(await askApplication());
    if (!session && !readsContent) log.warn(CONTENT_MISSING);
    session ??= openSession({ folder, owner: `${id} ${intentsFor(readsContent)}`, clock, log });
    return { mayReadContent: readsContent, session };
  }

  /** Below the message, since only an interaction can be answered in private. */
  async function reply({ eventId, thread, topLevel }: InboundOf<"message">, text: string): Promise<void> {
    const below = topLevel ? asReplies(thread) : thread;
    for (const [index, part] of toParts(spanBlocks(text)).entries())
      await send(outgoing, below, part, `refusal:${eventId}/${index}`);
  }

  async function start(deliver: Deliver): Promise<Identity> {
    if (token === "") throw new AdapterError("auth", MISSING);
    const user = await askMe().catch(unlessHopeless);
    const known = user && (await askApplication().catch(unlessHopeless));
    const guildName = (id: string) => channels.guildName(id);
    const answer = (data: unknown) => answerInteraction(data, { api, log, clock, deliver, account, guildName });
    const stored = (sequence: number) => session?.stored(sequence);
    const intake = createIntake({ log, clock, deliver, channels, account, mode, answer, reply, stored });
    const connection = openConnection({ api, clock, log, prepare, take: intake.take });
    const applicationId = async () => (await askApplication()).id;
    const places = openCommandPlaces({ folder, log });
    const commands = keepCommands({ api, application: applicationId, guilds, places, clock, log });
    running = { intake, connection, commands };
    const name = user?.global_name ?? user?.username ?? "Discord bot";
    return { account: account(), name, ...(known && { link: inviteLink(known.id) }) };
  }

  async function stop(): Promise<void> {
    running?.commands.stop();
    await running?.intake.stop();
    await running?.connection.stop();
    api.close();
  }

  return {
    platform: "discord",
    limits: LIMITS,
    start,
    stop,
    render,
    plain,
    send: (thread, part, nonce) => send(outgoing, thread, part, nonce),
    edit: (_thread, post, part) => edit(outgoing, post, part),
    remove: (_thread, post) => remove(outgoing, post),
    upload: (thread, file, nonce) => upload(outgoing, thread, file, nonce),
    // Which posts are its own is asked for where a call comes before `start` knows it.
    find: (thread, part, nonce, since, known) =>
      askMe().then(() => find(reading, { thread, part, nonce, since, known })),
    history: (thread, before, limit) => askMe().then(() => history(reading, thread, before, limit)),
    presence: async (thread, on) => {
      if (on) await showTyping(outgoing, thread).catch((error: unknown) => unlessLimited(error, log));
    },
    download: (file) => download(api, file),
    health: () => running?.connection.health() ?? { connected: false },
  };
}
