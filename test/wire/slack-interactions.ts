/** People press, choose, submit and type commands; each resolves with what they then see. */
import { setTimeout as sleep } from "node:timers/promises";
import { channelFields, teamFields } from "./slack-events.ts";
import { findAction } from "./slack-find-action.ts";
import type { Picked } from "./slack-find-action.ts";
import { channelName, messageJson, viewJson } from "./slack-json.ts";
import type { Ack, EnvelopeType } from "./slack-envelopes.ts";
import type { SocketMode } from "./slack-socket.ts";
import { fillIn } from "./slack-modal.ts";
import type { Filled } from "./slack-modal.ts";
import { applyAnswer } from "./slack-view-answer.ts";
import { visibleText } from "./slack-visible-text.ts";
import { addResponseUrl, addTrigger } from "./slack-triggers.ts";
import type { Account, Ephemeral, WireChannel, WireMessage, WireView, World } from "./slack-world.ts";

export interface Outcome {
  readonly acked: boolean;
  /** From the sending of the envelope, ms. */
  readonly ackedAfterMs?: number;
  /** The modal that opened. */
  readonly view?: WireView;
  /** What this person alone was told meanwhile. */
  readonly ephemerals: readonly string[];
}
export interface Submitted {
  readonly acked: boolean;
  /** Below the fields, by block id. */
  readonly errors: Readonly<Record<string, string>>;
  /** The modal is still there. */
  readonly open: boolean;
  readonly ephemerals: readonly string[];
}
export interface Interactions {
  /** By label (the whole, or its beginning) of a button or an option, by index over both, or forged. */
  press(message: WireMessage | Ephemeral, button: string | number | Picked): Promise<Outcome>;
  /** `values` by label, block id or action id. Throws where Slack's own client would not let it pass. */
  submit(view: WireView, values: Filled): Promise<Submitted>;
  close(view: WireView): Promise<void>;
  /** `/name` with its text, typed in that channel. */
  command(name: string, text: string, channel: WireChannel): Promise<Outcome>;
}

/** So long after the acknowledgement a person waits for something to appear. */
const PATIENCE_MS = 1000;

export function createInteractions(
  { world, socket }: { readonly world: World; readonly socket: SocketMode },
  account: Account,
): Interactions {
  const handle = account.name.toLowerCase().replaceAll(/\s+/g, ".");
  const user = { id: account.id, username: handle, name: handle, team_id: account.team };

  async function press(message: WireMessage | Ephemeral, button: string | number | Picked): Promise<Outcome> {
    const { channel, ts, thread_ts } = message;
    const ephemeral = !("edits" in message);
    const picked = findAction(message.blocks, button);
    const container = { type: "message", message_ts: ts, channel_id: channel.id, is_ephemeral: ephemeral };
    const to = { channel, user: account.id };
    const payload = {
      type: "block_actions",
      user,
      ...teamFields(world),
      container: { ...container, ...(thread_ts !== undefined && { thread_ts }) },
      trigger_id: addTrigger(world, account.id),
      channel: channelFields(channel),
      ...(!ephemeral && { message: messageJson(world, message, true) }),
      state: { values: {} },
      response_url: addResponseUrl(world, ephemeral ? to : { ...to, message }),
      actions: [{ ...picked, action_ts: world.nextTs() }],
    };
    return outcome("interactive", payload);
  }

  async function command(name: string, text: string, channel: WireChannel): Promise<Outcome> {
    const payload = {
      token: "example-verification-token",
      team_id: world.team.id,
      team_domain: world.team.domain,
      channel_id: channel.id,
      channel_name: channelName(channel),
      user_id: account.id,
      user_name: handle,
      command: name,
      text,
      api_app_id: world.appId,
      is_enterprise_install: "false",
      response_url: addResponseUrl(world, { channel, user: account.id }),
      trigger_id: addTrigger(world, account.id),
    };
    return outcome("slash_commands", payload);
  }

  async function outcome(type: EnvelopeType, payload: Readonly<Record<string, unknown>>): Promise<Outcome> {
    const views = new Set(world.views.keys());
    const told = new Set(ephemerals());
    const opened = () => [...world.views.values()].find((view) => view.user === account.id && !views.has(view.id));
    const fresh = () => ephemerals().filter((one) => !told.has(one));
    const ack = await socket.push(type, payload).acked;
    const answered = type === "slash_commands" ? answerText(ack) : [];
    const end = Date.now() + PATIENCE_MS;
    while (ack && answered.length + fresh().length === 0 && !opened() && Date.now() < end) await sleep(10);
    const view = opened();
    const seen = [...answered, ...fresh().map(visibleText)];
    return {
      acked: ack !== undefined,
      ...(ack && { ackedAfterMs: ack.afterMs }),
      ...(view && { view }),
      ephemerals: seen,
    };
  }

  /** A command may be answered in the acknowledgement itself. */
  const answerText = (ack: Ack | undefined): string[] => {
    const { text, response_type } = ack?.payload ?? {};
    return typeof text === "string" && response_type !== "in_channel" ? [text] : [];
  };
  const ephemerals = (): Ephemeral[] =>
    [...world.channels.values()].flatMap((channel) => channel.ephemerals.filter((one) => one.user === account.id));

  async function submit(view: WireView, values: Filled): Promise<Submitted> {
    if (!view.open) throw new Error("Expected an open modal; this one was closed.");
    const filled = fillIn(view, values);
    const told = new Set(ephemerals());
    const pushed = socket.push("interactive", {
      type: "view_submission",
      ...teamFields(world),
      user,
      trigger_id: addTrigger(world, account.id),
      view: viewJson(world, view, filled),
      response_urls: [],
    });
    const ack = await pushed.acked;
    const errors = ack ? applyAnswer(view, ack.payload) : {};
    const fresh = ephemerals().filter((one) => !told.has(one));
    return { acked: ack !== undefined, errors, open: view.open, ephemerals: fresh.map(visibleText) };
  }

  async function close(view: WireView): Promise<void> {
    view.open = false;
    if (!view.fields.notify_on_close) return;
    const payload = { type: "view_closed", ...teamFields(world), user, view: viewJson(world, view), is_cleared: false };
    await socket.push("interactive", payload).acked;
  }

  return { press, submit, close, command };
}
