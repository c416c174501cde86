/** INTERACTION_CREATE as recorded: a press, a command, a submitted form. */
import { flatten, optionsOf, textAt } from "./discord-components.ts";
import type { Interaction, Modal } from "./discord-interactions.ts";
import { memberJson, userJson } from "./discord-account-json.ts";
import { messageJson } from "./discord-message-json.ts";
import { botPermissions, channelJson, owners } from "./discord-place-json.ts";
import type { Json } from "./discord-account-json.ts";
import { UPLOAD_BYTES } from "./discord-content.ts";
import type { WireCommand, WireComponent, World } from "./discord-world.ts";

/** All permissions, as a person in their own server has them. */
const ALL = "9007199254740991";

export function interactionJson(world: World, interaction: Interaction, data: Json): Json {
  const { channel, user, pressed } = interaction;
  const { guild } = channel;
  const inGuild = guild && {
    guild: { features: [], id: guild.id, locale: "en-US" },
    guild_id: guild.id,
    guild_locale: "en-US",
    member: { ...memberJson(guild, user), permissions: ALL, user: userJson(user) },
  };
  return {
    app_permissions: botPermissions(channel),
    application_id: world.bot.id,
    attachment_size_limit: UPLOAD_BYTES,
    authorizing_integration_owners: owners(channel),
    channel: { ...channelJson(world, channel), ...(guild && { permissions: ALL }) },
    channel_id: channel.id,
    context: guild ? 0 : 1,
    data,
    entitlement_sku_ids: [],
    entitlements: [],
    id: interaction.id,
    locale: "en-US",
    ...(inGuild ?? { user: userJson(user) }),
    ...(pressed && { message: messageJson(world, pressed) }),
    token: interaction.token,
    type: interaction.type,
    version: 1,
  };
}

export const pressData = (component: WireComponent, values: readonly string[]): Json => ({
  component_type: component.type,
  custom_id: component["custom_id"],
  id: component["id"],
  ...(component.type !== 2 && { values }),
});

/** Option types by Discord's numbers. */
const SUBCOMMAND = 1;

/**
 * `usage` or, with a subcommand, `threadline usage`.
 * @throws Error when no such command or option is registered, or a required option is missing
 */
export function commandData(
  commands: readonly WireCommand[],
  name: string,
  options: Readonly<Record<string, unknown>>,
): Json {
  const [main = "", sub] = name.split(" ");
  const command = commands.find((one) => one.name === main);
  const under = sub === undefined ? command : optionsUnder(command).find((one) => one["name"] === sub);
  if (!command || !under) {
    const names = commands.map((one) => one.name).join(", ") || "none";
    throw new Error(`Expected a registered command, got "${name}"; registered: ${names}.`);
  }
  const known = optionsUnder(under);
  const missing = known.find((one) => one["required"] === true && !(String(one["name"]) in options));
  if (missing) throw new Error(`/${name} needs the option "${String(missing["name"])}".`);
  const filled = Object.entries(options).map(([key, value]) => {
    const option = known.find((one) => one["name"] === key);
    if (!option) throw new Error(`/${name} has no option "${key}".`);
    return { name: key, type: option["type"], value };
  });
  const inner = sub === undefined ? filled : [{ name: sub, type: SUBCOMMAND, options: filled }];
  return { id: command.id, name: main, type: 1, ...(inner.length > 0 && { options: inner }) };
}
const optionsUnder = (json: Json | undefined): readonly Json[] =>
  Array.isArray(json?.["options"]) ? json["options"].map((option: Json) => option) : [];

/** A field of a form: its value by label or by custom id. Choices by label. */
export type FieldValue = string | boolean | readonly string[];

/** @throws Error for what the client would not let a person send: required and empty, too short, no such choice */
export function formData(modal: Modal, values: Readonly<Record<string, FieldValue>>): Json {
  const known = new Set<string>();
  const components = modal.components.flatMap((one) => {
    if (one.type === 10) return [];
    const [outer, ...inner] = flatten([one]);
    const filled = inner.map((field) => fieldData(field, String(outer?.["label"] ?? field["label"]), values, known));
    return [one.type === 1 ? { type: 1, components: filled } : { type: one.type, component: filled[0] }];
  });
  const strange = Object.keys(values).find((key) => !known.has(key));
  if (strange !== undefined) throw new Error(`The form "${modal.title}" has no field "${strange}".`);
  return { custom_id: modal.custom_id, components };
}

/** Discord's numbers: 3 menu, 4 text, 21 radio buttons, 22 checkboxes, 23 one checkbox. */
function fieldData(
  field: WireComponent,
  label: string,
  values: Readonly<Record<string, FieldValue>>,
  known: Set<string>,
): Json {
  const id = String(field["custom_id"]);
  known.add(id).add(label);
  const given = values[id] ?? values[label];
  const common = { type: field.type, custom_id: id, id: field["id"] };
  const required = field["required"] !== false;
  if (field.type === 23) return { ...common, value: given === true };
  if (field.type === 4) {
    const text = given === undefined ? textAt(field, "value") : String(given);
    return { ...common, value: typed(field, label, text, required) };
  }
  const wanted = given === undefined ? [] : typeof given === "object" ? given : [String(given)];
  const chosen = wanted.map((one) => {
    const option = optionsOf(field).find(({ label: name, value }) => name === one || value === one);
    if (!option) throw new Error(`"${label}" has no choice "${one}".`);
    return option.value;
  });
  if (required && chosen.length === 0) throw new Error(`"${label}" is required.`);
  return field.type === 21 ? { ...common, value: chosen[0] ?? null } : { ...common, values: chosen };
}

function typed(field: WireComponent, label: string, value: string, required: boolean): string {
  const least = Math.max(Number(field["min_length"] ?? 0), required ? 1 : 0);
  if (value.length < least && (required || value !== "")) throw new Error(`"${label}" needs ${least} characters.`);
  return value.slice(0, Number(field["max_length"] ?? 4000));
}
