/** What Slack's servers remember: people, channels, messages, files, views. State only; the rules are elsewhere. */
import type { Block } from "./slack-blocks.ts";

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly team: string;
  readonly guest?: "restricted" | "ultra_restricted";
  /** Of another organisation, seen in a shared channel for the first time. */
  readonly stranger?: boolean;
  /** Another app's bot. */
  readonly bot?: { readonly botId: string; readonly appId: string };
}
export interface WireFile {
  readonly id: string;
  readonly name: string;
  readonly mime: string;
  /** As Slack states it; may be more than the bytes that a test bothered to make. */
  readonly sizeBytes: number;
  bytes: Uint8Array;
  readonly user: string;
  title: string;
  /** Where it was shared. */
  readonly shares: { readonly channel: string; readonly ts: string }[];
}
export interface Metadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, unknown>>;
}
/** What of a message can be edited. */
export interface Content {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly metadata?: Metadata;
}
export interface WireMessage extends Content {
  readonly channel: WireChannel;
  readonly ts: string;
  readonly user: Account;
  readonly thread_ts?: string;
  readonly subtype?: string;
  readonly client_msg_id?: string;
  readonly files: readonly WireFile[];
  text: string;
  blocks: readonly Block[];
  metadata?: Metadata;
  /** Earlier states, oldest first; `at` is when each was replaced, epoch ms. */
  readonly edits: (Content & { readonly at: number })[];
  editedTs?: string;
  deleted: boolean;
  /** No edit is accepted any more. */
  editWindowClosed: boolean;
  readonly reactions: Map<string, Set<string>>;
  /** When it came, epoch ms. */
  readonly at: number;
}
export interface Ephemeral {
  readonly channel: WireChannel;
  readonly user: string;
  readonly ts: string;
  readonly thread_ts?: string;
  text: string;
  blocks: readonly Block[];
  readonly at: number;
}
export interface WireChannel {
  readonly id: string;
  readonly name: string;
  readonly type: "channel" | "group" | "im";
  /** The other one of a direct message. */
  readonly user?: string;
  readonly members: Set<string>;
  archived: boolean;
  /** Shared with another organisation. */
  shared: boolean;
  /** In order of sending, deleted ones included. */
  readonly messages: WireMessage[];
  readonly ephemerals: Ephemeral[];
}
export interface WireView {
  readonly id: string;
  readonly user: string;
  fields: ViewFields;
  hash: string;
  open: boolean;
}
export interface ViewFields {
  readonly type: "modal";
  readonly title: { readonly text: string };
  readonly blocks: readonly Block[];
  readonly private_metadata: string;
  readonly callback_id: string;
  readonly notify_on_close: boolean;
  readonly [key: string]: unknown;
}
export interface Status {
  readonly channel: string;
  readonly thread_ts: string;
  readonly status: string;
  readonly at: number;
}
interface Trigger {
  readonly user: string;
  readonly expiresAt: number;
  used: boolean;
}
export interface ResponseUrl {
  readonly channel: WireChannel;
  readonly user: string;
  readonly expiresAt: number;
  /** The message whose button was pressed. */
  readonly message?: WireMessage;
  left: number;
}

export interface World {
  readonly team: { readonly id: string; readonly domain: string; readonly name: string };
  readonly appId: string;
  readonly bot: Account & { readonly bot: { readonly botId: string; readonly appId: string } };
  /** Known once the server listens. */
  origin: string;
  readonly users: Map<string, Account>;
  readonly channels: Map<string, WireChannel>;
  readonly files: Map<string, WireFile>;
  readonly uploads: Map<string, WireFile>;
  readonly views: Map<string, WireView>;
  readonly statuses: Status[];
  readonly titles: Map<string, string>;
  readonly triggers: Map<string, Trigger>;
  readonly responseUrls: Map<string, ResponseUrl>;
  /** The server's own clock, epoch ms. */
  now(): number;
  /** A new ts, later than all before. */
  nextTs(): string;
  /** Counts up; for ids. */
  count(): number;
}

interface WorldOptions {
  readonly botUserId: string;
  readonly teamId: string;
  readonly appId: string;
  readonly name: string;
  readonly now: () => number;
}

export function createWorld({ botUserId, teamId, appId, name, now }: WorldOptions): World {
  let micros = 0;
  let counted = 0;
  const bot = { id: botUserId, name, team: teamId, bot: { botId: `B${botUserId.slice(1)}`, appId } };
  return {
    team: { id: teamId, domain: "example-one", name: "Example One" },
    appId,
    bot,
    origin: "",
    users: new Map([[bot.id, bot]]),
    channels: new Map(),
    files: new Map(),
    uploads: new Map(),
    views: new Map(),
    statuses: [],
    titles: new Map(),
    triggers: new Map(),
    responseUrls: new Map(),
    now,
    nextTs() {
      micros = Math.max(micros + 100, now() * 1000);
      return `${Math.floor(micros / 1_000_000)}.${String(micros % 1_000_000).padStart(6, "0")}`;
    },
    count: () => ++counted,
  };
}

type NewChannel = Pick<WireChannel, "id" | "name" | "type"> & Partial<Pick<WireChannel, "user" | "members" | "shared">>;

export function addChannel(world: World, fields: NewChannel): WireChannel {
  const existing = world.channels.get(fields.id);
  if (existing) return existing;
  const { members = new Set<string>(), shared = false } = fields;
  const channel = { ...fields, members, shared, archived: false, messages: [], ephemerals: [] };
  world.channels.set(channel.id, channel);
  return channel;
}

type NewMessage = Pick<WireMessage, "channel" | "user" | "text" | "blocks"> &
  Partial<Pick<WireMessage, "thread_ts" | "subtype" | "client_msg_id" | "metadata" | "files">>;

export function addMessage(world: World, fields: NewMessage): WireMessage {
  const message: WireMessage = {
    files: [],
    ...fields,
    ts: world.nextTs(),
    edits: [],
    deleted: false,
    editWindowClosed: false,
    reactions: new Map(),
    at: Date.now(),
  };
  fields.channel.messages.push(message);
  for (const { shares } of message.files) shares.push({ channel: fields.channel.id, ts: message.ts });
  return message;
}

/** Takes the place of what the message said; what it said is kept in `edits`. */
export function changeMessage(world: World, message: WireMessage, next: Content): void {
  const { text, blocks, metadata } = message;
  message.edits.push({ text, blocks, ...(metadata && { metadata }), at: Date.now() });
  message.text = next.text;
  message.blocks = next.blocks;
  if (next.metadata) message.metadata = next.metadata;
  message.editedTs = `${Math.floor(world.now() / 1000)}.000000`;
}

export const findMessage = (channel: WireChannel, ts: string): WireMessage | undefined =>
  channel.messages.find((message) => message.ts === ts && !message.deleted);

/** The first message of a thread and what follows it, oldest first. */
export const threadOf = (channel: WireChannel, ts: string): WireMessage[] =>
  channel.messages.filter((one) => !one.deleted && (one.ts === ts || one.thread_ts === ts));

export const isMember = ({ members }: WireChannel, { id }: Account): boolean => members.has(id);

export interface SharedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mime?: string;
  /** Slack's statement of the size; default: the bytes'. */
  readonly sizeBytes?: number;
}

export function keepFile(world: World, user: string, file: SharedFile): WireFile {
  const { name, bytes, mime = "application/octet-stream", sizeBytes = bytes.length } = file;
  const id = `F${String(world.count()).padStart(8, "0")}`;
  const kept = { id, name, mime, sizeBytes, bytes, user, title: name, shares: [] };
  world.files.set(id, kept);
  return kept;
}
