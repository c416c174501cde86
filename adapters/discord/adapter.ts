/** Discord as a kind of platform. Its client library is loaded only where the platform is on. */
import type { AdapterKind } from "../../gateway/contract.ts";
import { config, MISSING } from "./settings.ts";
import type { DiscordConfig } from "./settings.ts";

export const discord: AdapterKind<DiscordConfig> = {
  platform: "discord",
  config,
  configured: ({ bot_token }) => Boolean(bot_token),
  commandSign: "/",
  access: {
    mode: "approved",
    place: { pattern: /^\d{15,20}$/, example: "1100000000000000001" },
    user: { pattern: /^\d{15,20}$/, example: "1100000000000000002" },
  },
  create: async (settings, deps) => (await import("./wired.ts")).createDiscord(settings, deps),
  check: async ({ bot_token, api_url }) => {
    if (!bot_token) return [{ ok: false, text: MISSING }];
    const { checkBot } = await import("./check.ts");
    return checkBot({ token: bot_token, apiUrl: api_url });
  },
};
