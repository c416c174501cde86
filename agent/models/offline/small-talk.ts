/**
 * Small talk and the clock, by closed vocabularies: a sentence is of a kind when it has one of its key words and every
 * other word is of that kind or means nothing by itself. One foreign word, and it is something else.
 */
import type { Job, Talk } from "./jobs.ts";

interface Vocabulary {
  readonly keys: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}
const set = (words: string) => new Set(words.split(" "));
const vocabulary = (keys: string, words: string): Vocabulary => ({ keys: set(keys), words: set(words) });

const FILLER = set(
  "a an the is are was it this that s what which can could would will you u i me we do does please tell give get show say let know have got to of at on for and so just ok okay hey hi hello now right currently current moment exactly there over please",
);
const LONGEST = 12;

const TIME = vocabulary(
  "time clock hour",
  "local exact present second minute day date today needs need check your watch does read",
);
const DATE = vocabulary("date day weekday", "today todays calendar week month year need exact present");
const TALK: readonly (readonly [Talk, Vocabulary])[] = [
  [
    "thanks",
    vocabulary(
      "thanks thank thx cheers appreciate appreciated",
      "much very lot lots many again all your help helping assistance was great perfect awesome wonderful helpful cool good nice really answer answering that's",
    ),
  ],
  [
    "goodbye",
    vocabulary("bye goodbye farewell night later soon cya", "good see tomorrow then talk have day nice great"),
  ],
  [
    "help",
    vocabulary(
      "help assist ask do use work abilities capabilities skills features commands examples capable able",
      "your with how things thing kind kinds sort stuff type questions topics list everything about more need want in any some other else tasks subjects here start",
    ),
  ],
  [
    "self",
    vocabulary(
      "who call bot robot human ai name chatbot llm gpt chatgpt claude computer machine model person real yourself",
      "your what's or some actual really made built created programmed by should called introduce language using run running am talking speaking chatting with if artificial intelligence about",
    ),
  ],
  [
    "greeting",
    vocabulary(
      "hi hello hey hiya howdy greetings morning afternoon evening how meet yo",
      "good nice there bot all everyone again friend doing today going nice see up things",
    ),
  ],
];

/** Lower-case words; `what's` is two. */
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function fits(text: string, { keys, words }: Vocabulary): boolean {
  const said = wordsOf(text);
  const ours = said.every((word) => keys.has(word) || words.has(word) || FILLER.has(word));
  return ours && said.length <= LONGEST && said.some((word) => keys.has(word));
}

export function readSmallTalk(text: string): Job | undefined {
  const about = TALK.find(
    ([talk, kind]) =>
      fits(text, kind) && (talk !== "self" || /\b(?:you|your|yourself|this|talking|speaking|chatting)\b/i.test(text)),
  )?.[0];
  return about && { type: "talk", about };
}

/** The time or the date, here or in a place. */
export function readClock(text: string): Job | undefined {
  const [, head = text, place] =
    /^(.*?)\s(?:in|at|for)\s+(?:the )?(?!the moment|me\b|today)(.+?)(?: (?:right now|now|currently|today|please))*[?!. ]*$/i.exec(
      text,
    ) ?? [];
  const where = place && !fits(text, TIME) && !fits(text, DATE) ? { place } : {};
  if (fits(head, TIME)) return { type: "time", ...where };
  return fits(head, DATE) && /\b(?:what|which|todays?|current|tell|give|know|date)\b/i.test(head)
    ? { type: "date", ...where }
    : undefined;
}
