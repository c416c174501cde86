/** A person's answer, as the model reads it (contract B, response). Pure. */
import { z } from "zod";
import type { Answer } from "../contract.ts";
import type { ClarificationRequest } from "./request.ts";

const answerSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("option"), optionId: z.string(), value: z.string() }),
  z.object({ type: z.literal("text"), value: z.string() }),
  z.object({
    type: z.literal("form"),
    values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  }),
]);

/** Throws a ZodError when what the graph was resumed with is no answer: the gateway has checked it before. */
export function readAnswer(resumed: unknown): Answer {
  return answerSchema.parse(resumed);
}

/** `For your clarification "Q", my answer is: A`; a form adds ` [values: {json}]`. */
export function answerText(request: ClarificationRequest, answer: Answer): string {
  const intro = `For your clarification "${request.question}", my answer is:`;
  if (answer.type !== "form") return `${intro} ${answer.value}`;
  const labels = new Map(request.input_mode === "form" ? request.fields.map(({ name, label }) => [name, label]) : []);
  const lines = Object.entries(answer.values).map(([name, value]) => `${labels.get(name) ?? name}: ${String(value)}`);
  return `${intro} ${lines.join("; ")} [values: ${JSON.stringify(answer.values)}]`;
}
