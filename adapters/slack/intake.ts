/**
 * From an envelope's body to a stored event, and the answer that Slack expects for it. Slack wants that answer within
 * 3 s; what follows it (a modal, a notice) is called afterwards.
 */
import type { Logger } from "pino";
import type { Acknowledgement, Deliver, Inbound } from "../../gateway/contract.ts";
import { ownUrl } from "./api.ts";
import type { Api } from "./api.ts";
import { completed, toDraft } from "./inbound.ts";
import type { Draft } from "./inbound.ts";
import type { Bot } from "./incoming-text.ts";
import { notYetInvited } from "./invited.ts";
import { formView } from "./modal.ts";
import { notice, toldBy } from "./notice.ts";
import type { Notice } from "./notice.ts";
import { createOrder } from "./order.ts";
import { readPayload } from "./payload.ts";
import type { Payload } from "./payload.ts";
import type { People, Person } from "./people.ts";
import { parseThread } from "./thread-key.ts";

interface IntakeDeps {
  readonly api: Api;
  readonly apiUrl: string;
  readonly log: Logger;
  readonly people: People;
  readonly deliver: Deliver;
  readonly bot: () => Bot | undefined;
  readonly now: () => number;
}
/** The acknowledgement's payload, and what is done once it has been given. */
export interface Answer {
  readonly payload?: object;
  readonly afterwards?: () => Promise<unknown>;
}
export interface Intake {
  /** Rejects when the event could not be stored: then it must not be acknowledged. A malformed one is dropped. */
  readonly handle: (body: unknown) => Promise<Answer>;
}

export function createIntake(deps: IntakeDeps): Intake {
  const { api, log, deliver, people, bot, now } = deps;
  const inOrder = createOrder();

  async function handle(raw: unknown): Promise<Answer> {
    const payload = read(raw, log);
    const me = bot();
    const draft = payload && me && toDraft(payload, me, now());
    if (!draft) return {};
    // Asked for at once, delivered in turn: who is new in a place must not be overtaken there.
    const ready = Promise.all([whole(draft, me), refusalBefore(draft)]);
    // Its turn may come later than its failure, which is not unhandled meanwhile.
    ready.catch(() => {});
    return inOrder(draft.event.place.key, async () => {
      const [event, refusal] = await ready;
      const reply = refusal ?? (await deliver(event)).reply;
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
  async function refusalBefore({ event }: Draft): Promise<Acknowledgement | undefined> {
    if (event.type !== "message" || !event.unseen) return undefined;
    const text = await notYetInvited(api, event.place);
    return text === undefined ? undefined : { type: "notice", text };
  }

  function answer(payload: Payload, event: Inbound, reply: Acknowledgement): Answer {
    if (payload.type === "press") return { afterwards: () => afterPress(payload.body, event, reply) };
    if (payload.type === "form" && reply.type === "invalid")
      return { payload: { response_action: "errors", errors: reply.errors } };
    const told = toldBy(reply);
    if (!told) return {};
    if (payload.type === "command") return { payload: { response_type: "ephemeral", ...told } };
    return { afterwards: () => tell(event, told) };
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
    await tell(event, toldBy(reply) ?? notice("The form did not open in time. Please press again."), response_url);
  }

  /** `responseUrl`: another way to the same person, where Slack does not let the bot write. */
  async function tell(event: Inbound, told: Notice, responseUrl?: string): Promise<void> {
    const { channel, root } = parseThread(event.thread);
    const opened = root !== undefined && !("topLevel" in event && event.topLevel);
    const to = { channel, user: event.author.id, ...(opened && { thread_ts: root }) };
    try {
      await api.call("chat.postEphemeral", { ...to, ...told });
    } catch (error) {
      if (responseUrl === undefined) throw error;
      await respond(ownUrl(responseUrl, deps.apiUrl), told);
    }
  }

  return { handle };
}

/** `replace_original: false`: the pressed message stays. */
async function respond(url: URL, told: Notice): Promise<void> {
  await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ response_type: "ephemeral", replace_original: false, ...told }),
    redirect: "error",
    signal: AbortSignal.timeout(10_000),
  });
}

function read(raw: unknown, log: Logger): Payload | undefined {
  try {
    return readPayload(raw);
  } catch (error) {
    if (!(error instanceof Error) || !("issues" in error) || !Array.isArray(error.issues)) throw error;
    const at = error.issues.map((issue: { path: readonly PropertyKey[] }) => issue.path.join("."));
    log.warn({ at }, "an event of a shape that Slack does not document was dropped");
    return undefined;
  }
}
