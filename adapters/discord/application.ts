/** Who the bot is, and what its application may do. */
import { PermissionFlagsBits, Routes } from "discord.js";
import { z } from "zod";
import type { Api } from "./rest.ts";

const userSchema = z.object({ id: z.string(), username: z.string(), global_name: z.string().nullish() });
const applicationSchema = z.object({ id: z.string(), flags: z.number().default(0) });
export type BotUser = z.output<typeof userSchema>;
export type Application = z.output<typeof applicationSchema>;

export const fetchUser = (api: Api): Promise<BotUser> =>
  api.call({ method: "GET", route: Routes.user("@me") }, userSchema);
export const fetchApplication = (api: Api): Promise<Application> =>
  api.call({ method: "GET", route: Routes.currentApplication() }, applicationSchema);

/** Discord: GATEWAY_MESSAGE_CONTENT, and its LIMITED form for bots in fewer than 100 servers. */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);
export const mayReadContent = ({ flags }: Application): boolean => (flags & MESSAGE_CONTENT) !== 0;

/** What the bot does, and nothing more: see README. */
const RIGHTS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.CreatePublicThreads |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AttachFiles;

/** Opened by who may manage a server, it adds the bot with exactly these rights. */
export function inviteLink(application: string): string {
  const query = new URLSearchParams({
    client_id: application,
    permissions: String(RIGHTS),
    scope: "bot applications.commands",
  });
  return `https://discord.com/oauth2/authorize?${query.toString()}`;
}

/** Discord: the first part of a token is the bot's id, base64. Empty when it is not. */
export function accountOf(token: string): string {
  const id = Buffer.from(token.split(".", 1)[0] ?? "", "base64").toString();
  return /^\d{15,20}$/.test(id) ? id : "";
}
