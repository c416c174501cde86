/** The keys under `platforms.slack`. */
import { z } from "zod";

const token = (begin: string, where: string) =>
  z
    .string()
    .trim()
    .regex(
      new RegExp(`^${begin}-[\\w-]+$`),
      `Expected a token that begins with ${begin}- (${where}). The value is not shown.`,
    )
    .optional();

export const config = z.strictObject({
  bot_token: token("xoxb", "api.slack.com/apps, your app, OAuth & Permissions"),
  app_token: token("xapp", "api.slack.com/apps, your app, Basic Information, App-Level Tokens"),
  api_url: z
    .url({ protocol: /^https?$/ })
    .transform((url) => (url.endsWith("/") ? url : `${url}/`))
    .default("https://slack.com/api/"),
});
export type SlackConfig = z.output<typeof config>;

/** One sentence for each token that is not there. */
export const missingTokens = ({ bot_token, app_token }: SlackConfig): string[] => [
  ...(bot_token ? [] : ["platforms.slack.bot_token is missing: copy it from OAuth & Permissions of your app."]),
  ...(app_token ? [] : ["platforms.slack.app_token is missing: make one under Basic Information of your app."]),
];
