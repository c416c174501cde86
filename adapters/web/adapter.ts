/** The local page as a kind of platform. What draws it is loaded only where it is on. */
import { z } from "zod";
import type { AdapterKind } from "../../gateway/contract.ts";

const config = z.strictObject({});

export const web: AdapterKind<z.infer<typeof config>> = {
  platform: "web",
  config,
  configured: () => true,
  commandSign: "/",
  access: "owner",
  create: async (_config, deps) => (await import("./wired.ts")).createWebAdapter(deps),
  check: async () => [{ ok: true, text: "The local page needs nothing: open the link that the start prints." }],
};
