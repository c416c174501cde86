/** What `doctor` says about the bot. Reads only, and never asks for updates. */
import { AdapterError } from "../../gateway/contract.ts";
import type { Finding } from "../../gateway/contract.ts";
import { createApi } from "./api.ts";
import type { BotUser } from "./api.ts";
import type { TelegramConfig } from "./settings.ts";

export async function checkBot({ bot_token, api_url }: TelegramConfig): Promise<readonly Finding[]> {
  const api = createApi({ token: bot_token ?? "", apiUrl: api_url });
  try {
    const me = await api.call("getMe", {});
    const { url } = await api.call("getWebhookInfo", {});
    return [
      { ok: true, text: `Telegram: the token is that of @${me.username} (${me.id}).` },
      privacy(me),
      webhook(url),
    ];
  } catch (error) {
    if (error instanceof AdapterError) return [{ ok: false, text: error.message }];
    throw error;
  }
}

function privacy(me: BotUser): Finding {
  const change = `To change it: BotFather, /setprivacy, @${me.username}; then take the bot out of the group and add it again.`;
  const text = me.can_read_all_group_messages
    ? `Privacy mode is off: in groups the bot reads every message and can follow a thread without a mention. ${change}`
    : `Privacy mode is on: in groups the bot sees only commands, mentions and replies to its messages (all messages where it is an administrator). ${change}`;
  return { ok: true, text };
}

function webhook(url: string): Finding {
  if (url === "") return { ok: true, text: "No webhook is set, so updates can be polled." };
  return {
    ok: false,
    text: "A webhook is set, which blocks polling. The start removes it; if another program uses this bot, give this one a bot of its own.",
  };
}
