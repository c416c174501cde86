/** What a press or a form means: the token says which question, run or thread it belongs to. Pure. */
import type { Answer } from "../agent/contract.ts";
import { mayStop, show, stopEffects } from "./commands.ts";
import type { Inbound, InboundOf } from "./contract.ts";
import { ignore, privately } from "./decisions.ts";
import type { PlatformPolicy } from "./policy.ts";
import { plainText } from "./plain-text.ts";
import { answerText, formAnswer, mayAnswer, optionAnswer, questionView, toForm } from "./questions.ts";
import type { Decision, Effect, Facts, Question, TokenFacts } from "./store-contract.ts";

const GONE = "This is no longer active.";

/** Nothing is stored for a press that changes nothing; the presser is told why. */
export function decidePress(
  event: InboundOf<"press">,
  facts: Facts,
  platform: PlatformPolicy,
  admin: boolean,
): Decision {
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
  if (facts.thread.run.state === "stopping") return privately("stops what is being stopped", "It is being stopped.");
  const refused = mayStop(facts, { admin });
  if (refused) return privately("stops another person's run", refused);
  return { rule: "the Stop button", effects: [...stopEffects(facts), show(facts, "Stopped.")] };
}

/** Stores a complete answer; `invalid` names the fields that are not. */
export function decideForm(event: InboundOf<"form">, facts: Facts, platform: PlatformPolicy): Decision {
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
  return privately("a press by somebody else", `This question is for ${plainText(question.asked.name)}.`);
}

export function answerEffect({ id, request, tokens, asked }: Question, answer: Answer, { person }: Facts): Effect {
  const closed = { type: "answered", answer: answerText(request, answer), by: person.name } as const;
  return { type: "answer", question: id, answer, view: questionView(request, tokens, asked.name, closed) };
}
