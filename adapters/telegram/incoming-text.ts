/**
 * Whom a text addresses. Telegram marks mentions and commands by entities, so that nothing here searches the text;
 * their offsets are UTF-16 units, which is what JavaScript counts.
 */
import { isMenuCommand } from "./menu.ts";
import type { IncomingEntity, Message } from "./update.ts";

/** The bot's own account. */
export interface Bot {
  readonly account: string;
  readonly username: string;
}

export type Addressed =
  | { readonly type: "text"; readonly text: string; readonly mentionsBot: boolean; readonly addressesOther: boolean }
  | { readonly type: "start"; readonly payload: string }
  /** `/command@other_bot` */
  | { readonly type: "not_for_us" };

export function addressed(message: Message, bot: Bot): Addressed {
  const text = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  const addressing = entities.filter(({ type }) => ["mention", "text_mention", "bot_command"].includes(type));
  const first = addressing.find(({ offset }) => text.slice(0, offset).trim() === "");
  if (first?.type === "bot_command" && first.offset === 0) return command(message, text, first, bot);
  const own = entities.filter((entity) => isOwn(entity, text, bot));
  const others = first !== undefined && first.type !== "bot_command" && !own.includes(first);
  return { type: "text", text: without(text, own), mentionsBot: own.length > 0, addressesOther: others };
}

/** `/name@ThisBot args` is `/name args`. A command without a name at it means us only if our menu has it. */
function command(message: Message, text: string, entity: IncomingEntity, bot: Bot): Addressed {
  const [name = "", target] = text.slice(1, entity.length).split("@");
  if (target !== undefined && !sameName(target, bot.username)) return { type: "not_for_us" };
  const named = target !== undefined;
  const rest = text.slice(entity.length);
  const direct = message.chat.type === "private";
  if (name.toLowerCase() === "start" && (direct || named)) return { type: "start", payload: rest.trim() };
  const mentionsBot = named || (!direct && isMenuCommand(name));
  return { type: "text", text: `/${name}${rest}`, mentionsBot, addressesOther: false };
}

function isOwn(entity: IncomingEntity, text: string, bot: Bot): boolean {
  const shown = text.slice(entity.offset, entity.offset + entity.length);
  if (entity.type === "mention") return sameName(shown.slice(1), bot.username);
  if (entity.type === "text_mention") return String(entity.user?.id) === bot.account;
  return false;
}

/** Telegram: names differ in case only for the eye. */
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Takes mentions out with one neighbouring space: what follows at the beginning, what stands before elsewhere. */
function without(text: string, mentions: readonly IncomingEntity[]): string {
  return mentions
    .toSorted((a, b) => b.offset - a.offset)
    .reduce((rest, { offset, length }) => {
      const before = rest.slice(0, offset);
      const after = rest.slice(offset + length);
      return before.trim() === "" ? after.replace(/^[\s,:]+/, "") : before.replace(/\s$/, "") + after;
    }, text);
}
