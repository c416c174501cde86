/** Who the bot is, where it is, and its commands. https://discord.com/developers/docs/interactions/application-commands */
import { channelFor } from "./discord-access.ts";
import { applicationFlags } from "./discord-events.ts";
import { memberJson, userJson } from "./discord-account-json.ts";
import { channelJson, guildJson } from "./discord-place-json.ts";
import type { Json } from "./discord-account-json.ts";
import { invalid, refusal } from "./discord-refusals.ts";
import { created, nothing, ok, readAs } from "./discord-site.ts";
import type { RouteRequest, Routes, Site } from "./discord-site.ts";
import { addChannel } from "./discord-world.ts";
import type { Account, WireChannel, WireCommand, WireGuild, World } from "./discord-world.ts";

export const APPLICATION_ROUTES: Routes = {
  "GET /gateway": (_, { world }) => ok({ url: gatewayUrl(world) }),
  "GET /gateway/bot": (_, { world }) => {
    const session_start_limit = { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 };
    return ok({ url: gatewayUrl(world), shards: 1, session_start_limit });
  },
  "GET /users/@me": (_, { world }) => ok({ ...userJson(world.bot), verified: true, mfa_enabled: true, flags: 0 }),
  "GET /users/@me/guilds": (_, { world }) => ok(joined(world).map(({ id, name }) => ({ id, name, owner: false }))),
  "DELETE /users/@me/guilds/:id": ({ params: [id = ""] }, site) => {
    const guild = guildFor(site.world, id);
    guild.present = false;
    site.events.guildLeft(guild);
    return nothing;
  },
  "POST /users/@me/channels": ({ body }, site) => {
    const { recipient_id: id } = readAs("dm", body, site.violate);
    const account = site.world.accounts.get(String(id));
    if (!account || account.bot) throw refusal("unknown_user");
    return ok(channelJson(site.world, directWith(site.world, account)));
  },
  "GET /users/:id": ({ params: [id = ""] }, { world }) => {
    const account = world.accounts.get(id);
    if (!account) throw refusal("unknown_user");
    return ok(userJson(account));
  },
  "GET /applications/@me": (_, { world }) => ok(applicationJson(world)),
  "GET /oauth2/applications/@me": (_, { world }) => ok(applicationJson(world)),
  "GET /channels/:id": ({ params: [id = ""] }, { world }) => ok(channelJson(world, channelFor(world, id))),
  "GET /guilds/:id": ({ params: [id = ""] }, { world }) => ok(guildJson(world, guildFor(world, id))),
  "GET /guilds/:id/channels": ({ params: [id = ""] }, { world }) => {
    const guild = guildFor(world, id);
    const channels = [...world.channels.values()].filter((one) => one.guild === guild && !one.thread && !one.deleted);
    return ok(channels.map((channel) => channelJson(world, channel)));
  },
  "GET /guilds/:id/members/:id": ({ params: [id = "", memberId = ""] }, { world }) => {
    const guild = guildFor(world, id);
    const account = guild.members.get(memberId === "@me" ? world.bot.id : memberId);
    if (!account) throw refusal("unknown_user");
    return ok({ ...memberJson(guild, account), user: userJson(account) });
  },
  "GET /applications/:id/commands": (request, { world }) => ok(commandsOf(world, request, "global")),
  "PUT /applications/:id/commands": (request, site) => ok(setCommands(request, "global", site)),
  "POST /applications/:id/commands": (request, site) => created(addCommand(request, "global", site)),
  "GET /applications/:id/guilds/:id/commands": (request, { world }) =>
    ok(commandsOf(world, request, guildFor(world, request.params[1] ?? "").id)),
  "PUT /applications/:id/guilds/:id/commands": (request, site) =>
    ok(setCommands(request, guildFor(site.world, request.params[1] ?? "").id, site)),
  "DELETE /applications/:id/commands/:id": (request, { world }) => {
    const before = commandsOf(world, request, "global");
    const after = before.filter(({ id }) => id !== request.params[1]);
    if (after.length === before.length) throw refusal("unknown_command");
    world.commands.set("global", after);
    return nothing;
  },
};

const gatewayUrl = ({ origin }: World): string => origin.replace(/^http/, "ws");
const joined = ({ guilds }: World): WireGuild[] => [...guilds.values()].filter(({ present }) => present);

