/**
 * An interaction: stored, then answered once, within Discord's three seconds. Its token is used once more at most, to
 * take the mark of a deferral away; everything else is an ordinary message of the bot.
 */
import { Routes } from "discord.js";
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import type { Acknowledgement, Clock, Deliver, Delivered, Inbound } from "../../gateway/contract.ts";
import { acknowledgementSpans } from "../shared/acknowledgement-spans.ts";
import { pause } from "../shared/pause.ts";
import type { Span } from "../shared/spans.ts";
import { split } from "../shared/split.ts";
import { discordMarkdown, withoutLongLinks } from "./discord-markdown.ts";
import { refusedWith } from "./errors.ts";
import { fromInteraction } from "./from-interaction.ts";
import { fitsModal, modalOf } from "./modal.ts";
import { MESSAGE } from "./meter.ts";
import { defectsOf, interactionSchema } from "./payload.ts";
import type { Interaction } from "./payload.ts";
import { nothing } from "./rest.ts";
import type { Api } from "./rest.ts";

/** Discord's numbers of answers. */
const [MESSAGE_NOW, MESSAGE_LATER, NOTHING_TO_SEE, MODAL] = [4, 5, 6, 9] as const;
/** Discord's flags: no previews of links, and for the presser alone. */
const PRIVATE = 4 | 64;
/** Discord: 3 s; what is left of them is the way there and back. */
const TRY_FOR_MS = 2_000;
const TRY_EVERY_MS = 200;
const ANSWER_MS = 5_000;
const ACKNOWLEDGED = 40060;

export interface InteractionDeps {
  readonly api: Api;
  readonly log: Logger;
  readonly clock: Clock;
  readonly deliver: Deliver;
  readonly account: () => string;
  readonly guildName: (id: string) => string | undefined;
}

/** Never rejects. What could not be stored in time is not answered: Discord says so to the person, who tries again. */
export async function answerInteraction(data: unknown, deps: InteractionDeps): Promise<void> {
  const { log, account, guildName, clock } = deps;
  const until = clock.now() + TRY_FOR_MS;
  const read = interactionSchema.safeParse(data);
  if (!read.success) return log.warn({ at: defectsOf(read.error) }, "an interaction of an unknown shape was dropped");
  const interaction = read.data;
  const name = interaction.guild_id ? guildName(interaction.guild_id) : undefined;
  const event = fromInteraction(interaction, { account: account(), guildName: name, now: clock.now() });
  try {
    const delivered = event && (await store(event, until, deps));
    if (delivered) await acknowledge(interaction, delivered.reply, until, deps);
  } catch (error) {
    // Most often one that came again and was answered before.
    log.debug({ err: error }, "an interaction could not be answered");
  }
}

async function store(event: Inbound, until: number, { clock, deliver, log }: InteractionDeps) {
  try {
    return await repeatedly<Delivered>(() => deliver(event), until, clock);
  } catch (error) {
    log.warn({ err: error }, "an interaction could not be stored in time");
    return undefined;
  }
}

async function acknowledge(
  interaction: Interaction,
  reply: Acknowledgement | undefined,
  until: number,
  { api, clock }: InteractionDeps,
): Promise<void> {
  const { id, token, application_id: application } = interaction;
  const body = acknowledgementOf(interaction, reply);
  const callback = { method: "POST", route: Routes.interactionCallback(id, token), body } as const;
  let isLost = false;
  const answer = async () => {
    try {
      await api.call({ ...callback, auth: false, timeoutMs: ANSWER_MS }, nothing);
    } catch (error) {
      // The one before arrived, and only its answer did not.
      if (isLost && refusedWith(error, ACKNOWLEDGED)) return;
      isLost ||= error instanceof AdapterError && error.code === "unknown_outcome";
      throw error;
    }
  };
  await repeatedly(answer, until, clock, isPassing);
  if (body.type !== MESSAGE_LATER) return;
  // The answer comes in the thread; nothing of the command itself stays.
  const original = Routes.webhookMessage(application, token);
  await api.call({ method: "DELETE", route: original, auth: false, timeoutMs: ANSWER_MS }, nothing);
}

const isPassing = (error: unknown): boolean =>
  error instanceof AdapterError && (error.code === "unavailable" || error.code === "unknown_outcome");

/** Once at least, then again after each failure that may pass, until then. Rejects with the last failure. */
async function repeatedly<T>(
  work: () => Promise<T>,
  until: number,
  clock: Clock,
  mayPass: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (clock.now() >= until || !mayPass(error)) throw error;
      await pause(clock, TRY_EVERY_MS);
    }
  }
}

/** Pure: the one answer to this interaction. */
export function acknowledgementOf(interaction: Interaction, reply: Acknowledgement | undefined) {
  if (reply?.type === "form" && interaction.type !== 5 && fitsModal(reply.form))
    return { type: MODAL, data: modalOf(reply.form) };
  if (reply) return { type: MESSAGE_NOW, data: privately(acknowledgementSpans(reply)) };
  return interaction.message ? { type: NOTHING_TO_SEE } : { type: MESSAGE_LATER, data: { flags: PRIVATE } };
}

function privately(spans: readonly Span[]) {
  const [first = []] = split([withoutLongLinks(spans)], MESSAGE);
  return { content: discordMarkdown(first) || "…", flags: PRIVATE, allowed_mentions: { parse: [] } };
}
