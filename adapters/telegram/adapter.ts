/** Telegram as a kind of platform. Its client library is loaded only where the platform is on. */
import type { AdapterKind } from "../../gateway/contract.ts";
import { config } from "./settings.ts";
import type { TelegramConfig } from "./settings.ts";

export const telegram: AdapterKind<TelegramConfig> = {
  platform: "telegram",
  config,
  configured: ({ bot_token }) => Boolean(bot_token),
  commandSign: "/",
  access: {
    mode: "approved",
    place: { pattern: /^-?\d+$/, example: "-1001234567890" },
    user: { pattern: /^\d+$/, example: "123456789" },
  },
  create: async (settings, deps) => (await import("./wired.ts")).createTelegram(settings, deps),
  check: async (settings) => {
    if (settings.bot_token) return (await import("./check.ts")).checkBot(settings);
    return [{ ok: false, text: "platforms.telegram.bot_token is missing: get one from BotFather with /newbot." }];
  },
};