function guildFor(world: World, id: string): WireGuild {
  const guild = world.guilds.get(id);
  if (!guild?.present) throw refusal("unknown_guild");
  return guild;
}

/** The DM of this person with the bot, opened when it is not there yet. */
export function directWith(world: World, recipient: Account): WireChannel {
  const existing = [...world.channels.values()].find((one) => one.recipient?.id === recipient.id);
  return existing ?? addChannel(world, { kind: "dm", name: recipient.username, recipient });
}

const applicationJson = (world: World): Json => ({
  id: world.bot.id,
  name: world.bot.username,
  icon: null,
  description: "",
  bot_public: false,
  bot_require_code_grant: false,
  flags: applicationFlags(world),
  approximate_guild_count: joined(world).length,
  hook: true,
  summary: "",
  verify_key: "0".repeat(64),
  bot: userJson(world.bot),
  owner: userJson({ id: "1", username: "owner", global_name: "Owner", bot: false }),
  team: null,
  integration_types_config: { "0": {} },
});

function commandsOf(world: World, { params: [application] }: RouteRequest, scope: string): readonly WireCommand[] {
  if (application !== world.bot.id) throw refusal("unknown_account");
  return world.commands.get(scope) ?? [];
}

/** Replaces all commands; those that stay keep their ids. At most 100. */
function setCommands(request: RouteRequest, scope: string, site: Site): readonly WireCommand[] {
  const before = commandsOf(site.world, request, scope);
  if (!Array.isArray(request.body)) throw invalid([], "Only iterables may be used in a ListType");
  if (request.body.length > 100) throw invalid([], "Must be 100 or fewer in length.", "BASE_TYPE_MAX_LENGTH");
  const commands = request.body.map((body) => readCommand(body, before, scope, site));
  const names = commands.map((command) => `${String(command["type"])}:${command.name}`);
  if (new Set(names).size < names.length) throw invalid([], "Application command names must be unique");
  site.world.commandPuts += 1;
  site.world.commands.set(scope, commands);
  return commands;
}

function addCommand(request: RouteRequest, scope: string, site: Site): WireCommand {
  const before = commandsOf(site.world, request, scope);
  const command = readCommand(request.body, before, scope, site);
  site.world.commands.set(scope, [...before.filter(({ name }) => name !== command.name), command]);
  return command;
}

function readCommand(
  body: unknown,
  before: readonly WireCommand[],
  scope: string,
  { world, violate }: Site,
): WireCommand {
  const json = readAs("command", body, violate);
  const name = String(json["name"]);
  checkCommand(json, json["type"] ?? 1, "");
  const id = before.find((command) => command.name === name)?.id ?? world.nextId();
  return {
    ...defaults(world, scope),
    ...json,
    id,
    name,
    options: optionsIn(json),
  };
}

const defaults = (world: World, scope: string): Json => ({
  application_id: world.bot.id,
  version: world.nextId(),
  type: 1,
  default_member_permissions: null,
  nsfw: false,
  dm_permission: true,
  contexts: null,
  integration_types: [0],
  name_localizations: null,
  description_localizations: null,
  ...(scope !== "global" && { guild_id: scope }),
});

/** Discord: lower case letters, digits, `-` and `_`, 1 to 32; only a command of type 1 has a description. */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

function checkCommand(json: Json, type: unknown, path: string): void {
  const name = String(json["name"]);
  if (type === 1 && (!NAME.test(name) || name !== name.toLowerCase()))
    throw invalid([`${path}name`], "Command name is invalid", "APPLICATION_COMMAND_INVALID_NAME");
  if (type === 1 && !json["description"])
    throw invalid([`${path}description`], "This field is required", "BASE_TYPE_REQUIRED");
  const options = optionsIn(json);
  const names = options.map((option) => option["name"]);
  if (new Set(names).size < names.length)
    throw invalid([`${path}options`], "Option names must be unique", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS");
  const firstOptional = options.findIndex((option) => option["required"] !== true);
  if (firstOptional >= 0 && options.slice(firstOptional).some((option) => option["required"] === true))
    throw invalid([`${path}options`], "Required options must be placed before non-required options");
  for (const option of options) checkCommand(option, 1, `${path}options.`);
}

const optionsIn = (json: Json): readonly Json[] =>
  Array.isArray(json["options"]) ? json["options"].map((option: Json) => option) : [];
