/**
 * What people type, as Slack encodes it: https://docs.slack.dev/messaging/formatting-message-text. Whatever stands in
 * angle brackets is Slack's, since `<`, `>` and `&` of people arrive escaped.
 */
import type { Bot } from "./bot.ts";

const REFERENCE = /<([^<>]*)>/g;

/** Ids of the people whom a text mentions, without the bot's. */
export const mentionedIn = (text: string, bot: Bot): string[] =>
  [...text.matchAll(/<@(\w+)(?:\|[^<>]*)?>/g)].flatMap(([, id]) => (id && id !== bot.user ? [id] : []));

const isOwn = (inside: string, bot: Bot): boolean => inside === `@${bot.user}` || inside.startsWith(`@${bot.user}|`);

export interface Addressed {
  readonly mentionsBot: boolean;
  /** It begins by mentioning a person or a group, but not the bot. */
  readonly addressesOther: boolean;
}

export function addressed(text: string, bot: Bot): Addressed {
  const inside = [...text.matchAll(REFERENCE)].map(([, one = ""]) => one);
  const first = /^\s*<([^<>]*)>/.exec(text)?.[1] ?? "";
  return {
    mentionsBot: inside.some((one) => isOwn(one, bot)),
    addressesOther: /^(@|!subteam\^)/.test(first) && !isOwn(first, bot),
  };
}

/** As a person reads it, without mentions of the bot. `nameOf`: the name to an id, if known. */
export function readableText(text: string, bot: Bot, nameOf: (id: string) => string | undefined): string {
  const readable = withoutOwn(text, bot).replaceAll(REFERENCE, (_, inside: string) => reference(inside, nameOf));
  return readable.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** Takes mentions out with one neighbouring space: what follows at the beginning, what stands before elsewhere. */
function withoutOwn(text: string, bot: Bot): string {
  const own = [...text.matchAll(REFERENCE)].filter(([, inside = ""]) => isOwn(inside, bot));
  return own
    .toSorted((a, b) => b.index - a.index)
    .reduce((rest, { index, 0: mention }) => {
      const before = rest.slice(0, index);
      const after = rest.slice(index + mention.length);
      return before.trim() === "" ? after.replace(/^[\s,:]+/, "") : before.replace(/\s$/, "") + after;
    }, text);
}

function reference(inside: string, nameOf: (id: string) => string | undefined): string {
  const [target, label] = split(inside);
  const rest = target.slice(1);
  if (target.startsWith("@")) return `@${nameOf(rest) ?? (label || rest)}`;
  if (target.startsWith("#")) return `#${label || rest}`;
  return target.startsWith("!") ? special(rest, label) : link(target, label);
}

/** A label may hold `|` itself. */
function split(inside: string): [string, string | undefined] {
  const at = inside.indexOf("|");
  return at < 0 ? [inside, undefined] : [inside.slice(0, at), inside.slice(at + 1)];
}

/** `!here`, `!subteam^S1|@team`, `!date^…|fallback`. */
function special(name: string, label: string | undefined): string {
  if (label) return label;
  return `@${name.startsWith("subteam^") ? name.slice("subteam^".length) : name}`;
}

function link(url: string, label: string | undefined): string {
  const shown = url.replace(/^(mailto|tel):/, "");
  if (!label || label === url || label === shown || url.replace(/^https?:\/\//, "") === label) return shown;
  return `${label} (${shown})`;
}
