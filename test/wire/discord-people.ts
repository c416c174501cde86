/** People on the loopback Discord: they write, edit, delete, press and call commands, and the bot is told as Discord would. */
import { pressables } from "./discord-components.ts";
import { directWith } from "./discord-application-routes.ts";
import { commandData, formData, interactionJson, pressData } from "./discord-interaction-json.ts";
import type { FieldValue } from "./discord-interaction-json.ts";
import type { Acknowledgement, Interaction, Modal } from "./discord-interactions.ts";
import type { Json } from "./discord-account-json.ts";
import { change, remove, revive } from "./discord-message-routes.ts";
import type { Site } from "./discord-site.ts";
import { addThread, threadOnMessage } from "./discord-thread-routes.ts";
import { addMessage, EMPTY } from "./discord-world.ts";
import type { Account, Content, WireChannel, WireFile, WireMessage } from "./discord-world.ts";

interface NewFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mime?: string;
}
interface SayOptions {
  readonly replyTo?: WireMessage;
  /** A reply notifies whom it answers, unless this is false. */
  readonly ping?: boolean;
  readonly files?: readonly NewFile[];
}
export interface DiscordUser {
  readonly account: Account;
  /** Alone with the bot. */
  readonly dm: WireChannel;
  /** `<@id>` and the like as they stand. Also another bot speaks so. */
  say(channel: WireChannel, text: string, options?: SayOptions): WireMessage;
  edit(message: WireMessage, text: string): void;
  delete(message: WireMessage): void;
  /**
   * By label, whole or its beginning; several labels choose several options of a menu. `seen`: what the person's screen
   * still shows, when the message has been edited since.
   */
  press(message: WireMessage, label: string | readonly string[], seen?: Content): Promise<Acknowledgement>;
  /** A registered command in this place: `ask`, or `threadline usage` for a subcommand. */
  command(name: string, options: Readonly<Record<string, unknown>>, channel: WireChannel): Promise<Acknowledgement>;
  /** Values by label or custom id of the fields. */
  submit(modal: Modal, values: Readonly<Record<string, FieldValue>>): Promise<Acknowledgement>;
  /** Opens a post in a forum; returns its thread. */
  openPost(forum: WireChannel, title: string, text: string, files?: readonly NewFile[]): WireChannel;
  openThread(message: WireMessage, name: string): WireChannel;
  /** The bot can no longer write to this person, or can again. */
  setBlocked(blocked: boolean): void;
}

export function createUser(site: Site, account: Account): DiscordUser {
  const { world, events, interactions } = site;
  world.accounts.set(account.id, account);
  const dm = directWith(world, account);

  function write(channel: WireChannel, text: string, options: SayOptions = {}, more: Partial<WireMessage> = {}) {
    const { replyTo, ping = true, files = [] } = options;
    channel.guild?.members.set(account.id, account);
    channel.thread?.members.add(account.id);
    revive(channel, site);
    const message = addMessage(world, {
      channel,
      author: account,
      shown: { ...EMPTY, content: text, files: files.map(keep) },
      nonce: world.nextId(),
      ...(replyTo && { replyTo, pings: ping ? [replyTo.author.id] : [] }),
      ...more,
    });
    events.messageCreated(message);
    return message;
  }

  function keep({ name, bytes, mime = "application/octet-stream" }: NewFile): WireFile {
    const file = { id: world.nextId(), name, mime, bytes };
    world.files.set(file.id, file);
    return file;
  }

  function interact(
    type: Interaction["type"],
    at: { readonly channel: WireChannel; readonly pressed?: WireMessage },
    data: Json,
  ): Promise<Acknowledgement> {
    at.channel.guild?.members.set(account.id, account);
    const place = { channel: at.channel, ...(at.pressed && { pressed: at.pressed }) };
    const { interaction, acknowledged } = interactions.open({ id: world.nextId(), type, user: account, ...place });
    events.push("INTERACTION_CREATE", interactionJson(world, interaction, data));
    return acknowledged;
  }

  function press(message: WireMessage, label: string | readonly string[], seen: Content = message.shown) {
    if (message.deleted) throw new Error("Expected a message that is still there, got one that was deleted.");
    if (message.ephemeralFor !== undefined && message.ephemeralFor !== account.id)
      throw new Error(`Expected a message that ${account.username} can see, got one for another person.`);
    const labels = typeof label === "string" ? [label] : label;
    const found = labels.map((one) => pressableIn(seen, one));
    const component = found[0]?.component;
    if (!component || found.some((one) => one.component !== component))
      throw new Error(`Expected labels of one menu, got ${labels.join(", ")}.`);
    const values = found.flatMap(({ value }) => value ?? []);
    return interact(3, { channel: message.channel, pressed: message }, pressData(component, values));
  }

  return {
    account,
    dm,
    press,
    say: (channel, text, options) => write(channel, text, options),
    edit: (message, text) => change(message, { ...message.shown, content: text }, site),
    delete: (message) => remove(message, site),
    command(name, options, channel) {
      const local = (channel.guild && world.commands.get(channel.guild.id)) ?? [];
      const everywhere = (world.commands.get("global") ?? []).filter((command) => isOffered(command, channel));
      return interact(2, { channel }, commandData([...local, ...everywhere], name, options));
    },
    submit: (modal, values) => interact(5, modal, formData(modal, values)),
    openPost(forum, title, text, files = []) {
      const thread = addThread(world, forum, { name: title, kind: "public_thread", owner: account });
      events.channel("CREATE", thread);
      write(thread, text, { files }, { id: thread.id });
      return thread;
    },
    openThread: (message, name) => threadOnMessage(message, name, site, account),
    setBlocked: (blocked) => void (blocked ? dm.denied.add("send") : dm.denied.delete("send")),
  };
}

/** Discord: contexts 0 servers, 1 the bot's DM; without them `dm_permission` decides about the DM. */
function isOffered(command: Json, { guild }: WireChannel): boolean {
  const contexts = command["contexts"];
  if (Array.isArray(contexts)) return contexts.includes(guild ? 0 : 1);
  return guild !== undefined || command["dm_permission"] !== false;
}

function pressableIn({ components }: Content, label: string) {
  const all = pressables(components);
  const found = all.find((one) => one.label === label) ?? all.find((one) => one.label.startsWith(label));
  if (found) return found;
  const labels = all.map((one) => one.label).join(" | ") || "nothing to press";
  throw new Error(`Expected a button or option "${label}", got: ${labels}.`);
}
