/** Whether the bot may write where it was called. Pure. */
import { PermissionFlagsBits } from "discord.js";
import { isTopLevel } from "./place.ts";
import type { Spot } from "./place.ts";

const VIEW = { bit: PermissionFlagsBits.ViewChannel, name: "View Channel" };
const SEND = { bit: PermissionFlagsBits.SendMessages, name: "Send Messages" };
const SEND_IN_THREADS = { bit: PermissionFlagsBits.SendMessagesInThreads, name: "Send Messages in Threads" };

/**
 * One sentence that names what is missing and says what to do; undefined where nothing is, or where Discord does not
 * tell. `rights` as in `app_permissions`: bits in decimal. To open a thread is no need: a reply does as well.
 */
export function cannotPost(spot: Spot, rights: string | undefined): string | undefined {
  if (rights === undefined || spot.guild === undefined) return undefined;
  const granted = BigInt(rights);
  if ((granted & PermissionFlagsBits.Administrator) !== 0n) return undefined;
  const needed = [VIEW, isTopLevel(spot) ? SEND : SEND_IN_THREADS];
  const missing = needed.filter(({ bit }) => (granted & bit) === 0n).map(({ name }) => `"${name}"`);
  if (missing.length === 0) return undefined;
  const [rightsWord, them] = missing.length > 1 ? ["rights", "them"] : ["right", "it"];
  return `I cannot answer here, since I lack the ${rightsWord} ${missing.join(" and ")}: an admin of this server can grant me ${them} in the settings of this channel, under Permissions, or you ask me in another one.`;
}
