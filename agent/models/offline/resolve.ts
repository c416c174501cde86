/** What is ambiguous in a job is asked before work begins. A resolved job needs nobody: a subagent can do it. */
import { choose, type Option } from "./ask.ts";
import { zonesOf } from "./clock.ts";
import { dayIn, readDay } from "./dates.ts";
import { FORMATS, type Format, type Job, type JobOf } from "./jobs.ts";
import { hopeless, leftOpen, pick, ready, type Resolution } from "./picking.ts";
import { formatIn } from "./read-write.ts";
import { resolveCompare, resolveScope } from "./resolve-files.ts";
import type { Script } from "./script.ts";
import type { Situation } from "./situation.ts";
import { readingsOf, relatives, wordsFor } from "./units.ts";

/** One job becomes one or several, or `unknown` with the reason. */
export async function* resolve(job: Job, situation: Situation): Script<readonly Job[]> {
  const resolution = yield* resolveOnce(job, situation);
  return resolution.type === "ready" ? resolution.jobs : yield* resolve(resolution.job, situation);
}

function resolveOnce(job: Job, situation: Situation): Script<Resolution> {
  switch (job.type) {
    case "convert":
      return resolveUnits(job, situation);
    case "time":
    case "date":
      return resolvePlace(job, situation);
    case "day":
    case "days":
      return resolveDates(job, situation);
    case "search":
    case "describe":
      return resolveScope(job, situation);
    case "compare":
      return resolveCompare(job, situation);
    case "write":
      return resolveFormat(job, situation);
    case "calculate":
    case "count":
    case "talk":
    case "unknown":
      return asItIs(job);
  }
}

// oxlint-disable-next-line require-yield -- a script like its siblings, with nothing to ask
async function* asItIs(job: Job): Script<Resolution> {
  return ready(job);
}

async function* resolveUnits(job: JobOf<"convert">, situation: Situation): Script<Resolution> {
  const wanted = job.to === undefined ? undefined : readingsOf(job.to);
  // `100 degrees to fahrenheit` leaves one reading.
  const sources = readingsOf(job.from).filter((name) => wanted?.length !== 1 || name !== wanted[0]);
  const from = yield* pick(situation, `Which unit is “${job.amount} ${job.from}” in?`, sources.map(unitOption));
  if (from.type !== "chosen") return leftOpen(from, sources.map(unitOption), `“${job.from}”`);
  const targets = (wanted ?? COUNTERPART[from.value] ?? relatives(from.value).slice(0, 4))
    .filter((name) => name !== from.value)
    .map(unitOption);
  const to = yield* pick(situation, `Convert ${job.amount} ${from.value} to which unit?`, targets);
  if (to.type === "chosen") return ready({ ...job, from: from.value, to: to.value });
  const typed = to.type === "other" ? choose(to.text, relatives(from.value).map(unitOption)) : undefined;
  return typed ? ready({ ...job, from: from.value, to: typed.value }) : leftOpen(to, targets, "the target unit");
}

/** What people want to know of a temperature in the one scale is the other. */
const COUNTERPART: Readonly<Record<string, readonly string[]>> = { "°C": ["°F"], "°F": ["°C"] };
const unitOption = (name: string): Option<string> => ({
  label: name,
  value: name,
  words: [name.split(" ")[0] ?? name, ...wordsFor(name)],
});

async function* resolvePlace(job: JobOf<"time" | "date">, situation: Situation): Script<Resolution> {
  const { place } = job;
  if (!place) return ready({ ...job, place: situation.turn.timezone });
  const zones = zonesOf(place).slice(0, 10);
  const several = place.split(/,? and |, ?/);
  if (zones.length === 0 && several.length > 1) return yield* resolvePlaces(job, several, situation);
  if (zones.length === 0) return hopeless(place, `I know time zones by their city, and none is called “${place}”`);
  const options = zones.map((zone) => ({
    label: zone,
    value: zone,
    words: [zone.split("/").at(-1)?.replaceAll("_", " ") ?? zone],
  }));
  const chosen = yield* pick(situation, `“${place}” has several time zones. Which one?`, options);
  if (chosen.type === "chosen") return ready({ ...job, place: chosen.value });
  const typed = chosen.type === "other" ? zonesOf(chosen.text)[0] : undefined;
  return typed ? ready({ ...job, place: typed }) : leftOpen(chosen, options, `“${place}”`);
}

/** Days are reckoned from today where the person is. */
// oxlint-disable-next-line require-yield -- a script like its siblings, with nothing to ask
async function* resolveDates(job: JobOf<"day" | "days">, { now, turn }: Situation): Script<Resolution> {
  const today = dayIn(turn.timezone, now);
  if (job.type === "day") {
    const day = await readDay(job.day, today);
    return day ? ready({ ...job, day }) : hopeless(job.day, noSuchDay(job.day));
  }
  const from = await readDay(job.from, today, job.to === "today" ? "last" : "next");
  const to = await readDay(job.to, today);
  if (from && to) return ready({ ...job, from, to });
  return hopeless(from ? job.to : job.from, noSuchDay(from ? job.to : job.from));
}

/** `29 February` in a year that has none. */
const noSuchDay = (text: string) => `I do not know which day “${text}” is; write it like 2026-12-25`;

/** `Tokyo and London`: a job for each. */
async function* resolvePlaces(
  job: JobOf<"time" | "date">,
  places: readonly string[],
  situation: Situation,
): Script<Resolution> {
  const jobs: Job[] = [];
  for (const place of places) jobs.push(...(yield* resolve({ ...job, place }, situation)));
  return ready(...jobs);
}

const FORMAT_LABELS: Record<Format, string> = {
  md: "Markdown (.md)",
  csv: "Spreadsheet (.csv)",
  txt: "Plain text (.txt)",
};

async function* resolveFormat(job: JobOf<"write">, situation: Situation): Script<Resolution> {
  const saves = job.content.type === "last_reply";
  if (saves && !situation.turn.lastReply) return hopeless("save", "There is no earlier answer in this thread to save");
  if (job.format) return ready(job);
  const formats = saves ? FORMATS.filter((format) => format !== "csv") : FORMATS;
  const options = formats.map((format) => ({ label: FORMAT_LABELS[format], value: format, words: [format] }));
  const chosen = yield* pick(situation, "Which format shall the file have?", options);
  if (chosen.type === "chosen") return ready({ ...job, format: chosen.value });
  const typed = chosen.type === "other" ? formatIn(chosen.text) : undefined;
  return typed ? ready({ ...job, format: typed }) : leftOpen(chosen, options, "the format");
}
