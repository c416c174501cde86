/** `what date is in 90 days`, `days until christmas`, `how many days between 2024-02-28 and 2024-03-01`. */
import { readDay } from "./dates.ts";
import type { Job } from "./jobs.ts";

const KIND = String.raw`(?:exact )?(?:date|day of the week|weekday|day)`;
const BE = String.raw`(?:is it|was it|will it be|it is|it was|it will be|is|was|will be|are there|are|were there|were)`;
const COUNT = String.raw`(?:(?:what is the number of |how many |number of )?days |how long )(?:${BE} |left |have passed |has it been )*`;
const pattern = (source: string) => new RegExp(`^${source}$`, "i");

const DAY: readonly RegExp[] = [
  pattern(String.raw`(?:what|which) ${KIND} ${BE}(?: on)? (?<day>.+)`),
  pattern(String.raw`what(?:'s|’s| is| was| will be) (?:the )?${KIND}(?: on| of)? (?<day>.+)`),
  pattern(String.raw`when(?:'s|’s| is| was| will be) (?<day>.+)`),
  pattern(String.raw`what(?:'s|’s| is| was| will be) (?<day>.+?)['’]s (?:date|day|weekday)`),
];
const UNTIL = pattern(`${COUNT}(?:until|till|to|before) (?<to>.+)`);
const SINCE = pattern(`${COUNT}since (?<from>.+)`);
const BETWEEN = pattern(`${COUNT}(?:between|from) (?<from>.+?) (?:and|to|until|till) (?<to>.+)`);

/** Any day will do to see whether words name one. */
const SOME_DAY = "2024-01-01";
const isDay = async (text: string) => (await readDay(text, SOME_DAY)) !== undefined;

/** Only where each date is read whole: `days until my birthday` is not mine. Today's date is the clock's. */
export async function readDates(text: string): Promise<Job | undefined> {
  const job = fit(text);
  if (!job) return undefined;
  const said = job.type === "day" ? [job.day] : [job.from, job.to];
  return (await Promise.all(said.map(isDay))).every(Boolean) ? job : undefined;
}

function fit(text: string): Extract<Job, { type: "day" | "days" }> | undefined {
  const { from, to } = (BETWEEN.exec(text) ?? UNTIL.exec(text) ?? SINCE.exec(text))?.groups ?? {};
  if (from ?? to) return { type: "days", from: from ?? "today", to: to ?? "today" };
  const day = DAY.map((one) => one.exec(text)?.groups?.["day"]).find((found) => found !== undefined);
  return day && !/^(?:today|now)$/i.test(day) ? { type: "day", day } : undefined;
}
