/** Commands in chat: the same words on every platform, typed or native. Pure. */
import { type CommandName, COMMANDS, type Inbound, type NoticeView } from "./contract.ts";
import { privately } from "./decisions.ts";
import { plainText } from "./plain-text.ts";
import { questionView } from "./questions.ts";
import { type Decision, type Effect, type Facts, type Question, slot } from "./store-contract.ts";

export interface Command {
  readonly name: CommandName | "start";
  readonly args: string;
}

export interface CommandContext {
  readonly model: string;
  readonly admin: boolean;
  /** What a typed command begins with. */
  readonly sign: string;
}

/**
 * `/name` as the very first word, in any case; anything else is ordinary text. `!name` is the same, since Slack lets
 * nobody type a slash command in a thread.
 */
export function parseCommand(text: string): Command | undefined {
  const match = /^[/!]([a-z]+)(?:\s+([\s\S]*))?$/i.exec(text);
  return match?.[1] === undefined ? undefined : toCommand(match[1], match[2] ?? "");
}

export function toCommand(name: string, args: string): Command | undefined {
  const said = name.toLowerCase();
  const known = said === "start" ? said : COMMANDS.find((command) => command.name === said)?.name;
  return known && { name: known, args: args.trim() };
}

export function runCommand(command: Command, event: Inbound, facts: Facts, context: CommandContext): Decision {
  const rule = `the command /${command.name}`;
  const isOutside = "topLevel" in event && event.topLevel === true;
  const about = isOutside ? ofOwnThread(facts) : facts;
  const isSeen = event.type !== "command" || !isOutside;
  const answer = (text: string) => (isSeen ? { rule, effects: [show(facts, text)] } : privately(rule, text));
  switch (command.name) {
    case "start":
    case "help":
      return answer(help(event, context));
    case "status":
      return answer(status(about, context));
    case "forget":
      return command.args.toLowerCase() === "me" ? forgetMe(rule) : answer(HOW_TO_FORGET);
    case "new":
      return isOutside ? answer(OUTSIDE) : newThread(rule, facts, context);
    case "stop":
      if (!isOutside) return stop(rule, facts, context);
      return about.thread?.run ? stopFromOutside(rule, about, context) : answer("Nothing of yours is running here.");
  }
}

const HOW_TO_FORGET =
  "I can forget you: your messages and files, what I did for you and said to you, and your name. Threads that nobody else wrote in go whole; in the others the rest stays, and I forget what was said there. What stands in the chat itself stays there. It cannot be undone. To go on, send `!forget me` (also `/forget me`, or `/threadline forget me` where commands come that way).";

/** Told with the platform's own acknowledgement: nothing of this person is stored any more that could tell it later. */
function forgetMe(rule: string): Decision {
  const text =
    "Forgotten: your messages and files, what I did for you, and your name. It takes a few moments until the last of it is gone. What stands in the chat itself is yours to delete; whatever you write from now on begins anew.";
  return { rule, effects: [{ type: "forget" }], reply: { type: "notice", text } };
}

const OUTSIDE = "Each request that you make here starts a thread of its own.";

/** What is said in no thread is about the author's own. */
function ofOwnThread({ thread: _none, own, ...facts }: Facts): Facts {
  return { ...facts, questions: own?.questions ?? [], ...(own && { thread: own.thread }) };
}

function help(event: Inbound, { sign }: CommandContext): string {
  const commands = COMMANDS.map(({ name, description }) => `- \`${sign}${name}\` ${description}`);
  const how = event.place.type === "direct" ? "Just write to me, for example:" : "Mention me, for example:";
  const examples = [
    "what is 17 * 23?",
    "convert 100 degrees",
    "count the words in 'to be or not to be' and calculate 12% of 840",
  ];
  return [how, "", ...examples.map((one) => `- ${one}`), "", "Commands:", "", ...commands].join("\n");
}

function status({ thread, questions, now }: Facts, { model }: CommandContext): string {
  const asked = questions[0];
  const state = asked
    ? `Waiting for an answer from ${plainText(asked.asked.name)}.`
    : thread?.run
      ? `Working for ${Math.max(0, Math.round((now - thread.run.startedAt) / 1000))} s.`
      : "Nothing is running here.";
  const queued = thread?.queued ? ` ${waiting(thread.queued)} for the next turn.` : "";
  return `${state}${queued} Model: ${plainText(model)}.`;
}

const waiting = (count: number) => (count === 1 ? "1 message waits" : `${count} messages wait`);

function newThread(rule: string, facts: Facts, context: CommandContext): Decision {
  const refused = mayStop(facts, context);
  if (refused) return refuse(rule, refused);
  const effects: Effect[] = [
    ...stopEffects(facts),
    { type: "open_thread" },
    show(facts, "A new thread. What was before stays stored, and I no longer look at it."),
  ];
  return { rule, effects };
}

function stop(rule: string, facts: Facts, context: CommandContext): Decision {
  const refused = mayStop(facts, context);
  if (refused) return refuse(rule, refused);
  if (facts.thread?.run?.state === "stopping") return { rule: "it is being stopped already", effects: [] };
  const stopped = stopEffects(facts);
  const next = facts.thread?.queued ? ` ${waiting(facts.thread.queued)}; I go on with that.` : "";
  const text = stopped.length > 0 ? `Stopped.${next}` : "Nothing is running here.";
  return { rule, effects: [...stopped, show(facts, text)] };
}

/** Kept, so that the same event again is not told again. */
const refuse = (rule: string, text: string): Decision => ({
  rule,
  effects: [{ type: "record" }],
  reply: { type: "notice", text },
});

/** The caller is told at once; those who read the thread see it there. */
function stopFromOutside(rule: string, facts: Facts, context: CommandContext): Decision {
  const decision = stop(rule, facts, context);
  return { reply: { type: "notice", text: "Stopped." }, ...decision, ...(facts.thread && { thread: facts.thread.id }) };
}

/** The run's own person and admins may; undefined when nothing speaks against it. */
export function mayStop({ thread, person }: Facts, { admin }: Pick<CommandContext, "admin">): string | undefined {
  if (!thread?.run || thread.run.principal === person.id || admin) return undefined;
  return "Only the person I am working for and admins can stop this.";
}

/** Ends the live run of this thread and gives its open questions up. */
export function stopEffects({ thread, questions, person }: Facts): Effect[] {
  if (!thread?.run) return [];
  const given: Effect[] = questions.map((question) => giveUp(question, `stopped by ${person.name}`));
  return [...given, { type: "stop", run: thread.run.id }];
}

function giveUp({ id, request, tokens, asked }: Question, reason: string): Effect {
  return {
    type: "give_up",
    question: id,
    view: questionView(request, tokens, asked.name, { type: "given_up", reason }),
  };
}

export function show(facts: Facts, markdown: string, tone: NoticeView["tone"] = "info"): Effect {
  return { type: "show", slot: slot("notice", facts.id), view: { type: "notice", markdown, tone } };
}
