/** The keys under `platforms.telegram`. */
import { z } from "zod";

export const config = z.strictObject({
  bot_token: z
    .string()
    .trim()
    .regex(/^\d+:[\w-]+$/, "Expected the token as BotFather gave it: digits, a colon, letters. The value is not shown.")
    .optional(),
  api_url: z.url({ protocol: /^https?$/ }).default("https://api.telegram.org"),
});
export type TelegramConfig = z.output<typeof config>;
