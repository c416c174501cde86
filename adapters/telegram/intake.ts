/** From a raw update to a stored event, and the answer that Telegram expects for it. */
import type { Logger } from "pino";
import type { Acknowledgement, Deliver, Inbound } from "../../gateway/contract.ts";
import { acknowledgementSpans } from "../shared/acknowledgement-spans.ts";
import { textOf } from "../shared/spans.ts";
import { shorten } from "../shared/graphemes.ts";
import { createUnderWay } from "../shared/under-way.ts";
import type { Api } from "./api.ts";
import { toInbound } from "./inbound.ts";
import type { Bot } from "./incoming-text.ts";
import { send } from "./outgoing.ts";
import { toParts } from "./part.ts";
import { updateSchema } from "./update.ts";
import type { Numbered, Update } from "./update.ts";

/** Telegram: text of an answer to a press, 0 to 200 characters. */
const MAX_ANSWER = 200;

interface IntakeDeps {
  readonly api: Api;
  readonly log: Logger;
  readonly deliver: Deliver;
  readonly bot: () => Bot;
  readonly now: () => number;
}
export interface Intake {
  /** Rejects only when the event could not be stored. A malformed update is logged without its content and dropped. */
  readonly handle: (numbered: Numbered) => Promise<void>;
  /** Resolves when the answers under way have been given. */
  settled(): Promise<void>;
}

export function createIntake({ api, log, deliver, bot, now }: IntakeDeps): Intake {
  const answering = createUnderWay();

  /** Telegram waits for nothing here, so the next update need not either. A late or bogus press is no news. */
  function inBackground(call: Promise<unknown>): void {
    answering.track(call).catch((error: unknown) => log.debug({ err: error }, "an answer to an update was not taken"));
  }

  async function handle({ id, update: raw }: Numbered): Promise<void> {
    const update = readUpdate(raw, id, log);
    if (!update) return;
    const event = toInbound(update, bot(), now());
    const delivered = event && (await deliver(event));
    const press = update.callback_query?.id;
    if (press !== undefined) inBackground(answerPress(api, press, delivered?.reply));
    else if (event && delivered?.reply) inBackground(answerInThread(api, event, delivered.reply));
  }

  return { handle, settled: () => answering.settled() };
}

function readUpdate(raw: unknown, updateId: number, log: Logger): Update | undefined {
  const read = updateSchema.safeParse(raw);
  if (read.success) return read.data;
  const at = read.error.issues.map((issue) => issue.path.join("."));
  log.warn({ updateId, at }, "an update of a shape that Telegram does not document was dropped");
  return undefined;
}

/** Without an answer the button keeps its clock turning. */
function answerPress(api: Api, press: string, reply: Acknowledgement | undefined): Promise<unknown> {
  const text = reply && shorten(textOf(acknowledgementSpans(reply)), MAX_ANSWER);
  return api.call("answerCallbackQuery", { callback_query_id: press, ...(text && { text }) });
}

async function answerInThread(api: Api, event: Inbound, reply: Acknowledgement): Promise<void> {
  for (const part of toParts([acknowledgementSpans(reply)])) await send(api, event.thread, part);
}
