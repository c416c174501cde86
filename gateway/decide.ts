/**
 * What an event means, as one pure function of the event and the facts: the rules of the house in the order in which
 * they are asked.
 *
 * 1. other bots and our own posts: nothing    4. buttons, forms: the question or the run they belong to
 * 2. the first admin's code                   5. commands
 * 3. access                                   6. messages: an answer, a new turn, or something to know
 */
import type { Answer } from "../agent/contract.ts";
import { type Access, isAdmin, refuse } from "./access.ts";
import { mayStop, parseCommand, runCommand, show, stopEffects, toCommand } from "./commands.ts";
import type { Inbound, InboundOf } from "./contract.ts";
import {
  answerText,
  type Answerers,
  formAnswer,
  mayAnswer,
  optionAnswer,
  questionView,
  textAnswer,
  toForm,
} from "./questions.ts";
import {
  type Decide,
  type Decision,
  type Effect,
  type Facts,
  type Question,
  slot,
  type TokenFacts,
} from "./store-contract.ts";

export interface PlatformPolicy {
  /** Everyone who reaches it is its owner: the local page. */
  readonly trusted: boolean;
  readonly access: Access;
  readonly follow: "thread" | "mention";
  readonly answerers: Answerers;
}
export interface Policy {
  readonly platforms: Readonly<Record<string, PlatformPolicy>>;
  readonly idleResetMs: number;
  /** Display name of the default model. */
  readonly model: string;
}

export function createDecide(policy: Policy): Decide {
  return (event, facts) => {
    const platform = policy.platforms[event.platform];
    if (!platform) return ignore(`no platform ${event.platform}`);
    if (event.author.isBot) return ignore("written by a bot");
    if (isAdminCode(event, facts)) return becomeAdmin(facts);
    const refused = platform.trusted ? undefined : refuse(event, facts, platform.access);
    if (refused) return isAddressed(event, facts, platform) ? refused : ignore(refused.rule);
    return decideEvent(event, facts, platform, policy);
  };
}

const ignore = (rule: string): Decision => ({ rule, effects: [] });
const privately = (rule: string, text: string): Decision => ({ rule, effects: [], reply: { type: "notice", text } });

function decideEvent(event: Inbound, facts: Facts, platform: PlatformPolicy, policy: Policy): Decision {
  const admin = platform.trusted || isAdmin(event, facts, platform.access);
  const commands = { model: policy.model, admin };
  switch (event.type) {
    case "message":
      return decideMessage(event, facts, platform, policy, admin);
    case "edited":
      return decideEdit(event, facts);
    case "deleted":
      if (facts.target?.state !== "queued" && facts.target?.state !== "context")
        return ignore("deleted after its turn began");
      return { rule: "deleted before its turn", effects: [{ type: "drop", target: facts.target.id }] };
    case "press":
      return decidePress(event, facts, platform, admin);
    case "form":
      return decideForm(event, facts, platform);
    case "command": {
      const command = toCommand(event.name, event.args) ?? { name: "help", args: "" };
      return runCommand(command, event, facts, commands);
    }
    case "place":
      return ignore(`the place was ${event.change}`);
  }
}

function isAdminCode(event: Inbound, { adminCode }: Facts): boolean {
  if (adminCode === undefined || event.place.type !== "direct") return false;
  if (event.type === "message") return event.text.trim() === adminCode;
  return event.type === "command" && event.name === "start" && event.args.trim() === adminCode;
}

function becomeAdmin(facts: Facts): Decision {
  const text = "You are now the admin of this bot. Write to me, or try /help.";
  return { rule: "sent the first admin's code", effects: [{ type: "make_admin" }, show(facts, text)] };
}

/** Meant for the bot, and not only said where it can hear it. */
function isAddressed(event: Inbound, { thread }: Facts, { follow }: PlatformPolicy): boolean {
  if (event.type !== "message") return event.type === "command" || event.type === "press" || event.type === "form";
  if (event.place.type === "direct" || event.mentionsBot) return true;
  if (event.addressesOther) return false;
  return event.replyTo?.byBot === true || (follow === "thread" && thread?.addressed === true);
}

function decideMessage(
  event: InboundOf<"message">,
  facts: Facts,
  platform: PlatformPolicy,
  policy: Policy,
  admin: boolean,
): Decision {
  if (!isAddressed(event, facts, platform)) {
    if (!facts.thread) return ignore("not addressed to the bot");
    return { rule: "said by others in a thread of the bot", effects: [{ type: "context" }] };
  }
  const text = event.text.trim();
  if (text === "" && event.files.length === 0) {
    // A mention and nothing else: say what one can do, never ask the model about nothing.
    return runCommand({ name: "help", args: "" }, event, facts, { model: policy.model, admin });
  }
  const command = parseCommand(event.text);
  if (command) return runCommand(command, event, facts, { model: policy.model, admin });
  const question = askedQuestion(event, facts);
  if (question && text !== "") return answerOrWait(event, facts, question, platform);
  return queue(event, facts, policy);
}

/** The open question that typed words are about: the one they reply to, else the latest. */
function askedQuestion(event: InboundOf<"message">, { questions }: Facts): Question | undefined {
  const replied = questions.find((question) => question.post !== undefined && question.post === event.replyTo?.post);
  return replied ?? questions.at(-1);
}

