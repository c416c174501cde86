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
type Words = Pick<Message, "content" | "mentions" | "message_snapshots">;

/** `<@id>` and `<@!id>` a person, `<@&id>` a role. `@everyone` and `@here` are plain text, and nobody's mention. */
const MENTION = /<@([!&]?)(\d+)>/g;
/** An escaped character, else code, in which nobody is mentioned. */
const CODE = /\\[\s\S]|```[\s\S]*?```|``[\s\S]+?``|`[^`]+`/g;

/** Of people Discord lists whom it counts as mentioned, but a reply lists its addressee too: the text must name the bot. */
export function addressed(message: Words, names: Names): Addressed {
  const { content, mentions } = message;
  const prose = content.replaceAll(CODE, (part) => (part.startsWith("\\") ? part : " ".repeat(part.length)));
  const found = [...prose.matchAll(MENTION)];
  const isListed = mentions.some(({ id }) => id === names.account);
  const own = found.filter(([, kind, id = ""]) =>
    kind === "&" ? names.guild?.roles.get(id)?.own : isListed && id === names.account,
  );
  const first = found.find(({ index }) => content.slice(0, index).trim() === "");
  return {
    text: wordsOf({ ...message, content: without(content, own) }, names),
    mentionsBot: own.length > 0,
    addressesOther: first !== undefined && !own.includes(first),
  };
}

/** All that a message says, as people read it: what it forwards stands below, as a quote. */
export function wordsOf({ content, mentions, message_snapshots: forwarded }: Words, names: Omit<Names, "account">) {
  const quotes = forwarded.map(({ message }) => readable(message.content, message.mentions, names));
  const quoted = quotes
    .filter((text) => text.trim() !== "")
    .map((text) => `Forwarded message:\n${text.replaceAll(/^/gm, "> ")}`);
  return [readable(content, mentions, names), ...quoted].filter((text) => text !== "").join("\n\n");
}

/** Names in place of ids; what has no name stays as it is written. */
function readable(text: string, mentions: Message["mentions"], { guild, channel }: Omit<Names, "account">): string {
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
