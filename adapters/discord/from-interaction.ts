/** A press, a submitted modal or a slash command as what happened in a thread. Pure. */
import type { Inbound, InboundOf } from "../../gateway/contract.ts";
import { readCommandWords } from "../shared/command-words.ts";
import { cannotPost } from "./bot-rights.ts";
import { valuesOf } from "./modal.ts";
import type { Interaction, InteractionOf } from "./payload.ts";
import { authorOf, isTopLevel, placeOf, threadOf, timeOf } from "./place.ts";
import type { Spot } from "./place.ts";
import { formatPost, formatThread } from "./thread-key.ts";

export interface InteractionContext {
  readonly account: string;
  readonly guildName?: string | undefined;
  /** Epoch ms; dates what has no time of its own. */
  readonly now: number;
}

/** `undefined`: not for us, or of a shape that this bot never asks for. */
export function fromInteraction(interaction: Interaction, context: InteractionContext): Inbound | undefined {
  switch (interaction.type) {
    case 2:
      return fromCommand(interaction, context);
    case 3:
      return fromPress(interaction, context);
    case 5:
      return fromModal(interaction, context);
  }
}

/** Discord's number of a direct message's channel, and of a text channel. */
const [DIRECT, TEXT] = [1, 0] as const;

function baseOf(interaction: Interaction, { account, guildName, now }: InteractionContext) {
  const { id, channel, member, message } = interaction;
  const user = member?.user ?? interaction.user;
  const channelId = interaction.channel_id ?? channel?.id;
  if (!user || !channelId) return undefined;
  const guild = interaction.guild_id ?? undefined;
  const type = channel?.type ?? (guild === undefined ? DIRECT : TEXT);
  const spot: Spot = { channel: channelId, type, parent: channel?.parent_id ?? undefined, guild, guildName };
  return {
    spot,
    base: {
      platform: "discord",
      account,
      eventId: `interaction:${id}`,
      place: placeOf(spot),
      thread: threadKeyOf(spot, id, message?.id),
      author: authorOf(user, member),
      sentAt: timeOf(id) ?? now,
    },
  };
}

/**
 * A press in a channel belongs to the replies below its message; the token says which thread that is. A command in a
 * channel is in no thread yet.
 */
function threadKeyOf(spot: Spot, interaction: string, message: string | undefined) {
  const { channel, guild } = spot;
  return guild !== undefined && isTopLevel(spot) && message === undefined
    ? formatThread({ type: "provisional", guild, channel, interaction })
    : threadOf(spot, message ?? interaction, "reply");
}

/** A button's own id is our token; of a menu it is the chosen option's value. */
function fromPress(interaction: InteractionOf<3>, context: InteractionContext): Inbound | undefined {
  const found = baseOf(interaction, context);
  const { custom_id, values } = interaction.data;
  const token = values === undefined ? custom_id : values[0];
  if (!found || !token) return undefined;
  const post = interaction.message && formatPost(found.spot.channel, interaction.message.id);
  return { ...found.base, type: "press", token, ...(post && { post }) };
}

function fromModal(interaction: InteractionOf<5>, context: InteractionContext): Inbound | undefined {
  const found = baseOf(interaction, context);
  if (!found) return undefined;
  const { custom_id: token, components } = interaction.data;
  const inputs = components.flatMap((row) => [...(row.component ? [row.component] : []), ...(row.components ?? [])]);
  return { ...found.base, type: "form", token, values: valuesOf(inputs) };
}

/** `/ask text`; `/new`, `/stop` … without more; `/threadline` with a command's name, or with a request. */
function fromCommand(interaction: InteractionOf<2>, context: InteractionContext): Inbound | undefined {
  const found = baseOf(interaction, context);
  if (!found) return undefined;
  const { name, options = [] } = interaction.data;
  const given = options.map(({ value }) => String(value)).join(" ");
  if (name !== "ask" && name !== "threadline") return command(found, name, given);
  // Who says nothing wants to know what can be said, and nobody else has to.
  if (given.trim() === "") return { ...command(found, "help", ""), topLevel: true };
  if (name === "ask") return request(interaction, found, given);
  const words = readCommandWords(given);
  return words.type === "command" ? command(found, words.name, words.args) : request(interaction, found, words.text);
}

type Found = NonNullable<ReturnType<typeof baseOf>>;

const command = ({ base, spot }: Found, name: string, args: string): InboundOf<"command"> => ({
  ...base,
  type: "command",
  name,
  args,
  ...(isTopLevel(spot) && { topLevel: true }),
});

/** Discord shows it to nobody; in a channel the thread opens with the post that shows it. */
function request({ id, app_permissions: rights }: Interaction, { base, spot }: Found, text: string): Inbound {
  const missing = cannotPost(spot, rights ?? undefined);
  return {
    ...base,
    ...(isTopLevel(spot) && { topLevel: true }),
    type: "message",
    post: formatPost(spot.channel, id),
    text,
    mentionsBot: true,
    unseen: true,
    ...(missing !== undefined && { cannotPost: missing }),
    files: [],
  };
}
