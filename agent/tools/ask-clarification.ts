import { interrupt } from "@langchain/langgraph";
import { z } from "zod";
import { answerText, readAnswer } from "../clarification/answer.ts";
import { buildRequest } from "../clarification/request.ts";
import { CLARIFICATION_TYPES } from "../contract.ts";
import { declareTool } from "./agent-tool.ts";

/** What a model should send; whatever else it sends is normalised, never refused. */
const fieldSchema = z.looseObject({
  name: z.string(),
  label: z.string().optional(),
  type: z.enum(["text", "textarea", "number", "select", "multi_select", "checkbox", "date"]).optional(),
  required: z.boolean().optional(),
  options: z.array(z.string()).optional(),
  placeholder: z.string().optional(),
});

/**
 * Pauses the run with a question; the answer is the tool's result. What stands before `interrupt` runs again at each
 * resume: it is pure.
 */
export const askClarification = declareTool({
  name: "ask_clarification",
  description: [
    "Asks the person and waits for the answer. Use it before starting, whenever a guess could be wrong:",
    "missing_info (something needed was not said), ambiguous_requirement (several readings), approach_choice (several",
    "good ways), risk_confirmation (data loss or something that cannot be undone), suggestion (you propose something",
    "that needs consent). One question a call, short and concrete. Give `options` when there are likely answers: they",
    "become buttons. Give `fields` instead when several values are needed at once.",
  ].join("\n"),
  effect: "read_only",
  schema: z.object({
    question: z.string(),
    clarification_type: z.union([z.enum(CLARIFICATION_TYPES), z.unknown()]).optional(),
    context: z.unknown().optional().describe("Why you ask, in one sentence."),
    options: z
      .union([z.array(z.string()), z.unknown()])
      .optional()
      .describe("Likely answers, short."),
    fields: z
      .union([z.array(fieldSchema), z.unknown()])
      .optional()
      .describe("A form; wins over options."),
  }),
  run(args, { toolCallId }) {
    const request = buildRequest(args, toolCallId || undefined);
    return answerText(request, readAnswer(interrupt<unknown, unknown>(request)));
  },
});
