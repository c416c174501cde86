/** The model's own sentences. It says what it is, and what it cannot do in one sentence with the way out. */
import type { Talk } from "./jobs.ts";

export const HOW_TO_CONNECT =
  "To connect a language model, set `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`, start Ollama, or list one under `models:` in `config.yaml`, then restart.";

const SELF =
  "I am `offline`, the built-in model that follows plain rules: no language model is connected, so I calculate, convert units, tell time and dates, search and quote your files, and write down lists you give me.";

const EXAMPLES = [
  "What is 17 × 23, and what is 15% of 80?",
  "Convert 100 degrees",
  "Attach a text file and write: search for “refund”",
];
const examples = (list: readonly string[]) => list.map((one) => `- ${one}`).join("\n");

export const TALK: Record<Talk, string> = {
  greeting: `Hello. ${SELF}\n\nTry:\n${examples(EXAMPLES)}`,
  help: `${SELF}\n\nTry:\n${examples(EXAMPLES)}\n\n${HOW_TO_CONNECT}`,
  self: `${SELF} ${HOW_TO_CONNECT}`,
  thanks: "You are welcome.",
  goodbye: "Goodbye.",
};

/** With a reason, the reason is the whole answer: it says what to do. How to connect a model is said once in a thread. */
export function refusal(thread: Told, why?: string): string {
  if (why) return `${why}.`;
  return ["I follow plain rules and have none for that, so I cannot do it.", ...howToConnect(thread)].join(" ");
}

/** One sentence, or none when an earlier answer of the thread has it. */
export const howToConnect = (thread: Told): readonly string[] => (thread.toldHowToConnect ? [] : [HOW_TO_CONNECT]);

interface Told {
  readonly toldHowToConnect: boolean;
}

/** `1 day`, `2 days`, `-1 day` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${Math.abs(count) === 1 ? "" : "s"}`;

/** `“a”, “b” or “c”` */
export function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `“${name}”`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
