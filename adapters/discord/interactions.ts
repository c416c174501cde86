/**
 * An interaction: stored, then answered once, within Discord's three seconds. Afterwards its token is never used again:
 * everything else is an ordinary message of the bot.
 */
import { Routes } from "discord.js";
import type { Logger } from "pino";
import type { Acknowledgement, Clock, Deliver, Delivered, Inbound } from "../../gateway/contract.ts";
import { markdownSpans } from "../shared/markdown-spans.ts";
import { formSpans } from "../shared/question-spans.ts";
import type { Span } from "../shared/spans.ts";
import { split } from "../shared/split.ts";
import { discordMarkdown, withoutLongLinks } from "./discord-markdown.ts";
import { fromInteraction } from "./from-interaction.ts";
import { pause } from "./intake.ts";
import { fitsModal, modalOf } from "./modal.ts";
import { MESSAGE } from "./part.ts";
import { interactionSchema } from "./payload.ts";
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
  const read = interactionSchema.safeParse(data);
  if (!read.success) return log.debug("an interaction of a kind that this bot does not use was ignored");
  const interaction = read.data;
  const name = interaction.guild_id ? guildName(interaction.guild_id) : undefined;
  const event = fromInteraction(interaction, { account: account(), guildName: name, now: clock.now() });
  try {
    const delivered = event && (await store(event, deps));
    if (delivered) await acknowledge(interaction, delivered.reply, deps.api);
  } catch (error) {
    // Most often one that came again and was answered before.
    log.debug({ err: error }, "an interaction could not be answered");
  }
}

async function store(event: Inbound, { clock, deliver, log }: InteractionDeps): Promise<Delivered | undefined> {
  const until = clock.now() + TRY_FOR_MS;
  for (;;) {
    try {
      return await deliver(event);
    } catch (error) {
      if (clock.now() < until) {
        await pause(clock, TRY_EVERY_MS);
        continue;
      }
      log.warn({ err: error }, "an interaction could not be stored in time");
      return undefined;
    }
  }
}

async function acknowledge(interaction: Interaction, reply: Acknowledgement | undefined, api: Api): Promise<void> {
  const { id, token, application_id: application } = interaction;
  const body = acknowledgementOf(interaction, reply);
  const route = Routes.interactionCallback(id, token);
  await api.call({ method: "POST", route, body, auth: false, timeoutMs: ANSWER_MS }, nothing);
  if (body.type !== MESSAGE_LATER) return;
  // The answer comes in the thread; nothing of the command itself stays.
  const original = Routes.webhookMessage(application, token);
  await api.call({ method: "DELETE", route: original, auth: false, timeoutMs: ANSWER_MS }, nothing);
}

/** Pure: the one answer to this interaction. */
export function acknowledgementOf(interaction: Interaction, reply: Acknowledgement | undefined) {
  if (reply?.type === "form" && interaction.type !== 5 && fitsModal(reply.form))
    return { type: MODAL, data: modalOf(reply.form) };
  if (reply) return { type: MESSAGE_NOW, data: privately(words(reply)) };
  return interaction.message ? { type: NOTHING_TO_SEE } : { type: MESSAGE_LATER, data: { flags: PRIVATE } };
}

function privately(spans: readonly Span[]) {
  const [first = []] = split(withoutLongLinks(spans), MESSAGE);
  return { content: discordMarkdown(first) || "…", flags: PRIVATE, allowed_mentions: { parse: [] } };
}

function words(reply: Acknowledgement): Span[] {
  switch (reply.type) {
    case "notice":
      return markdownSpans(reply.text);
    case "form":
      return formSpans(reply.form);
    case "invalid":
      return markdownSpans(
        [...Object.values(reply.errors).map((error) => `- ${error}`), "", "Please press the button again."].join("\n"),
      );
  }
}
