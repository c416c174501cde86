/** Days of the calendar, without a time of day: `2026-12-25`. Dates in words are read by chrono-node, loaded at the first. */
import { lazily } from "./arithmetic.ts";
import { dateIn } from "./clock.ts";
import { counted } from "./wording.ts";

/** No day takes more words, and chrono is slow on long texts. */
const LONGEST = 40;
const MS_A_DAY = 86_400_000;

/** Which year is meant when none is said: the next such day, or the last one. */
export type Direction = "next" | "last";

/** Feasts people count to; chrono knows none. The same day each year. */
const FEASTS = new Map([
  ["christmas", "25 December"],
  ["christmas day", "25 December"],
  ["xmas", "25 December"],
  ["christmas eve", "24 December"],
  ["new year's eve", "31 December"],
  ["new year", "1 January"],
  ["new year's", "1 January"],
  ["new year's day", "1 January"],
  ["halloween", "31 October"],
  ["valentine's day", "14 February"],
]);

const chrono = lazily(() => import("chrono-node"));

/** `2026-11-30` in that time zone. */
export function dayIn(zone: string, now: Date): string {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  return `${part["year"]}-${part["month"]}-${part["day"]}`;
}

/** The day that the whole text names, seen from `today` (`2026-11-30`). Undefined when it names none for certain. */
export async function readDay(text: string, today: string, direction: Direction = "next"): Promise<string | undefined> {
  const words = text.trim().replaceAll("’", "'");
  const wanted = FEASTS.get(words.toLowerCase()) ?? words;
  if (wanted.length > LONGEST) return undefined;
  const { casual } = await chrono();
  // Chrono reckons in the host's zone: at noon its day is the one meant.
  const [found, ...more] = casual.parse(wanted, new Date(`${today}T12:00:00`), { forwardDate: direction === "next" });
  if (!found || more.length > 0 || found.end || found.text.length !== wanted.length) return undefined;
  const { start } = found;
  const named = start.isCertain("day") || start.isCertain("weekday") || /^in | ago$| from now$/i.test(wanted);
  if (!named || start.isCertain("hour")) return undefined;
  const day = written(start.get("year"), start.get("month"), start.get("day"));
  return direction === "last" && day > today ? onceBefore(day, start) : day;
}

interface Named {
  isCertain(part: "day" | "year"): boolean;
}

/** The same weekday a week before, the same date a year before; 29 February may not exist then. */
function onceBefore(day: string, start: Named): string | undefined {
  if (start.isCertain("year")) return day;
  const date = new Date(`${day}T00:00:00Z`);
  if (start.isCertain("day")) date.setUTCFullYear(date.getUTCFullYear() - 1);
  else date.setUTCDate(date.getUTCDate() - 7);
  const before = date.toISOString().slice(0, 10);
  return start.isCertain("day") && before.slice(5) !== day.slice(5) ? undefined : before;
}

const written = (year: number | null, month: number | null, day: number | null) =>
  `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;

/** Negative when `to` is earlier. */
const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / MS_A_DAY);

/** `It is Tuesday, 1 December 2026 (in 1 day).` */
export function tellDay(day: string, today: string): string {
  const ahead = daysBetween(today, day);
  if (ahead === 0) return `It is ${inWords(day)} (today).`;
  return ahead > 0
    ? `It is ${inWords(day)} (in ${counted(ahead, "day")}).`
    : `It was ${inWords(day)} (${counted(-ahead, "day")} ago).`;
}

/** `From Wednesday, 28 February 2024 to Friday, 1 March 2024: 2 days.` The earlier day comes first. */
export function tellDays(one: string, other: string): string {
  const [from, to] = one < other ? [one, other] : [other, one];
  return `From ${inWords(from)} to ${inWords(to)}: ${counted(daysBetween(from, to), "day")}.`;
}

const inWords = (day: string) => dateIn("UTC", new Date(`${day}T12:00:00Z`));
