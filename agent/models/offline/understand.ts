/** From the words of one part to a job: strong rules only, the strictest first. What fits none is `unknown`. */
import { calculate, toExpression } from "./arithmetic.ts";
import type { Job } from "./jobs.ts";
import { readDates } from "./read-dates.ts";
import { readConversion } from "./read-conversion.ts";
import { readClock, readSmallTalk } from "./small-talk.ts";
import { readCompare, readCount, readDescribe, readSearch } from "./read-files.ts";
import { readWrite } from "./read-write.ts";

/** `undefined`: not mine. Gets the text without politeness, in its own case. */
type Reader = (text: string) => Job | undefined;

/** These carry a text of their own, with its lines. */
const WITH_CONTENT: readonly Reader[] = [readCount, readWrite];
const ABOUT_FILES: readonly Reader[] = [readCompare, readDescribe, readSearch];

/** Longer texts are no request; the patterns below are for sentences. */
const LONGEST = 1000;
const LONGEST_WITH_CONTENT = 20_000;

/** `filesAtHand`: the thread has files, so that a question no rule knows is looked up in them. */
export async function understand(text: string, filesAtHand: boolean): Promise<Job> {
  if (text.length > LONGEST_WITH_CONTENT)
    return { type: "unknown", text: `${text.slice(0, 60)}…`, why: "That is too long for me" };
  const job = firstOf(WITH_CONTENT, text.trim());
  if (job) return job;
  if (text.length > LONGEST) return { type: "unknown", text: `${text.slice(0, 60)}…` };
  return (await understandSentence(text)) ?? lookUp(text, filesAtHand);
}

async function understandSentence(text: string): Promise<Job | undefined> {
  const plain = withoutPoliteness(text);
  const early = (await readDates(plain)) ?? readClock(text) ?? readSmallTalk(text) ?? readConversion(plain);
  if (early) return early;
  const expression = toExpression(plain);
  return (await calculate(expression)) ? { type: "calculate", expression } : firstOf(ABOUT_FILES, plain);
}

function lookUp(text: string, filesAtHand: boolean): Job {
  if (!filesAtHand || !isQuestion(text)) return { type: "unknown", text: text.trim() };
  return { type: "search", query: withoutPoliteness(text), scope: { type: "open" } };
}

function firstOf(readers: readonly Reader[], text: string): Job | undefined {
  for (const read of readers) {
    const job = read(text);
    if (job) return job;
  }
  return undefined;
}

const POLITE =
  /^(?:(?:hi|hello|hey|ok|okay|so|now|and|then|also|please|first|second|finally|lastly|next)(?:[,!.]\s*|\s+)|(?:can|could|would|will) you (?:please |also )?(?=\w+ )|(?:i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to|i (?:need|want) to know|tell me|let me know|do you know)\s+)/i;

/** Cut only while something remains: a lone `hello` is a greeting. */
function withoutPoliteness(text: string): string {
  let line = text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[\s?!.]+$/, "")
    .replace(/,? (?:please|thanks|thank you|for me)$/i, "");
  for (let rest = line.replace(POLITE, ""); rest !== line && /\w/.test(rest); rest = line.replace(POLITE, ""))
    line = rest;
  return line;
}

const isQuestion = (text: string) =>
  /\?\s*$/.test(text) ||
  /^\s*(?:what|where|when|who|whose|how|which|why|does|do|did|is|are|was|were|can|may|must)\b/i.test(text);
