/** Where something was said: the place, and the thread it belongs to. Pure. */
import type { Author, Place, ThreadKey } from "../../gateway/contract.ts";
import { MAY_OPEN_THREADS, THREADS } from "./payload.ts";
import type { Member, User } from "./payload.ts";
import { formatPlace, formatThread } from "./thread-key.ts";

/** `auto`: a mention opens a Discord thread. `reply`: the answers are replies in the channel. */
export type ThreadMode = "auto" | "reply";

export interface Spot {
  readonly channel: string;
  /** Discord's number of the channel's type. */
  readonly type: number;
  /** Of a thread. */
  readonly parent?: string | undefined;
  /** Absent: a direct message. */
  readonly guild?: string | undefined;
  readonly guildName?: string | undefined;
}

/** Said in a server's channel and in no thread. */
export const isTopLevel = ({ guild, type }: Spot): boolean => guild !== undefined && !THREADS.includes(type);

export function placeOf({ channel, parent, guild, guildName }: Spot): Place {
  if (guild === undefined) return { key: formatPlace(channel), type: "direct", single: true, id: channel };
  return { key: formatPlace(parent ?? channel), type: "shared", id: guild, ...(guildName && { name: guildName }) };
}

/** `root`: the message that opens a thread where there is none yet. */
export function threadOf({ channel, type, parent, guild }: Spot, root: string, mode: ThreadMode): ThreadKey {
  if (guild === undefined) return formatThread({ type: "direct", channel });
  if (THREADS.includes(type))
    return formatThread({ type: "thread", guild, parent: parent ?? channel, thread: channel });
  return opensThread(type, mode)
    ? formatThread({ type: "thread", guild, parent: channel, thread: root })
    : formatThread({ type: "replies", guild, channel, root });
}

/** Discord: a thread that a message opens has that message's id. */
export const opensThread = (type: number, mode: ThreadMode): boolean =>
  mode === "auto" && MAY_OPEN_THREADS.includes(type);

export function authorOf(user: User, member?: Member | null, webhook?: string | null): Author {
  return {
    id: user.id,
    name: member?.nick ?? user.global_name ?? user.username,
    isBot: user.bot === true || Boolean(webhook),
  };
}

/** Discord: an id carries its time, ms since 2015, in the upper 42 bits. Undefined for what is no such id. */
export function timeOf(id: string): number | undefined {
  return /^\d{15,20}$/.test(id) ? Number(BigInt(id) >> 22n) + DISCORD_EPOCH : undefined;
}
/** The smallest id of that moment. */
export const idAt = (epochMs: number): string => String(BigInt(Math.max(0, epochMs - DISCORD_EPOCH)) << 22n);
const DISCORD_EPOCH = 1_420_070_400_000;
