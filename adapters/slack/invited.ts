/** Whether the bot may post where it was called: a slash command works also where it is no member. */
import { AdapterError } from "../../gateway/contract.ts";
import type { Place } from "../../gateway/contract.ts";
import type { Api } from "./api.ts";
import { refusedWith } from "./errors.ts";

/** What the caller can do about it; `undefined`: the bot is in. Rejects while Slack does not tell. */
export async function notYetInvited(api: Api, place: Place): Promise<string | undefined> {
  try {
    const { channel } = await api.call("conversations.info", { channel: place.id });
    if (channel.is_im || channel.is_member) return undefined;
  } catch (error) {
    // A scope that is missing is no reason to turn people away.
    if (refusedWith(error, "missing_scope")) return undefined;
    if (!(error instanceof AdapterError) || error.code !== "forbidden") throw error;
  }
  if (place.type === "direct") return "I cannot write here, between the two of you. Send me a direct message instead.";
  return "I am not in this channel. Invite me with /invite and my name, then ask again.";
}
