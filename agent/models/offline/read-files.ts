/** Requests about files: search and quote, describe, compare; and counting the words of a given text. */
import type { Job, Scope } from "./jobs.ts";

const NAME = String.raw`[\w./-]*\w\.[a-z]\w{0,7}`;
const GENERIC = String.raw`(?:files?|documents?|docs?|texts?|uploads?|attachments?|it|this|that|these|them)`;
const KIND = String.raw`(?:report|notes?|paper|pdf|readme|letter|contract|spreadsheet|csv|log|manual|handbook|policy|article|minutes)`;
const PATHS = String.raw`/(?:uploads|outputs|workspace)/.+`;
const FILES = String.raw`(?:${PATHS}|all(?: of)?(?: the| my| these)? (?:files|documents|docs)|everything|${NAME}|(?:the |my |this |that |these |those |both |of |two |three |attached |uploaded )*(?:${GENERIC}|${KIND}))`;
const pattern = (source: string) => new RegExp(`^(?:${source})$`, "i");

const WEB = /\b(?:web|internet|online|google|wikipedia|news|youtube)\b/i;
const SEARCHES: readonly RegExp[] = [
  pattern(`(?:search|look|scan|grep)(?: (?:in|through|inside))? (?<scope>${FILES}) for (?<query>.+)`),
  pattern(`(?:search|look|scan|grep)(?: for)? (?<query>.+?) (?:in|inside|within|through) (?<scope>${FILES})`),
  pattern(`(?:search|scan|grep|look) for (?<query>.+)`),
  pattern(`search (?<query>["“'].+)`),
  pattern(
    `(?:find|locate|quote|cite|look up|show me)(?: me)? (?<query>.+?) (?:in|inside|within|from) (?<scope>${FILES})`,
  ),
  pattern(
    `(?:find|locate|quote|cite|show me)(?: me)? (?:the |a )?(?:passages?|parts?|sections?|sentences?|paragraphs?|places?|lines?) (?:about|on|where|that|with|for|mentioning) (?<query>.+)`,
  ),
  pattern(
    `what (?:does|do|did) (?<scope>${FILES}) (?:say|state|mention|write|tell)s?(?: us| me)? (?:about|on) (?<query>.+)`,
  ),
];
const DESCRIBE = pattern(
  `(?:summari[sz]e|sum up|outline|describe|analy[sz]e|tl;?dr|(?:give me |write |make )?(?:a |an |the )?(?:short |brief |quick )?(?:summary|outline|overview|description)(?: of)?|what(?:'s|’s| is) in|how many (?:words|lines)(?: are)?(?: there)? in|count the words (?:in|of))(?: (?<scope>${FILES}))?`,
);
const COMPARE = pattern(
  `compare (?:(?<a>${NAME}) (?:and|with|to|vs\\.?|against) (?<b>${NAME})|${FILES}|(?:the |these |both )?(?:two |three )?files)`,
);
const COUNT =
  /^(?:please )?(?:how many words(?: are)?(?: there)? in|count the words (?:in|of))(?: this| the following)?(?: text| sentence)?:? ?(?::|(?=["“'‘]))\s*(?<text>.+)$/is;

export function readSearch(text: string): Job | undefined {
  for (const one of SEARCHES) {
    const groups = one.exec(text)?.groups;
    if (!groups?.["query"]) continue;
    if (WEB.test(text))
      return { type: "unknown", text, why: "I have no access to the web; I search only files you give me" };
    return { type: "search", query: unquoted(groups["query"]), scope: readScope(groups["scope"]) };
  }
  return undefined;
}

export function readDescribe(text: string): Job | undefined {
  const match = DESCRIBE.exec(text);
  return match ? { type: "describe", scope: readScope(match.groups?.["scope"]) } : undefined;
}

export function readCompare(text: string): Job | undefined {
  const match = COMPARE.exec(text);
  if (!match) return undefined;
  const names = [match.groups?.["a"], match.groups?.["b"]].filter((name) => name !== undefined);
  return { type: "compare", names };
}

export function readCount(text: string): Job | undefined {
  const counted = COUNT.exec(text)?.groups?.["text"];
  return counted ? { type: "count", text: unquoted(counted) } : undefined;
}

function readScope(words: string | undefined): Scope {
  if (!words) return { type: "open" };
  if (new RegExp(`^${PATHS}$`).test(words)) return { type: "paths", paths: words.split(/, (?=\/)/) };
  if (/^(?:all|everything|both)\b|\b(?:files|documents|docs|texts|uploads|attachments|these|those|them)$/i.test(words))
    return { type: "all" };
  if (new RegExp(`^${NAME}$`, "i").test(words)) return { type: "named", name: words };
  const kind = new RegExp(KIND, "i").exec(words)?.[0];
  return kind ? { type: "named", name: kind } : { type: "open" };
}

const unquoted = (text: string) =>
  text
    .trim()
    .replace(/^["“”'‘]+/, "")
    .replace(/["“”'’]+[?.!]*$/, "");
