/** People on the loopback Slack: they write, edit, react and share files, and the bot is told as Slack would. */
import { randomUUID } from "node:crypto";
import type { Events } from "./slack-events.ts";
import { createInteractions } from "./slack-interactions.ts";
import type { Interactions } from "./slack-interactions.ts";
import { messageJson } from "./slack-json.ts";
import type { Pushed } from "./slack-envelopes.ts";
import type { SocketMode } from "./slack-socket.ts";
import { typed } from "./slack-typing.ts";
import { addChannel, addMessage, changeMessage, keepFile } from "./slack-world.ts";
import type { Account, SharedFile, WireChannel, WireMessage, World } from "./slack-world.ts";

interface SayOptions {
  readonly threadTs?: string;
  readonly files?: readonly SharedFile[];
  /** How a mention arrives; both, the message first, unless set. */
  readonly events?: readonly ("message" | "app_mention")[];
}
export interface SlackUser extends Interactions {
  readonly account: Account;
  /** This person's direct messages with the bot. */
  readonly dm: WireChannel;
  /** `@Name`, `#channel` and web addresses in the text become live. */
  say(channel: WireChannel, text: string, options?: SayOptions): WireMessage;
  /** The same, beginning with the bot's name. */
  mention(channel: WireChannel, text: string, options?: SayOptions): WireMessage;
  edit(message: WireMessage, text: string): void;
  /** A first message that has replies leaves a tombstone, as in Slack. */
  delete(message: WireMessage): void;
  react(message: WireMessage, name: string): void;
  /** Opens the bot's page; `messages` is its direct message. */
  openHome(tab?: "home" | "messages"): void;
  /** Opens the assistant pane, beside that channel; returns the first message of its thread. */
  startAssistant(beside?: WireChannel): WireMessage;
}

interface People {
  readonly world: World;
  readonly events: Events;
  readonly socket: SocketMode;
  /** Called with every event that a person caused. */
  readonly said: (pushed: Pushed | undefined) => void;
}

export function createUser(people: People, account: Account): SlackUser {
  const { world, events, said } = people;
  world.users.set(account.id, account);
  const members = new Set([account.id, world.bot.id]);
  const dm = addChannel(world, {
    id: `D${account.id.slice(1)}`,
    name: account.name,
    type: "im",
    user: account.id,
    members,
  });

  function say(channel: WireChannel, text: string, options: SayOptions = {}): WireMessage {
    const { threadTs, files = [] } = options;
    channel.members.add(account.id);
    const shared = files.map((file) => keepFile(world, account.id, file));
    const message = addMessage(world, {
      channel,
      user: account,
      ...typed(world, text),
      client_msg_id: randomUUID(),
      files: shared,
      ...(threadTs !== undefined && { thread_ts: threadTs }),
      ...(shared.length > 0 && { subtype: "file_share" }),
    });
    const mentioned = channel.type !== "im" && message.text.includes(`<@${world.bot.id}>`);
    const kinds = options.events ?? (mentioned ? ["message", "app_mention"] : ["message"]);
    for (const kind of kinds) said(events.message(message, kind));
    return message;
  }

  function edit(message: WireMessage, text: string): void {
    const before = messageJson(world, message);
    changeMessage(world, message, typed(world, text));
    said(events.changed(message, before));
  }

  function remove(message: WireMessage): void {
    const { channel, ts } = message;
    const before = messageJson(world, message);
    const kept = channel.messages.some((one) => one.thread_ts === ts && !one.deleted);
    if (!kept) {
      message.deleted = true;
      return said(events.deleted(channel, before));
    }
    const { thread_ts, reply_count } = before;
    const text = "This message was deleted.";
    changeMessage(world, message, { text, blocks: [] });
    const tombstone = { type: "message", subtype: "tombstone", user: "USLACKBOT", text, hidden: true, ts };
    const event = {
      subtype: "message_changed",
      message: { ...tombstone, thread_ts, reply_count },
      previous_message: before,
    };
    const now = world.nextTs();
    said(
      events.tell({ type: "message", ...event, channel: channel.id, hidden: true, ts: now, event_ts: now }, channel),
    );
  }

  function react(message: WireMessage, name: string): void {
    const by = message.reactions.get(name) ?? new Set();
    message.reactions.set(name, by.add(account.id));
    const { channel, ts, user } = message;
    const item = { type: "message", channel: channel.id, ts };
    said(
      events.tell(
        {
          type: "reaction_added",
          user: account.id,
          reaction: name,
          item,
          item_user: user.id,
          event_ts: world.nextTs(),
        },
        channel,
      ),
    );
  }

  function openHome(tab: "home" | "messages" = "messages"): void {
    said(events.tell({ type: "app_home_opened", user: account.id, channel: dm.id, tab, event_ts: world.nextTs() }));
  }

  function startAssistant(beside?: WireChannel): WireMessage {
    const first = addMessage(world, {
      channel: dm,
      user: world.bot,
      text: "New Assistant Thread",
      blocks: [],
      subtype: "assistant_app_thread",
    });
    const context = beside ? { channel_id: beside.id, team_id: world.team.id, enterprise_id: null } : {};
    const assistant_thread = { user_id: account.id, context, channel_id: dm.id, thread_ts: first.ts };
    said(events.tell({ type: "assistant_thread_started", assistant_thread, event_ts: first.ts }));
    return first;
  }

  return {
    account,
    dm,
    say,
    mention: (channel, text, options) => say(channel, `@${world.bot.name} ${text}`, options),
    edit,
    delete: remove,
    react,
    openHome,
    startAssistant,
    ...createInteractions(people, account),
  };
}
