/** From a payload to an event for the gateway: all of it but who the people in it are. Pure. */
import type { Author, Inbound } from "../../gateway/contract.ts";
import type { Bot } from "./bot.ts";
import { attachedText } from "./incoming-attachments.ts";
import { incomingFiles } from "./incoming-files.ts";
import { addressed, mentionedIn, readableText } from "./incoming-text.ts";
import { readForm, readOrigin } from "./modal.ts";
import type { Change, Installation, Membership, Message, Payload, Press, Submission, Written } from "./payload.ts";
import type { Person } from "./people.ts";
import { fromCommand } from "./slash-command.ts";
import { isSaid } from "./subtypes.ts";
import { formatPost, formatProvisional, formatThread, parseThread } from "./thread-key.ts";
import { place, where } from "./where.ts";

/** An event whose author is an id, and whose text is still in Slack's encoding. */
export interface Draft {
  readonly event: Inbound;
  /** Whom the directory must tell about before the event can be delivered; absent for bots and for Slack itself. */
  readonly person?: string;
  /** People whom the text mentions. */
  readonly mentioned: readonly string[];
}

/** A draft with its people. Mentions of whom nothing is known keep their id. */
export function completed({ event, person }: Draft, people: ReadonlyMap<string, Person>, bot: Bot): Inbound {
  const known = person === undefined ? undefined : people.get(person);
  const whole = known ? { ...event, author: { ...event.author, ...known } } : event;
  if (whole.type !== "message" && whole.type !== "edited") return whole;
  return { ...whole, text: readableText(whole.text, bot, (id) => people.get(id)?.name) };
}

/**
 * `undefined`: not for us. The bot's own words, Slack's own, service messages, other installations, unfurled links.
 * `receivedAt` (epoch ms) dates what has no time of its own.
 */
export function toDraft(payload: Payload, bot: Bot, receivedAt: number): Draft | undefined {
  switch (payload.type) {
    case "message":
      return isForUs(payload.body, bot) ? fromMessage(payload.body.event, bot) : undefined;
    case "change":
      return isForUs(payload.body, bot) ? fromChange(payload.body.event, bot) : undefined;
    case "membership":
      return isForUs(payload.body, bot) ? fromMembership(payload.body.event, bot) : undefined;
    case "press":
      return isOurTeam(payload.body, bot) ? fromPress(payload.body, bot, receivedAt) : undefined;
    case "form":
      return isOurTeam(payload.body, bot) ? fromForm(payload.body, bot, receivedAt) : undefined;
    case "command":
      return payload.body.team_id === bot.team ? drafted(fromCommand(payload.body, bot, receivedAt), bot) : undefined;
    case "other":
      return undefined;
  }
}

const isForUs = ({ team_id, authorizations = [] }: Installation, bot: Bot): boolean =>
  team_id === bot.team || authorizations.some((one) => one.team_id === bot.team && one.user_id === bot.user);

const isOurTeam = ({ team }: Press | Submission, bot: Bot): boolean => !team || team.id === bot.team;

const drafted = (event: Inbound, bot: Bot): Draft => ({
  event,
  ...(!event.author.isBot && { person: event.author.id }),
  mentioned: event.type === "message" || event.type === "edited" ? mentionedIn(event.text, bot) : [],
});

function fromMessage(message: Message, bot: Bot): Draft | undefined {
  const { channel, ts } = message;
  if (!isSaid(message)) return undefined;
  const author = authorOf(message, bot);
  const text = textOf(message);
  const files = incomingFiles(message);
  if (!author || (text === "" && files.length === 0)) return undefined;
  return drafted(
    {
      ...base(message, channel, bot),
      // The same for both twins of a mention: https://docs.slack.dev/reference/events/app_mention
      eventId: `message:${channel}/${ts}`,
      author,
      sentAt: toMs(ts),
      type: "message",
      post: formatPost(bot.team, channel, ts),
      text,
      ...mentionFacts(text, bot),
      ...(message.thread_ts === undefined && { topLevel: true }),
      files,
    },
    bot,
  );
}

function mentionFacts(text: string, bot: Bot) {
  const { mentionsBot, addressesOther } = addressed(text, bot);
  return { mentionsBot, ...(addressesOther && { addressesOther }) };
}

/** An edit that changes no words is a preview of a link, a pin, or a thread that grew. */
function fromChange(change: Change, bot: Bot): Draft | undefined {
  const { channel, message, previous_message: previous } = change;
  if (change.subtype === "message_deleted" || message?.subtype === "tombstone") return fromDeletion(change, bot);
  if (!message?.edited || !isSaid(message)) return undefined;
  const text = textOf(message);
  const author = authorOf(message, bot);
  if (!author || (previous && textOf(previous) === text)) return undefined;
  return drafted(
    {
      ...base({ ...message, channel_type: change.channel_type }, channel, bot),
      eventId: `edited:${channel}/${message.ts}:${message.edited.ts}`,
      author,
      sentAt: toMs(change.ts),
      type: "edited",
      target: formatPost(bot.team, channel, message.ts),
      text,
      files: incomingFiles(message),
    },
    bot,
  );
}

