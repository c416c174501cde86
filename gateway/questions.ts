/** Questions: how one looks, who may answer it, and what a press, a form or typed words mean as an answer. */
import type { Answer, Clarification, QuestionField } from "../agent/contract.ts";
import type { Form, FormField, FormValues, QuestionView } from "./contract.ts";
import type { Question } from "./store-contract.ts";

export type Answerers = "asker" | "anyone" | readonly string[];

const ICONS: Readonly<Record<string, string>> = {
  missing_info: "❓",
  ambiguous_requirement: "🤔",
  approach_choice: "🔀",
  risk_confirmation: "⚠️",
  suggestion: "💡",
};

/** The type is a model's word, so it may be the name of anything: also `constructor`. */
const iconOf = (type: string) => (Object.hasOwn(ICONS, type) ? ICONS[type] : undefined) ?? "❓";

/** `tokens`: option id → token, `form` → token. */
export function questionView(
  request: Clarification,
  tokens: Readonly<Record<string, string>>,
  asked: string,
  closed?: QuestionView["closed"],
): QuestionView {
  const form = toForm(request, tokens);
  return {
    type: "question",
    icon: iconOf(request.clarificationType),
    question: request.question,
    ...(request.context !== undefined && { context: request.context }),
    options: choices(request).map(({ id, label }) => ({ token: tokens[id] ?? "", label })),
    asked,
    ...(form && { form }),
    ...(closed && { closed }),
  };
}

/** What needs a token: every option, or the form. */
export function tokenKeys(request: Clarification): readonly string[] {
  return request.input.type === "form" ? ["form"] : choices(request).map((option) => option.id);
}

function choices(request: Clarification) {
  return request.input.type === "choice_with_other" ? request.input.options : [];
}

/** Undefined: the question is none that a form answers. */
export function toForm(request: Clarification, tokens: Readonly<Record<string, string>>): Form | undefined {
  if (request.input.type !== "form") return undefined;
  return { token: tokens["form"] ?? "", title: request.question, fields: request.input.fields.map(toFormField) };
}

function toFormField(field: QuestionField): FormField {
  const { name, label, required, placeholder } = field;
  const base = { name, label, required, ...(placeholder !== undefined && { placeholder }) };
  switch (field.type) {
    case "select":
    case "multi_select":
      return {
        ...base,
        type: field.type,
        options: field.options.map((option) => ({ id: option.id, label: option.label })),
      };
    case "text":
    case "textarea":
    case "number":
    case "checkbox":
    case "date":
      return { ...base, type: field.type };
  }
}

/** `person.account` is the platform's id, as `answerers` lists it. */
export function mayAnswer(question: Question, person: { id: string; account: string }, answerers: Answerers): boolean {
  if (question.asked.id === person.id || answerers === "anyone") return true;
  return Array.isArray(answerers) && answerers.includes(person.account);
}

/** Undefined: there is no such option. */
export function optionAnswer(request: Clarification, optionId: string): Answer | undefined {
  const option = choices(request).find((one) => one.id === optionId);
  return option && { type: "option", optionId, value: option.value };
}

/** The number of an option, its label, or free words. */
export function textAnswer(request: Clarification, text: string): Answer {
  const said = text.trim();
  const options = choices(request);
  const number = /^(\d{1,4})[.)]?$/.exec(said)?.[1];
  const option =
    options.find((one) => one.label.toLowerCase() === said.toLowerCase()) ??
    (number === undefined ? undefined : options[Number(number) - 1]);
  return option ? { type: "option", optionId: option.id, value: option.value } : { type: "text", value: said };
}

/** The answer, or what is wrong with which field. */
export function formAnswer(request: Clarification, values: FormValues): Answer | { errors: Record<string, string> } {
  const fields = request.input.type === "form" ? request.input.fields : [];
  const errors: Record<string, string> = {};
  const kept: Record<string, string | number | boolean | readonly string[]> = {};
  for (const field of fields) {
    const result = fieldValue(field, Object.hasOwn(values, field.name) ? values[field.name] : undefined);
    if ("error" in result) errors[field.name] = result.error;
    else if (result.value !== undefined) kept[field.name] = result.value;
  }
  return Object.keys(errors).length > 0 ? { errors } : { type: "form", values: kept };
}

type FieldResult = { error: string } | { value: FormValues[string] | undefined };

function fieldValue(field: QuestionField, given: FormValues[string] | undefined): FieldResult {
  const empty = given === undefined || given === "" || (Array.isArray(given) && given.length === 0);
  if (empty) return field.required ? { error: `${field.label} is needed` } : { value: undefined };
  switch (field.type) {
    case "number": {
      const number = Number(given);
      return Number.isFinite(number) ? { value: number } : { error: `${field.label} must be a number` };
    }
    case "checkbox": {
      const checked = given === true || given === "true" || given === "on";
      return field.required && !checked ? { error: `${field.label} must be ticked` } : { value: checked };
    }
    case "select":
    case "multi_select": {
      const chosen = (Array.isArray(given) ? given : [given]).map(String);
      const known = chosen.map((id) => field.options.find((option) => option.id === id)?.value);
      if (known.some((value) => value === undefined)) return { error: `${field.label} has no such option` };
      const values = known.filter((value) => value !== undefined);
      return { value: field.type === "select" ? values[0] : values };
    }
    case "date":
      return /^\d{4}-\d{2}-\d{2}$/.test(String(given))
        ? { value: String(given) }
        : { error: `${field.label} must be a date like 2026-01-31` };
    case "text":
    case "textarea":
      return { value: String(given) };
  }
}

/** The answer as a person reads it under the closed question. */
export function answerText(request: Clarification, answer: Answer): string {
  switch (answer.type) {
    case "option":
      return choices(request).find((one) => one.id === answer.optionId)?.label ?? answer.value;
    case "text":
      return answer.value;
    case "form":
      return Object.entries(answer.values)
        .map(([name, value]) => `${labelOf(request, name)}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
        .join("; ");
  }
}

function labelOf(request: Clarification, name: string): string {
  const fields = request.input.type === "form" ? request.input.fields : [];
  return fields.find((field) => field.name === name)?.label ?? name;
}
