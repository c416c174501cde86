/** Slack as a kind of platform. Its client library is loaded only where the platform is on. */
import type { AdapterKind } from "../../gateway/contract.ts";
import { config, missingTokens } from "./settings.ts";
import type { SlackConfig } from "./settings.ts";

export const slack: AdapterKind<SlackConfig> = {
  platform: "slack",
  config,
  configured: (settings) => missingTokens(settings).length === 0,
  commandSign: "!",
  access: {
    mode: "workspace",
    place: { pattern: /^[CGD][A-Z0-9]{5,}$/, example: "C0123456789" },
    user: { pattern: /^[UW][A-Z0-9]{5,}$/, example: "U0123456789" },
  },
  create: async (settings, deps) => (await import("./wired.ts")).createSlack(settings, deps),
  check: async (settings) => {
    const missing = missingTokens(settings);
    if (missing.length > 0) return missing.map((text) => ({ ok: false, text }));
    return (await import("./check.ts")).checkApp(settings);
  },
};
