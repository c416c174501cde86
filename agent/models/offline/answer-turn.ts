/**
 * The whole turn as one script: understand the parts, ask about what is ambiguous, delegate when there are several parts
 * a subagent can do, else do them here; then one answer.
 */
import { phrase, type Job } from "./jobs.ts";
import { partsOf } from "./parts.ts";
import { perform } from "./perform.ts";
import { resolve } from "./resolve.ts";
import { type Call, callOne, type Result, type Script } from "./script.ts";
import type { Situation } from "./situation.ts";
import { isSubagent } from "./toolset.ts";
import { understand } from "./understand.ts";
import { howToConnect, refusal } from "./wording.ts";

const MOST_PARTS = 20;

export async function* answerTurn(situation: Situation): Script {
  const answer = yield* answerRequest(situation);
  return [answer, ...situation.turn.missing].join("\n\n");
}

async function* answerRequest(situation: Situation): Script {
  const jobs: Job[] = [];
  for (const job of await jobsOf(situation)) jobs.push(...(yield* resolve(job, situation)));
  const [only] = jobs;
  if (!only) return refusal(situation.turn);
  if (jobs.length === 1) {
    const answer = yield* perform(only, situation);
    if (isSubagent(situation.tools) && situation.tools.has("write_file")) yield* keepNote(only, answer);
    return answer;
  }
  if (jobs.every((job) => job.type === "unknown")) return refusal(situation.turn, jobs.find((job) => job.why)?.why);
  const { subagents, limits } = situation.tools;
  // What is over is done here.
  const delegable = subagents.length > 0 ? jobs.filter(isDelegable).slice(0, limits.perRun) : [];
  const results = yield* delegate(delegable.length > 1 ? delegable : [], situation);
  const answers = yield* finish(jobs, results, situation);
  const advice = jobs.some((job) => job.type === "unknown") ? howToConnect(situation.turn) : [];
  return [...merge(jobs, answers), ...advice].join("\n\n");
}

/** A subagent leaves its working in the thread's folder, where the lead agent and later turns can look it up. */
async function* keepNote(job: Job, answer: string): Script<void> {
  const words = phrase(job)
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ["note"];
  const name = words.join("-").slice(0, 60);
  yield* callOne("write_file", { path: `/workspace/notes/${name}.md`, content: `# ${phrase(job)}\n\n${answer}\n` });
}

/** Small talk beside a real request is politeness, and needs no answer. */
async function jobsOf({ turn }: Situation): Promise<readonly Job[]> {
  const { requests, files, hadFiles } = turn;
  if (requests.length === 0 && files.length > 0) return [{ type: "describe", scope: { type: "open" } }];
  const known = async (text: string) => !["unknown", "talk"].includes((await understand(text, false)).type);
  const parts = await partsOf(requests, known);
  const filesAtHand = files.length > 0 || hadFiles;
  const jobs = await Promise.all(parts.slice(0, MOST_PARTS).map((part) => understand(part, filesAtHand)));
  const understood = jobs.some((job) => job.type !== "unknown");
  if (parts.length > MOST_PARTS && understood) jobs.push(leftOut(parts.length - MOST_PARTS));
  const work = jobs.filter((job) => job.type !== "talk");
  return work.length > 0 ? work : jobs.slice(0, 1);
}

const leftOut = (count: number): Job => ({
  type: "unknown",
  text: `${count} more parts`,
  why: `I do ${MOST_PARTS} parts at once; send the rest again`,
});

/** `day` is told from today where the person is, which a subagent may not know. */
const isDelegable = (job: Job) => !["unknown", "talk", "write", "compare", "day"].includes(job.type);

/** A task for each job, a few at a time, over the subagents in turn. */
async function* delegate(jobs: readonly Job[], { tools }: Situation): Script<ReadonlyMap<Job, string>> {
  const results = new Map<Job, string>();
  for (let at = 0; at < jobs.length; at += tools.limits.perResponse) {
    const batch = jobs.slice(at, at + tools.limits.perResponse);
    const done = yield batch.map((job, offset) =>
      taskFor(job, tools.subagents[(at + offset) % tools.subagents.length]),
    );
    batch.forEach((job, offset) => results.set(job, readResult(done[offset])));
  }
  return results;
}

function taskFor(job: Job, subagent = "general-purpose"): Call {
  const prompt = phrase(job);
  return {
    tool: "task",
    args: { description: prompt.length > 60 ? `${prompt.slice(0, 59)}…` : prompt, prompt, subagent_type: subagent },
  };
}

/** The task tool puts `Task Succeeded. Result: ` before the report. */
function readResult(result: Result | undefined): string {
  if (!result) return "Its subagent was not started.";
  if (result.failed) return `Its subagent failed: ${result.text.slice(0, 300)}`;
  return result.text.replace(/^Task Succeeded[^.]*\. Result:\s*/, "").trim();
}

/** What was not delegated is done here. */
async function* finish(
  jobs: readonly Job[],
  done: ReadonlyMap<Job, string>,
  situation: Situation,
): Script<readonly string[]> {
  const answers: string[] = [];
  for (const job of jobs) {
    if (job.type === "unknown") answers.push(`${job.why ?? "I have no rule for that"}.`);
    else answers.push(done.get(job) ?? (yield* perform(job, situation)));
  }
  return answers;
}

/** Short answers say themselves what they are about; longer ones, and what could not be done, get a heading. */
function merge(jobs: readonly Job[], answers: readonly string[]): readonly string[] {
  return jobs.map((job, at) => {
    const answer = answers[at] ?? "";
    const heading = job.type === "unknown" ? job.text : phrase(job);
    return job.type !== "unknown" && !answer.includes("\n")
      ? `**${at + 1}.** ${answer}`
      : `**${at + 1}. ${heading}**\n\n${answer}`;
  });
}
