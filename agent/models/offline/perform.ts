/** Doing one resolved job. The answer says what was understood, quotes, and makes nothing up. */
import { calculate } from "./arithmetic.ts";
import { dateIn, timeIn, zonesOf } from "./clock.ts";
import { dayIn, tellDay, tellDays } from "./dates.ts";
import { baseName, readFiles, writeAndPresent } from "./files.ts";
import { phrase, type Job, type JobOf } from "./jobs.ts";
import { closestPassage } from "./passages.ts";
import type { Script } from "./script.ts";
import type { Situation } from "./situation.ts";
import { describeText, countWords } from "./text-measures.ts";
import { convert } from "./units.ts";
import { refusal, TALK } from "./wording.ts";
import { fileContent, fileName } from "./written-file.ts";

export async function* perform(job: Job, situation: Situation): Script {
  switch (job.type) {
    case "search":
      return yield* search(job, situation);
    case "describe":
      return yield* describe(job, situation);
    case "write":
      return yield* write(job, situation);
    case "calculate":
      return (await calculate(job.expression)) ?? `I cannot calculate “${job.expression}”.`;
    case "convert":
      return convert(job.amount, job.from, job.to ?? "") ?? `I cannot do this: ${phrase(job)}.`;
    case "count":
      return `“${excerpt(job.text, 60)}” has ${countWords(job.text)}.`;
    case "time":
    case "date":
      return tellClock(job, situation);
    case "day":
      return tellDay(job.day, dayIn(situation.turn.timezone, situation.now));
    case "days":
      return tellDays(job.from, job.to);
    case "talk":
      return TALK[job.about];
    case "compare":
    case "unknown":
      return refusal(situation.turn, job.type === "unknown" ? job.why : undefined);
  }
}

function tellClock(job: JobOf<"time" | "date">, { now, turn }: Situation): string {
  const zone = zonesOf(job.place ?? "")[0] ?? turn.timezone;
  return job.type === "time" ? timeIn(zone, now) : `Today is ${dateIn(zone, now)} (${zone}).`;
}

const pathsOf = (job: JobOf<"search" | "describe">) => (job.scope.type === "paths" ? job.scope.paths : []);

/** Longest quote, characters. */
const LONGEST_QUOTE = 900;

async function* search(job: JobOf<"search">, situation: Situation): Script {
  const { sources, troubles } = yield* readFiles(situation, pathsOf(job));
  const found = await closestPassage(job.query, sources);
  const searched = sources.map(({ path }) => `\`${baseName(path)}\``).join(", ");
  if (!found && searched === "") return troubles.join("\n");
  if (!found)
    return [`Nothing in ${searched} is close to “${job.query}”. I compare words, not meanings.`, ...troubles].join(
      "\n",
    );
  const where = `\`${baseName(found.path)}\`${found.heading ? `, under “${found.heading}”` : ""}`;
  const quote = excerpt(found.text, LONGEST_QUOTE).replaceAll(/^/gm, "> ");
  const citation = `[citation:${baseName(found.path)}](${found.path})`;
  return [`Closest passage to “${job.query}”, from ${where}:\n\n${quote}\n\n${citation}`, ...troubles].join("\n\n");
}

async function* describe(job: JobOf<"describe">, situation: Situation): Script {
  const { sources, troubles } = yield* readFiles(situation, pathsOf(job));
  return [...sources.map(({ path, text }) => describeText(baseName(path), text)), ...troubles].join("\n\n");
}

async function* write(job: JobOf<"write">, situation: Situation): Script {
  const format = job.format ?? "txt";
  return yield* writeAndPresent(
    situation,
    fileName(job.content, format),
    fileContent(job.content, format, situation.turn.lastReply),
  );
}

function excerpt(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).replace(/\s+\S*$/, "")} …`;
}
