/** Whom a text addresses, and how people read it: `<@1>` is a name to them. Pure. */
import type { Guild } from "./channels.ts";
import type { Message } from "./payload.ts";

export interface Names {
  /** The bot's own account. */
  readonly account: string;
  readonly guild?: Guild | undefined;
  readonly channel: (id: string) => string | undefined;
}
export interface Addressed {
  readonly text: string;
  readonly mentionsBot: boolean;
  /** It begins by mentioning somebody else. */
  readonly addressesOther: boolean;
}

/** `<@id>` and `<@!id>` a person, `<@&id>` a role. `@everyone` and `@here` are plain text, and nobody's mention. */
const MENTION = /<@([!&]?)(\d+)>/g;

export function addressed({ content, mentions }: Pick<Message, "content" | "mentions">, names: Names): Addressed {
  const found = [...content.matchAll(MENTION)];
  const own = found.filter(([, kind, id = ""]) =>
    kind === "&" ? names.guild?.roles.get(id)?.own : id === names.account,
  );
  const first = found.find(({ index }) => content.slice(0, index).trim() === "");
  return {
    text: readable(without(content, own), mentions, names),
    mentionsBot: own.length > 0,
    addressesOther: first !== undefined && !own.includes(first),
  };
}

/** Names in place of ids; what has no name stays as it is written. */
export function readable(
  text: string,
  mentions: Message["mentions"],
  { guild, channel }: Omit<Names, "account">,
): string {
  const people = new Map(mentions.map((one) => [one.id, one.member?.nick ?? one.global_name ?? one.username]));
  return text
    .replaceAll(MENTION, (written, kind: string, id: string) => {
      const name = kind === "&" ? guild?.roles.get(id)?.name : people.get(id);
      return name === undefined ? written : `@${name.replace(/^@/, "")}`;
    })
    .replaceAll(/<#(\d+)>/g, (written, id: string) => (channel(id) === undefined ? written : `#${channel(id)}`))
    .replaceAll(/<a?(:\w+:)\d+>/g, "$1");
}

/** Takes mentions out with one neighbouring space: what follows at the beginning, what stands before elsewhere. */
function without(text: string, mentions: readonly RegExpExecArray[]): string {
  return mentions
    .toSorted((a, b) => b.index - a.index)
    .reduce((rest, { 0: written, index }) => {
      const before = rest.slice(0, index);
      const after = rest.slice(index + written.length);
      return before.trim() === "" ? after.replace(/^[\s,:]+/, "") : before.replace(/\s$/, "") + after;
    }, text);
}
