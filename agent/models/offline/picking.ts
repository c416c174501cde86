/** Choosing between readings: a single one needs no question, and an answer that is no choice is not bent into one. */
import { ask, type Answer, type Option } from "./ask.ts";
import type { Job } from "./jobs.ts";
import type { Script } from "./script.ts";
import type { Situation } from "./situation.ts";
import { understand } from "./understand.ts";
import { oneOf } from "./wording.ts";

/** `instead`: the person answered with another request, not yet resolved itself. */
export type Resolution =
  | { readonly type: "ready"; readonly jobs: readonly Job[] }
  | { readonly type: "instead"; readonly job: Job };

export const ready = (...jobs: readonly Job[]): Resolution => ({ type: "ready", jobs });
export const hopeless = (text: string, why: string): Resolution => ready({ type: "unknown", text, why });

export async function* pick<Value>(
  situation: Situation,
  question: string,
  options: readonly Option<Value>[],
): Script<Answer<Value>> {
  const [only] = options;
  if (only && options.length === 1) return { type: "chosen", value: only.value };
  return yield* ask(situation, question, options);
}

/** Nothing was chosen: the answer's own request if it is one, else the ambiguity is named. */
export async function leftOpen(
  answer: Exclude<Answer<unknown>, { type: "chosen" }>,
  options: readonly Option<unknown>[],
  what: string,
): Promise<Resolution> {
  const choice = `${what} could be ${oneOf(options.map(({ label }) => label))}`;
  if (answer.type === "unasked") return hopeless(what, `I need to know more: ${choice}`);
  const job = await understand(answer.text, false);
  if (job.type !== "unknown") return { type: "instead", job };
  return hopeless(answer.text, `I could not match “${answer.text}”: ${choice}`);
}
