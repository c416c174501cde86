/** `convert 5 miles to km`, `how many feet are in a mile`, `what is 100 degrees in fahrenheit`. */
import type { Job } from "./jobs.ts";
import { convertible, readingsOf } from "./units.ts";

const AMOUNT = String.raw`(-?\d[\d,]*(?:\.\d+)?|an?|one)`;
const LEAD = String.raw`(?:convert|change|turn|express|what(?:'s|’s| is| are)|how (?:much|many|far|long|big|tall|wide|heavy|hot|cold|fast) (?:is|are))`;
const PATTERNS: readonly RegExp[] = [
  new RegExp(String.raw`^(?:${LEAD} )?${AMOUNT} ?(?<from>.+?) (?:to|in|into|as|in to) (?<to>.+)$`, "i"),
  new RegExp(
    String.raw`^how many (?<to>.+?)(?: (?:is|are|are there|are in|make|go|fit))?(?: in| into)? ${AMOUNT} ?(?<from>.+)$`,
    "i",
  ),
  new RegExp(String.raw`^${LEAD} ${AMOUNT} ?(?<from>.+)$`, "i"),
];
const CURRENCY = /[$€£¥]|\b(?:dollars?|euros?|usd|eur|gbp|yen|rupees?|bitcoins?|francs?|pesos?)\b/i;

export function readConversion(text: string): Job | undefined {
  if (
    /^(?:convert|change|exchange|how much|how many|what is|-?\d)/i.test(text) &&
    CURRENCY.test(text) &&
    / (?:to|in|into) /i.test(text)
  ) {
    return { type: "unknown", text, why: "I have no exchange rates, so I cannot convert money" };
  }
  for (const pattern of PATTERNS) {
    const job = fit(pattern.exec(text));
    if (job) return job;
  }
  return undefined;
}

function fit(match: RegExpExecArray | null): Job | undefined {
  const from = match?.groups?.["from"];
  const to = match?.groups?.["to"]?.replace(/^(?:the )?(?:us|imperial) (?=ml|l)/i, "");
  const amount = readAmount(match?.slice(1).find((group) => group !== undefined && group !== from && group !== to));
  if (!from || amount === undefined || readingsOf(from).length === 0) return undefined;
  if (to === undefined) return { type: "convert", amount, from };
  return convertible(from, to) ? { type: "convert", amount, from, to } : undefined;
}

function readAmount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(?:an?|one)$/i.test(text)) return 1;
  const amount = Number(text.replaceAll(",", ""));
  return Number.isFinite(amount) ? amount : undefined;
}
