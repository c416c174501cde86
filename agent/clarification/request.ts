/** The question as it waits in a checkpoint (contract B, payload), and as the gateway gets it. Pure. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { wellFormed } from "../../subagents/well-formed.ts";
import type { Clarification } from "../contract.ts";
import { normaliseFields } from "./fields.ts";
import { normaliseOptions, toChoices } from "./options.ts";

const choiceSchema = z.object({ id: z.string(), label: z.string(), value: z.string() });
const fieldCommon = {
  name: z.string(),
  label: z.string(),
  required: z.boolean(),
  placeholder: z.string().exactOptional(),
};
const fieldSchema = z.discriminatedUnion("type", [
  z.object({ ...fieldCommon, type: z.enum(["text", "textarea", "number", "checkbox", "date"]) }),
  z.object({ ...fieldCommon, type: z.enum(["select", "multi_select"]), options: z.array(choiceSchema) }),
]);
const common = {
  kind: z.literal("human_input_request"),
  source: z.literal("ask_clarification"),
  request_id: z.string(),
  clarification_type: z.string(),
  question: z.string(),
  tool_call_id: z.string().exactOptional(),
  context: z.string().exactOptional(),
};
const requestSchema = z.discriminatedUnion("input_mode", [
  z.object({ ...common, version: z.literal(1), input_mode: z.literal("free_text") }),
  z.object({
    ...common,
    version: z.literal(1),
    input_mode: z.literal("choice_with_other"),
    options: z.array(choiceSchema),
  }),
  z.object({ ...common, version: z.literal(2), input_mode: z.literal("form"), fields: z.array(fieldSchema) }),
]);
export type ClarificationRequest = z.output<typeof requestSchema>;

/** As a model passes it; anything may be in the last four. */
export interface ClarificationArgs {
  readonly question: string;
  readonly clarification_type?: unknown;
  readonly context?: unknown;
  readonly options?: unknown;
  readonly fields?: unknown;
}

/** A form wins over options; with neither the answer is free text. The same call always gives the same request. */
export function buildRequest(args: ClarificationArgs, toolCallId: string | undefined): ClarificationRequest {
  const context = wellFormed(asText(args.context)).trim();
  const base = {
    kind: "human_input_request",
    source: "ask_clarification",
    request_id: `clarification:${toolCallId ?? hash16(args.question)}`,
    clarification_type: asText(args.clarification_type),
    question: wellFormed(args.question).trim(),
    ...(toolCallId && { tool_call_id: toolCallId }),
    ...(context && { context }),
  } as const;
  const fields = normaliseFields(args.fields);
  if (fields) {
    const copies = fields.map((field) => ("options" in field ? { ...field, options: [...field.options] } : field));
    return { ...base, version: 2, input_mode: "form", fields: copies };
  }
  const options = toChoices(normaliseOptions(args.options), "option");
  if (options.length === 0) return { ...base, version: 1, input_mode: "free_text" };
  return { ...base, version: 1, input_mode: "choice_with_other", options: [...options] };
}

/** A pending interrupt as a question; undefined when it is none of ours. */
export function readRequest(value: unknown): ClarificationRequest | undefined {
  return requestSchema.safeParse(value).data;
}

export function toClarification(request: ClarificationRequest, interruptId: string): Clarification {
  return {
    type: "clarification",
    interruptId,
    requestId: request.request_id,
    clarificationType: request.clarification_type,
    question: request.question,
    ...(request.context !== undefined && { context: request.context }),
    input: toInput(request),
  };
}

function toInput(request: ClarificationRequest): Clarification["input"] {
  switch (request.input_mode) {
    case "free_text":
      return { type: "free_text" };
    case "choice_with_other":
      return { type: "choice_with_other", options: request.options };
    case "form":
      return { type: "form", fields: request.fields };
  }
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
function hash16(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16);
}
