/**
 * What an event means, as one pure function of the event and the facts: the rules of the house in the order in which
 * they are asked.
 *
 * 1. other bots and our own posts: nothing    4. buttons, forms: the question or the run they belong to
 * 2. the first admin's code                   5. commands
 * 3. access                                   6. messages: an answer, a new turn, or something to know
 */
import { isAdmin, refuse } from "./access.ts";
import { type CommandContext, parseCommand, runCommand, show, toCommand } from "./commands.ts";
import type { Inbound, InboundOf, View } from "./contract.ts";
import { answerEffect, decideForm, decidePress } from "./decide-press.ts";
import { ignore, privately } from "./decisions.ts";
import type { PlatformPolicy, Policy } from "./policy.ts";
import { plainText } from "./plain-text.ts";
import { mayAnswer, textAnswer } from "./questions.ts";
import { type Decide, type Decision, type Effect, type Facts, type Question, slot } from "./store-contract.ts";

/** The rules as one function for the store to call inside its transaction. */
export function createDecide(policy: Policy): Decide {
  return (event, facts) => {
    const platform = policy.platforms[event.platform];
    if (!platform) return ignore(`no platform ${event.platform}`);
    if (event.author.isBot) return ignore("written by a bot");
    // Whose it was has been let in; who deleted it is mostly not said.
    if (event.type === "deleted") return decideDeletion(facts);
    const unclaimed = platform.access.admins.length === 0;
    if (unclaimed && isAdminCode(event, facts)) return { ...becomeAdmin(facts), addressed: true };
    const refused = platform.trusted ? undefined : refuse(event, facts, platform.access);
    if (refused) return isAddressed(event, facts, platform) ? refused : ignore(refused.rule);
    return { ...decideEvent(event, facts, platform, policy), addressed: isAddressed(event, facts, platform) };
  };
}

function decideEvent(
  event: Exclude<Inbound, InboundOf<"deleted">>,
  facts: Facts,
  platform: PlatformPolicy,
  policy: Policy,
): Decision {
  const admin = platform.trusted || isAdmin(event, facts, platform.access);
  const commands = { model: policy.model, admin, sign: platform.commandSign };
  switch (event.type) {
    case "message":
      return showUnseen(event, facts, decideMessage(event, facts, platform, policy, commands));
    case "edited":
      return decideEdit(event, facts);
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
  commands: CommandContext,
): Decision {
  if (event.cannotPost !== undefined) return privately("asked where the bot may not write", event.cannotPost);
  if (!isAddressed(event, facts, platform)) {
    if (!facts.thread) return ignore("not addressed to the bot");
    return { rule: "said by others in a thread of the bot", effects: [{ type: "context" }] };
  }
  const text = event.text.trim();
  if (text === "" && event.files.length === 0) {
    // A mention and nothing else: say what one can do, never ask the model about nothing.
    return runCommand({ name: "help", args: "" }, event, facts, commands);
  }
  // Whoever asks by a command means a request, whatever its words are.
  const command = event.unseen ? undefined : parseCommand(event.text);
  if (command) return runCommand(command, event, facts, commands);
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
  if (!event.unseen && mayAnswer(question, { id: facts.person.id, account: event.author.id }, platform.answerers)) {
    const answer = answerEffect(question, textAnswer(question.request, event.text), facts);
    // Its files are not part of the answer, but the next turn shall know them.
    return {
      rule: "answers the open question",
      effects: event.files.length > 0 ? [{ type: "context" }, answer] : [answer],
    };
  }
  const text = `I am waiting for an answer from ${plainText(question.asked.name)}. Your message is kept, and I take it up after that.`;
  const told: Effect = {
    type: "show",
    slot: slot("notice", `await-${question.id}-${facts.person.id}`), // one slot: told once
    view: { type: "notice", markdown: text, tone: "info" },
  };
  return { rule: "waits until the open question is answered", effects: [{ type: "queue" }, told] };
}

/** A request that came as a command is shown to all who read along, before anything answers it. */
function showUnseen(event: InboundOf<"message">, { id }: Facts, decision: Decision): Decision {
  if (!event.unseen || !decision.effects.some(({ type }) => type === "queue")) return decision;
  const view: View = { type: "request", author: event.author.name, text: event.text };
  return { ...decision, effects: [...decision.effects, { type: "show", slot: slot("request", id), view }] };
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

function decideDeletion({ target }: Facts): Decision {
  if (target?.state !== "queued" && target?.state !== "context") return ignore("deleted after its turn began");
  return { rule: "deleted before its turn", effects: [{ type: "drop", target: target.id }] };
}

function decideEdit(event: InboundOf<"edited">, { target, person }: Facts): Decision {
  if (!target || target.person !== person.id) return ignore("edited, and never stored here");
  if (target.state !== "queued" && target.state !== "context")
    return { rule: "edited after its turn began: the answer stands", effects: [{ type: "record" }] };
  // A message of nothing asks for nothing.
  const isEmpty = event.text.trim() === "" && event.files.length === 0;
  const effect: Effect = isEmpty
    ? { type: "drop", target: target.id }
    : { type: "rewrite", target: target.id, text: event.text, files: event.files };
  return { rule: "edited before its turn", effects: [effect] };
}
