/** The keys under `platforms.discord`. */
import { z } from "zod";

export const config = z.strictObject({
  bot_token: z
    .string()
    .trim()
    .regex(
      /^[\w-]+\.[\w-]+\.[\w-]+$/,
      "Expected the token as the developer portal gave it: three parts with dots between. The value is not shown.",
    )
    .optional(),
  api_url: z.url({ protocol: /^https?$/ }).default("https://discord.com/api"),
  /** Servers in which the slash commands are registered; none: everywhere, which takes Discord longer. */
  guild_ids: z.array(z.string().regex(/^\d{15,20}$/, 'Expected the id of a server, in "quotes"')).default([]),
  /** `reply`: no Discord threads are opened. */
  threads: z.enum(["auto", "reply"]).default("auto"),
});
export type DiscordConfig = z.output<typeof config>;

export const MISSING =
  "platforms.discord.bot_token is missing: make an application at https://discord.com/developers/applications and take the token from its page Bot.";
