/** What `doctor` says about the app. Opens no socket, so that no event is taken away from a running bot. */
import { AdapterError } from "../../gateway/contract.ts";
import type { Finding } from "../../gateway/contract.ts";
import { createApi } from "./api.ts";
import type { Api, AuthTest } from "./api.ts";
import { SCOPES } from "./needs.ts";
import type { SlackConfig } from "./settings.ts";

export async function checkApp(settings: SlackConfig): Promise<readonly Finding[]> {
  const { bot_token: botToken = "", app_token: appToken = "", api_url: apiUrl } = settings;
  const api = createApi({ botToken, appToken, apiUrl });
  return [...(await checkBotToken(api)), await checkAppToken(api)];
}

async function checkBotToken(api: Api): Promise<Finding[]> {
  try {
    const bot = await api.call("auth.test", {});
    const { user, user_id, team, team_id, response_metadata } = bot;
    const who = `Slack: the bot token is that of @${user ?? user_id} (${user_id}) in ${team ?? "the workspace"} (${team_id}).`;
    return [{ ok: true, text: who }, ...organisation(bot), ...missing(response_metadata?.scopes)];
  } catch (error) {
    return [failed(error)];
  }
}

function organisation({ is_enterprise_install: whole }: AuthTest): Finding[] {
  if (!whole) return [];
  const text = "The app is installed for a whole organisation. Install it in one workspace and use that token.";
  return [{ ok: false, text }];
}

/** Slack names what a token may do with every answer. */
function missing(granted: readonly string[] | undefined): Finding[] {
  if (!granted) return [];
  const lacking = SCOPES.filter(({ scope }) => !granted.includes(scope));
  if (lacking.length === 0) return [{ ok: true, text: "The app has every scope it needs." }];
  const how = "add it under OAuth & Permissions and reinstall the app";
  return lacking.map(({ scope, why }) => ({ ok: false, text: `The scope ${scope} is missing: ${why}; ${how}.` }));
}

/** Gives an address for a socket, which nobody opens. */
async function checkAppToken(api: Api): Promise<Finding> {
  try {
    await api.call("apps.connections.open", {});
    return { ok: true, text: "The app-level token opens Socket Mode." };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Finding {
  if (error instanceof AdapterError) return { ok: false, text: error.message };
  throw error;
}