/** Slack does not say who deleted it. */
function fromDeletion(change: Change, bot: Bot): Draft | undefined {
  const { channel, previous_message: previous } = change;
  const ts = change.deleted_ts ?? previous?.ts ?? change.message?.ts;
  const author = previous && authorOf(previous, bot);
  if (ts === undefined || !author) return undefined;
  return drafted(
    {
      ...base({ ...previous, ts, channel_type: change.channel_type }, channel, bot),
      eventId: `deleted:${channel}/${ts}`,
      author,
      sentAt: toMs(change.ts),
      type: "deleted",
      target: formatPost(bot.team, channel, ts),
    },
    bot,
  );
}

/** Only the bot's own coming and going. */
function fromMembership(event: Membership, bot: Bot): Draft | undefined {
  if (event.user !== bot.user) return undefined;
  const at = event.event_ts ?? "0";
  const change = event.type === "member_joined_channel" ? "added" : "removed";
  const inviter = event.inviter;
  return drafted(
    {
      ...where(bot, place(bot, event.channel), formatProvisional(bot.team, event.channel, at)),
      eventId: `place:${event.channel}:${at}:${change}`,
      author: inviter ? { id: inviter, name: inviter, isBot: false } : { id: bot.user, name: bot.name, isBot: true },
      sentAt: toMs(at),
      type: "place",
      change,
    },
    bot,
  );
}

function fromPress(press: Press, bot: Bot, receivedAt: number): Draft | undefined {
  const [action] = press.actions;
  const token = action?.value ?? action?.selected_option?.value;
  const channel = press.channel?.id;
  const ts = press.message?.ts ?? press.container.message_ts;
  if (!token || !channel || ts === undefined) return undefined;
  const root = press.message?.thread_ts ?? press.container.thread_ts ?? ts;
  return drafted(
    {
      ...where(bot, place(bot, channel), formatThread(bot.team, channel, root)),
      eventId: `press:${channel}/${ts}:${action?.action_ts}:${press.user.id}`,
      author: { id: press.user.id, name: press.user.name ?? press.user.id, isBot: false },
      sentAt: receivedAt,
      type: "press",
      token,
      // A message that only one person sees cannot be edited later.
      ...(press.message && { post: formatPost(bot.team, channel, ts) }),
    },
    bot,
  );
}

/** Where the form was opened is kept in the form. */
function fromForm({ user, view }: Submission, bot: Bot, receivedAt: number): Draft | undefined {
  const origin = readOrigin(view);
  if (!origin) return undefined;
  const { channel } = parseThread(origin.thread);
  return drafted(
    {
      ...where(bot, place(bot, channel, origin), origin.thread),
      eventId: `form:${view.id}:${view.hash}`,
      author: { id: user.id, name: user.name ?? user.id, isBot: false },
      sentAt: receivedAt,
      type: "form",
      token: view.callback_id,
      values: readForm(view),
    },
    bot,
  );
}

/** Who writes Slack's own notices, and Slackbot. */
const SLACK_ITSELF = ["USLACK", "USLACKBOT"];

/** Nobody for the bot itself and for Slack; another bot is one by its `bot_id`. */
function authorOf(written: Written, bot: Bot): Author | undefined {
  const { user, bot_id: botId, bot_profile: profile } = written;
  if (user === bot.user || profile?.user_id === bot.user || SLACK_ITSELF.includes(user ?? "")) return undefined;
  if (botId && botId === bot.botId) return undefined;
  if (botId) return { id: user ?? botId, name: profile?.name ?? written.username ?? botId, isBot: true };
  return user ? { id: user, name: user, isBot: false } : undefined;
}

const textOf = ({ text, attachments = [] }: Written): string =>
  [text ?? "", ...attachedText(attachments)].filter((one) => one !== "").join("\n\n");

type Standing = Pick<Message, "ts" | "thread_ts"> & { readonly channel_type?: string | undefined };

const base = ({ ts, thread_ts: root, channel_type: type }: Standing, channel: string, bot: Bot) =>
  where(
    bot,
    place(bot, channel, { direct: type === undefined ? undefined : type === "im" }),
    formatThread(bot.team, channel, root ?? ts),
  );

const toMs = (ts: string): number => Math.floor(Number(ts) * 1000);