function answerOrWait(
  event: InboundOf<"message">,
  facts: Facts,
  question: Question,
  platform: PlatformPolicy,
): Decision {
  if (mayAnswer(question, { id: facts.person.id, account: event.author.id }, platform.answerers)) {
    const answer = answerEffect(question, textAnswer(question.request, event.text), facts);
    // Its files are not part of the answer, but the next turn shall know them.
    return {
      rule: "answers the open question",
      effects: event.files.length > 0 ? [{ type: "context" }, answer] : [answer],
    };
  }
  const text = `I am waiting for an answer from ${question.asked.name}. Your message is kept, and I take it up after that.`;
  const told: Effect = {
    type: "show",
    slot: slot("notice", `await-${question.id}-${facts.person.id}`), // one slot: told once
    view: { type: "notice", markdown: text, tone: "info" },
  };
  return { rule: "waits until the open question is answered", effects: [{ type: "queue" }, told] };
}

function queue(event: InboundOf<"message">, facts: Facts, policy: Policy): Decision {
  const { thread, now, freshToken } = facts;
  const quiet =
    thread &&
    event.place.single &&
    !thread.run &&
    thread.queued === 0 &&
    now - thread.lastActivityAt > policy.idleResetMs;
  if (!quiet) return { rule: "a message for the bot", effects: [{ type: "queue" }] };
  const notice: Effect = {
    type: "show",
    slot: slot("notice", facts.id),
    view: {
      type: "notice",
      markdown: "It has been quiet here, so this is a new thread.",
      tone: "info",
      actions: [{ token: freshToken, label: "Continue the old one" }],
    },
    tokens: { [freshToken]: { type: "continue_thread", thread: thread.id } },
  };
  return {
    rule: "the first message after a long pause",
    effects: [{ type: "open_thread" }, notice, { type: "queue" }],
  };
}

function decideEdit(event: InboundOf<"edited">, { target, person }: Facts): Decision {
  if (!target || target.person !== person.id) return ignore("edited, and never stored here");
  if (target.state !== "queued" && target.state !== "context")
    return ignore("edited after its turn began: the answer stands");
  const effect: Effect = { type: "rewrite", target: target.id, text: event.text, files: event.files };
  return { rule: "edited before its turn", effects: [effect] };
}

const GONE = "This is no longer active.";

function decidePress(event: InboundOf<"press">, facts: Facts, platform: PlatformPolicy, admin: boolean): Decision {
  const { token } = facts;
  if (!token) return privately("a button that means nothing here", GONE);
  switch (token.type) {
    case "option": {
      const answer = optionAnswer(token.question.request, token.optionId);
      return answer
        ? decideAnswer(event, facts, token.question, answer, platform)
        : privately("an option that is gone", GONE);
    }
    case "form": {
      const closed = cannotAnswer(event, facts, token.question, platform);
      const form = toForm(token.question.request, token.question.tokens);
      return (
        closed ?? (form ? { rule: "opens the form", effects: [], reply: { type: "form", form } } : ignore("no form"))
      );
    }
    case "stop":
      return pressStop(token, facts, admin);
    case "continue_thread": {
      if (token.startedBy !== facts.person.id && !admin)
        return privately("another person's thread", "That is another person's thread.");
      const back: Effect = { type: "continue_thread", thread: token.thread };
      return {
        rule: "goes back to the old thread",
        effects: [...stopEffects(facts), back, show(facts, "Back in the old thread.")],
      };
    }
  }
}

function pressStop({ run, live }: Extract<TokenFacts, { type: "stop" }>, facts: Facts, admin: boolean): Decision {
  if (!live || facts.thread?.run?.id !== run) return privately("stops what has ended", "It has already ended.");
  const refused = mayStop(facts, { admin });
  if (refused) return privately("stops another person's run", refused);
  return { rule: "the Stop button", effects: [...stopEffects(facts), show(facts, "Stopped.")] };
}

function decideForm(event: InboundOf<"form">, facts: Facts, platform: PlatformPolicy): Decision {
  if (facts.token?.type !== "form") return privately("a form that means nothing here", GONE);
  const { question } = facts.token;
  const answer = formAnswer(question.request, event.values);
  if ("errors" in answer) {
    const closed = cannotAnswer(event, facts, question, platform);
    return (
      closed ?? { rule: "the form is not complete", effects: [], reply: { type: "invalid", errors: answer.errors } }
    );
  }
  return decideAnswer(event, facts, question, answer, platform);
}

function decideAnswer(
  event: Inbound,
  facts: Facts,
  question: Question,
  answer: Answer,
  platform: PlatformPolicy,
): Decision {
  const refused = cannotAnswer(event, facts, question, platform);
  return refused ?? { rule: "answers the question", effects: [answerEffect(question, answer, facts)] };
}

function cannotAnswer(
  event: Inbound,
  facts: Facts,
  question: Question,
  { answerers }: PlatformPolicy,
): Decision | undefined {
  if (question.state === "answered") return privately("a press after the answer", "This has already been answered.");
  if (question.state === "given_up") return privately("a press on a closed question", GONE);
  if (mayAnswer(question, { id: facts.person.id, account: event.author.id }, answerers)) return undefined;
  return privately("a press by somebody else", `This question is for ${question.asked.name}.`);
}

function answerEffect({ id, request, tokens, asked }: Question, answer: Answer, { person }: Facts): Effect {
  const closed = { type: "answered", answer: answerText(request, answer), by: person.name } as const;
  return { type: "answer", question: id, answer, view: questionView(request, tokens, asked.name, closed) };
}
