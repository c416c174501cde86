/** What Discord's servers remember: accounts, servers, channels, threads, messages, files. State only; rules are elsewhere. */

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly global_name: string | null;
  readonly bot: boolean;
}
/** Discord: the bits of permissions, by the names that tests use. */
export const PERMISSIONS = {
  add_reactions: 1n << 6n,
  view: 1n << 10n,
  send: 1n << 11n,
  embed: 1n << 14n,
  attach: 1n << 15n,
  history: 1n << 16n,
  manage_threads: 1n << 34n,
  create_threads: 1n << 35n,
  create_private_threads: 1n << 36n,
  send_in_threads: 1n << 38n,
} as const;
export type Permission = keyof typeof PERMISSIONS;

/** Discord's numbers: text, DM, voice, announcement, announcement thread, public and private thread, forum. */
export const CHANNEL_TYPES = {
  text: 0,
  dm: 1,
  voice: 2,
  announcement: 5,
  announcement_thread: 10,
  public_thread: 11,
  private_thread: 12,
  forum: 15,
} as const;
export type ChannelKind = keyof typeof CHANNEL_TYPES;

export interface WireGuild {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  /** The role that Discord makes for the bot. */
  readonly botRoleId: string;
  readonly members: Map<string, Account>;
  readonly joinedAt: number;
  /** The bot is in it. */
  present: boolean;
}
export interface WireThread {
  readonly parent: WireChannel;
  readonly ownerId: string;
  readonly createdAt: number;
  readonly members: Set<string>;
  archived: boolean;
  locked: boolean;
  archivedAt: number;
  /** Minutes. */
  readonly autoArchive: number;
}
export interface WireChannel {
  readonly id: string;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly guild?: WireGuild;
  readonly thread?: WireThread;
  /** Of a DM. */
  readonly recipient?: Account;
  /** In order of sending, deleted ones included. */
  readonly messages: WireMessage[];
  /** What the bot may not do here and in the threads below. */
  readonly denied: Set<Permission>;
  /** Typing as it was shown, epoch ms. */
  readonly typing: number[];
  deleted: boolean;
}
/** A component as the bot sent it, with the id that Discord gives it. */
export type WireComponent = Readonly<Record<string, unknown>> & { readonly type: number };
export type WireEmbed = Readonly<Record<string, unknown>>;
export interface WireFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
  readonly description?: string;
}
/** What a message shows; an edit replaces it. */
export interface Content {
  readonly content: string;
  readonly embeds: readonly WireEmbed[];
  readonly components: readonly WireComponent[];
  readonly files: readonly WireFile[];
  readonly flags: number;
}
export interface WireMessage {
  readonly id: string;
  /** 0 plain, 18 thread created, 19 reply, 20 command, 21 thread starter. */
  readonly type: number;
  readonly channel: WireChannel;
  readonly author: Account;
  readonly at: number;
  shown: Content;
  /** Earlier states, oldest first. */
  readonly edits: (Content & { readonly at: number })[];
  editedAt?: number;
  deleted: boolean;
  readonly replyTo?: WireMessage;
  readonly nonce?: string | number;
  /** The thread that began with it. */
  thread?: WireChannel;
  /** Ids of people and roles, or `everyone`: whom Discord would notify. */
  pings: readonly string[];
  /** Only this person sees it. */
  readonly ephemeralFor?: string;
  /** It answers this interaction. */
  readonly interaction?: { readonly id: string; readonly type: number; readonly user: Account };
}
export type WireCommand = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };

export interface World {
  /** `http://127.0.0.1:<port>`, known once the server listens. */
  origin: string;
  /** Epoch ms; a test can advance it. */
  readonly now: () => number;
  readonly nextId: () => string;
  readonly bot: Account;
  readonly accounts: Map<string, Account>;
  readonly guilds: Map<string, WireGuild>;
  readonly channels: Map<string, WireChannel>;
  readonly files: Map<string, WireFile>;
  /** Registered commands; the key is a server's id or `global`. */
  readonly commands: Map<string, readonly WireCommand[]>;
  /** How often all commands of a scope were replaced. */
  commandPuts: number;
  /** Whether the application may have the content of messages in servers. */
  messageContent: boolean;
}

/** Discord: ms since 2015 in the upper 42 bits. */
const EPOCH = 1_420_070_400_000;

/** Ids that carry their time and always rise. */
function createIds(now: () => number): () => string {
  let last = 0n;
  return () => {
    const fresh = BigInt(Math.floor(now()) - EPOCH) << 22n;
    last = fresh > last ? fresh : last + 1n;
    return String(last);
  };
}

export function createWorld(now: () => number, botId?: string): World {
  const nextId = createIds(now);
  const bot = { id: botId ?? nextId(), username: "Threadline", global_name: null, bot: true };
  return {
    origin: "",
    now,
    nextId,
    bot,
    accounts: new Map([[bot.id, bot]]),
    guilds: new Map(),
    channels: new Map(),
    files: new Map(),
    commands: new Map(),
    commandPuts: 0,
    messageContent: true,
  };
}

export function addGuild(
  world: World,
  name: string,
  ids: Partial<Pick<WireGuild, "id" | "botRoleId">> = {},
): WireGuild {
  const owner: Account = { id: world.nextId(), username: "owner", global_name: "Owner", bot: false };
  const guild: WireGuild = {
    id: world.nextId(),
    name,
    ownerId: owner.id,
    botRoleId: world.nextId(),
    members: new Map([owner, world.bot].map((member) => [member.id, member])),
    joinedAt: world.now(),
    present: true,
    ...ids,
  };
  world.accounts.set(owner.id, owner);
  world.guilds.set(guild.id, guild);
  return guild;
}

type NewChannel = Pick<WireChannel, "kind" | "name"> & Partial<WireChannel>;

export function addChannel(world: World, fields: NewChannel): WireChannel {
  const id = fields.id ?? world.nextId();
  const channel: WireChannel = { messages: [], denied: new Set(), typing: [], deleted: false, ...fields, id };
  world.channels.set(id, channel);
  return channel;
}

export const EMPTY: Content = { content: "", embeds: [], components: [], files: [], flags: 0 };

type NewMessage = Pick<WireMessage, "channel" | "author" | "shown"> & Partial<WireMessage>;

/** A new message; one that only one person sees stands in no channel. */
export function addMessage(world: World, fields: NewMessage): WireMessage {
  const id = fields.id ?? world.nextId();
  const base = { type: fields.replyTo ? 19 : 0, at: world.now(), edits: [], deleted: false, pings: [] };
  const message: WireMessage = { ...base, ...fields, id };
  if (message.ephemeralFor === undefined) message.channel.messages.push(message);
  return message;
}

/** Whether the bot may do this here: threads follow their parent, a DM allows everything. */
export const allows = ({ thread, denied }: WireChannel, permission: Permission): boolean =>
  !(thread?.parent.denied ?? denied).has(permission);

/** The bot sees it: its server has the bot, and a private thread has it as a member. */
export function sees(world: World, channel: WireChannel): boolean {
  if (channel.guild && !channel.guild.present) return false;
  if (channel.kind === "private_thread" && !channel.thread?.members.has(world.bot.id)) return false;
  return allows(channel, "view");
}

export const threadsOf = (world: World, parent: WireChannel): WireChannel[] =>
  [...world.channels.values()].filter(({ thread, deleted }) => thread?.parent === parent && !deleted);
