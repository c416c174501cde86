/**
 * From an envelope's body to a stored event, and the answer that Slack expects for it. Slack wants that answer within
 * 3 s; what follows it (a modal, a notice) is called afterwards.
 */
import type { Logger } from "pino";
import { ZodError } from "zod";
import type { Acknowledgement, Deliver, Inbound } from "../../gateway/contract.ts";
import { acknowledgementSpans } from "../shared/acknowledgement-spans.ts";
import { plain } from "../shared/spans.ts";
import type { Bot } from "./bot.ts";
import { ephemeral } from "./ephemeral.ts";
import type { Ephemeral } from "./ephemeral.ts";
import { completed, toDraft } from "./inbound.ts";
import type { Draft } from "./inbound.ts";
import { notYetInvited } from "./invited.ts";
import { formView, inputErrors } from "./modal.ts";
import { createOrder } from "../shared/order.ts";
import { patiently } from "./patience.ts";
import { readPayload } from "./payload.ts";
import type { Payload } from "./payload.ts";
import type { People, Person } from "./people.ts";
import { tell } from "./tell.ts";
import type { TellDeps } from "./tell.ts";

interface IntakeDeps extends TellDeps {
  readonly log: Logger;
  readonly people: People;
  readonly deliver: Deliver;
  readonly bot: () => Bot | undefined;
}
/** The acknowledgement's payload, and what is done once it has been given. */
export interface Answer {
  readonly payload?: object;
  readonly afterwards?: () => Promise<unknown>;
  /** What is done where the acknowledgement could not be given, and its payload was lost with it. */
  readonly instead?: () => Promise<unknown>;
}
export interface Intake {
  /** Rejects when the event could not be stored: then it must not be acknowledged. A malformed one is dropped. */
  readonly handle: (body: unknown) => Promise<Answer>;
}

export function createIntake(deps: IntakeDeps): Intake {
  const { api, clock, log, deliver, people, bot } = deps;
  const inOrder = createOrder();

  async function handle(raw: unknown): Promise<Answer> {
    const payload = read(raw, log);
    const me = bot();
    const draft = payload && me && toDraft(payload, me, clock.now());
    if (!draft) return {};
    // Asked for at once, delivered in turn: who is new in a place must not be overtaken there.
    const ready = Promise.all([whole(draft, me), hindrance(draft)]);
    // Its turn may come later than its failure, which is not unhandled meanwhile.
    ready.catch(() => {});
    return inOrder(draft.event.place.key, async () => {
      const [known, cannotPost] = await ready;
      const event = known.type === "message" && cannotPost !== undefined ? { ...known, cannotPost } : known;
      const { reply } = await deliver(event);
      return reply ? answer(payload, event, reply) : {};
    });
  }

  async function whole(draft: Draft, me: Bot): Promise<Inbound> {
    const { person, mentioned } = draft;
    const [author, ...named] = await Promise.all([
      person === undefined ? undefined : people.author(person),
      ...mentioned.map((id) => people.named(id)),
    ]);
    const known = [[person, author] as const, ...mentioned.map((id, index) => [id, named[index]] as const)];
    return completed(
      draft,
      new Map(known.flatMap(([id, one]): [string, Person][] => (id && one ? [[id, one]] : []))),
      me,
    );
  }

  /** Where the bot may not post, a request could never be answered. */
  async function hindrance({ event }: Draft): Promise<string | undefined> {
    if (event.type !== "message" || !event.unseen) return undefined;
    return patiently(clock, () => notYetInvited(api, event.place));
  }

  function answer(payload: Payload, event: Inbound, reply: Acknowledgement): Answer {
    if (payload.type === "press") return { afterwards: () => afterPress(payload.body, event, reply) };
    if (payload.type === "form" && reply.type === "invalid")
      return { payload: { response_action: "errors", errors: inputErrors(payload.body.view, reply.errors) } };
    const told = ephemeral(acknowledgementSpans(reply));
    if (payload.type !== "command") return { afterwards: () => tell(deps, event, told) };
    const { response_url } = payload.body;
    return {
      payload: { response_type: "ephemeral", ...told },
      instead: () => tell(deps, event, told, response_url),
    };
  }

  async function afterPress(
    { trigger_id, response_url }: Extract<Payload, { type: "press" }>["body"],
    event: Inbound,
    reply: Acknowledgement,
  ): Promise<void> {
    if (reply.type === "form" && trigger_id !== undefined) {
      const view = formView(reply.form, { thread: event.thread, direct: event.place.type === "direct" });
      const opened = await api.call("views.open", { trigger_id, view }).catch((error: unknown) => {
        log.debug({ err: error }, "a form could not be opened");
        return undefined;
      });
      if (opened !== undefined) return;
    }
    await tell(deps, event, reply.type === "form" ? TOO_LATE : ephemeral(acknowledgementSpans(reply)), response_url);
  }

  return { handle };
}

const TOO_LATE: Ephemeral = ephemeral([plain("The form did not open in time. Please press again.")]);

function read(raw: unknown, log: Logger): Payload | undefined {
  try {
    return readPayload(raw);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const at = error.issues.map(({ path }) => path.join("."));
    log.warn({ at }, "an event of a shape that Slack does not document was dropped");
    return undefined;
  }
}
