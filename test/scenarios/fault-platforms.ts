/** The three platforms as the fault matrix needs them: how each one words a failure, and its real client. */
import { discord } from "../../adapters/discord/adapter.ts";
import { parseThread as parseDiscord } from "../../adapters/discord/thread-key.ts";
import { slack } from "../../adapters/slack/adapter.ts";
import { parseThread as parseSlack } from "../../adapters/slack/thread-key.ts";
import { telegram } from "../../adapters/telegram/adapter.ts";
import { parseThread as parseTelegram } from "../../adapters/telegram/thread-key.ts";
import type { Adapter, AdapterDeps, ThreadKey } from "../../gateway/contract.ts";
import { createDiscordServer } from "../wire/discord-server.ts";
import type { Fault } from "../wire/faults.ts";
import { createSlackServer } from "../wire/slack-server.ts";
import { createTelegramServer } from "../wire/telegram-server.ts";
import { createDiscordStage } from "./discord-stage.ts";
import { createSlackStage } from "./slack-stage.ts";
import type { Stage } from "./stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

type Words = Pick<Fault, "status" | "error"> & { readonly code?: number };

export interface Wire {
  readonly stage: Stage;
  /** Strikes calls in this thread's chat. */
  fail(thread: ThreadKey, call: "post" | "edit", fault: Fault): void;
  /** Each process has its own. */
  connect(deps: AdapterDeps): Promise<Adapter>;
  /** How the platform refuses an edit, or a post where nobody may write. */
  readonly refusals: {
    readonly deleted: Words;
    readonly tooLong: Words;
    readonly blocked: Words;
  };
}

async function onTelegram(): Promise<Wire> {
  const server = await createTelegramServer();
  const config = telegram.config.parse({ bot_token: server.token, api_url: server.url });
  const methods = { post: "sendMessage", edit: "editMessageText" };
  return {
    stage: await createTelegramStage(server),
    fail: (thread, call, fault) => server.fail({ method: methods[call], place: parseTelegram(thread).chat, ...fault }),
    connect: async (deps) => telegram.create(config, deps),
    refusals: {
      deleted: { status: 400, error: "Bad Request: message to edit not found" },
      tooLong: { status: 400, error: "Bad Request: message is too long" },
      blocked: { status: 403, error: "Forbidden: bot was blocked by the user" },
    },
  };
}

async function onSlack(): Promise<Wire> {
  const server = await createSlackServer();
  const { botToken: bot_token, appToken: app_token, apiUrl: api_url } = server;
  const config = slack.config.parse({ bot_token, app_token, api_url });
  const methods = { post: "chat.postMessage", edit: "chat.update" };
  return {
    stage: await createSlackStage(server),
    fail: (thread, call, fault) => server.fail({ method: methods[call], place: parseSlack(thread).channel, ...fault }),
    connect: async (deps) => slack.create(config, deps),
    refusals: {
      deleted: { error: "message_not_found" },
      tooLong: { error: "msg_too_long" },
      blocked: { error: "is_archived" },
    },
  };
}

async function onDiscord(): Promise<Wire> {
  const server = await createDiscordServer();
  const config = discord.config.parse({ bot_token: server.token, api_url: server.api });
  const methods = { post: "POST /channels/:id/messages", edit: "PATCH /channels/:id/messages/:id" };
  return {
    stage: await createDiscordStage(server),
    fail(thread, call, fault) {
      const at = parseDiscord(thread);
      server.fail({ method: methods[call], ...(at.type === "direct" && { place: at.channel }), ...fault });
    },
    connect: async (deps) => discord.create(config, deps),
    refusals: {
      deleted: { status: 404, code: 10008, error: "Unknown Message" },
      tooLong: { status: 400, code: 50035, error: "Invalid Form Body" },
      blocked: { status: 403, code: 50007, error: "Cannot send messages to this user" },
    },
  };
}

export const WIRES = { Telegram: onTelegram, Slack: onSlack, Discord: onDiscord } as const;
