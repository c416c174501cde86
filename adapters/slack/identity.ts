/** Who the bot is. Kept on disk, so that threads of an earlier process have a name also while Slack is away. */
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Identity } from "../../gateway/contract.ts";
import type { Api, AuthTest } from "./api.ts";
import { accountOf } from "./bot.ts";
import type { Bot } from "./bot.ts";

function botOf({ team_id, user_id, bot_id, user }: AuthTest): Bot {
  return {
    team: team_id,
    user: user_id,
    ...(bot_id && { botId: bot_id }),
    name: user ?? "Slack bot",
  };
}

/** Nobody knows the account before Slack has told it once. */
export function identityOf(bot: Bot | undefined): Identity {
  if (!bot) return { account: "", name: "Slack bot" };
  const link = `https://slack.com/app_redirect?team=${bot.team}&channel=${bot.user}`;
  return { account: accountOf(bot), name: bot.name, link };
}

const stored = z.object({
  token: z.string(),
  bot: z.object({
    team: z.string(),
    user: z.string(),
    botId: z.string().exactOptional(),
    name: z.string(),
  }),
});

export interface Self {
  /** From the last process until Slack has told it again; `undefined`: never told. */
  readonly bot: () => Bot | undefined;
  /** Asks once, until it succeeds: without its own id neither mentions nor its own words can be told. */
  readonly confirm: () => Promise<void>;
  /** Asks where it was never told. Throws `AdapterError`. */
  readonly known: () => Promise<Bot>;
}

export function createSelf(api: Api, folder: string, token: string): Self {
  const file = join(folder, "bot.json");
  const digest = createHash("sha256").update(token).digest("hex");
  const read = stored.safeParse(readJson(file));
  // Another token is another bot.
  let bot: Bot | undefined = read.success && read.data.token === digest ? read.data.bot : undefined;
  let confirmed = false;

  async function confirm(): Promise<void> {
    if (!confirmed) await ask();
  }

  async function ask(): Promise<Bot> {
    const told = botOf(await api.call("auth.test", {}));
    bot = told;
    confirmed = true;
    // Written aside first: a file that is cut off would be no memory.
    writeFileSync(`${file}.new`, JSON.stringify({ token: digest, bot }), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    return told;
  }
  return { bot: () => bot, confirm, known: async () => bot ?? ask() };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
