/** Telegram, wired: the client, the poll, and what the gateway asks for. */
import { AdapterError, METHODS } from "../../gateway/contract.ts";
import type { Adapter, AdapterDeps, Deliver, Identity, Limits } from "../../gateway/contract.ts";
import { unlessHopeless, unlessLimited } from "../shared/failure.ts";
import { createApi } from "./api.ts";
import type { BotUser } from "./api.ts";
import { createIntake } from "./intake.ts";
import type { Intake } from "./intake.ts";
import { keepMenu } from "./menu.ts";
import {
  download,
  DOWNLOAD_BYTES,
  edit,
  remove,
  send,
  showDraft,
  showTyping,
  upload,
  UPLOAD_BYTES,
} from "./outgoing.ts";
import { plain } from "./plain.ts";
import { startPoll } from "./poll.ts";
import type { Poll } from "./poll.ts";
import { render } from "./render.ts";
import type { TelegramConfig } from "./settings.ts";

/**
 * Telegram: about one message a second in a chat, 20 a minute in a group, 30 a second in all; edits count. Cards leave a
 * quarter of a group's minute, and five a second in all, to answers. A "wait" is about the chat. Typing is shown for 5 s,
 * a draft for 30 s (https://core.telegram.org/bots/api#sendmessagedraft); drafts are counted as edits are.
 */
const LIMITS: Limits = {
  rates: [
    { scope: "account", methods: ["post", "edit", "presence", "draft"], calls: 25, perMs: 1000 },
    { scope: "place", places: "direct", methods: ["post", "edit", "draft"], calls: 1, perMs: 1000 },
    { scope: "place", places: "shared", methods: ["post", "edit"], calls: 20, perMs: 60_000 },
    { scope: "place", places: "shared", methods: ["post", "edit"], calls: 1, perMs: 4000 },
  ],
  waits: [{ scope: "place", methods: METHODS }],
  answerParts: 5,
  presenceMs: 5000,
  draftMs: 30_000,
  uploadBytes: UPLOAD_BYTES,
  downloadBytes: DOWNLOAD_BYTES,
};

export function createTelegram(settings: TelegramConfig, { log, clock, requestMs }: AdapterDeps): Adapter {
  const api = createApi({
    token: settings.bot_token ?? "",
    apiUrl: settings.api_url,
    ...(requestMs !== undefined && { requestMs }),
  });
  let me: BotUser | undefined;
  let running: { readonly poll: Poll; readonly intake: Intake; readonly menu: { stop(): void } } | undefined;

  const bot = () => ({ account: api.account, username: me?.username ?? "" });

  /** Asked until it succeeds: without the bot's name no mention can be told, so no update is fetched before. */
  async function prepare(): Promise<void> {
    me ??= await api.call("getMe", {});
    const { url } = await api.call("getWebhookInfo", {});
    if (url === "") return;
    log.warn("a webhook was set for this bot; it is removed, because it blocks polling");
    await api.call("deleteWebhook", {});
  }

  async function start(deliver: Deliver): Promise<Identity> {
    if (api.account === "")
      throw new AdapterError("auth", "platforms.telegram.bot_token is missing: get one from BotFather.");
    me = await api.call("getMe", {}).catch(unlessHopeless);
    const intake = createIntake({ api, log, deliver, bot, now: () => clock.now() });
    const poll = startPoll({ api, clock, log, prepare, handle: intake.handle });
    running = { poll, intake, menu: keepMenu(api, clock, log) };
    if (!me) return { account: api.account, name: "Telegram bot" };
    const link = `https://t.me/${me.username}`;
    return { account: api.account, name: me.first_name, link, codeLink: `${link}?start=` };
  }

  async function stop(): Promise<void> {
    running?.menu.stop();
    await running?.poll.stop();
    await running?.intake.settled();
  }

  return {
    platform: "telegram",
    limits: LIMITS,
    start,
    stop,
    render,
    plain,
    send: (thread, part) => send(api, thread, part),
    edit: (_thread, post, part) => edit(api, post, part),
    remove: (_thread, post) => remove(api, post),
    upload: (thread, file) => upload(api, thread, file),
    // The Bot API has neither an idempotency key nor a way to read a chat.
    find: () => Promise.resolve("unknowable"),
    history: () => Promise.resolve("unavailable"),
    presence: async (thread, on, draft) => {
      if (on && draft) await showDraft(api, thread, draft);
      else if (on) await showTyping(api, thread).catch((error: unknown) => unlessLimited(error, log));
    },
    download: (file) => download(api, file),
    health: () => running?.poll.health() ?? { connected: false },
  };
}
