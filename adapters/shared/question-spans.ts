/** A question and a form in words. */
import type { Form, FormField, ViewOf } from "../../gateway/contract.ts";
import { markdownSpans } from "./markdown-spans.ts";
import { bold, italic, joined, plain } from "./spans.ts";
import type { Span } from "./spans.ts";

export interface QuestionStyle {
  /** The labels do not fit their buttons: the text holds them all, numbered. */
  readonly listed: boolean;
  /** There is no form that opens by a button: the text says what is asked for, line by line. */
  readonly formAsText: boolean;
}

export function questionSpans(view: ViewOf<"question">, { listed, formAsText }: QuestionStyle): Span[] {
  const open = view.closed === undefined;
  const [first, ...rest] = [...(view.context ? [view.context] : []), view.question].map(markdownSpans);
  const paragraphs = [
    [plain(`${view.icon} `), ...(first ?? [])],
    ...rest,
    ...(listed ? [numbered(view.options.map((option) => option.label))] : []),
    ...(view.form && open && formAsText ? [formSpans(view.form)] : []),
    [view.closed ? closing(view.closed) : italic(`For ${view.asked}`)],
  ];
  return joined(paragraphs, "\n\n");
}

function closing(closed: NonNullable<ViewOf<"question">["closed"]>): Span {
  return closed.type === "answered" ? bold(`✓ ${closed.answer} (${closed.by})`) : italic(`✗ ${closed.reason}`);
}

/** One span, however many they are: each would be an element of a Slack message. */
const numbered = (labels: readonly string[]): Span[] => [
  plain(labels.map((label, index) => `${index + 1}. ${label}`).join("\n")),
];

/** A form as words: what is asked for, line by line. */
export function formSpans(form: Form): Span[] {
  const lines = form.fields.map((field) => [plain("• "), bold(field.label), plain(hint(field))]);
  return joined([[bold(form.title)], ...lines, [plain("Please answer all of it in one message.")]], "\n");
}

function hint(field: FormField): string {
  const kinds: Partial<Record<FormField["type"], string>> = {
    number: "a number",
    date: "a date",
    checkbox: "yes or no",
  };
  const choice =
    "options" in field
      ? `${field.type === "select" ? "one of" : "any of"} ${field.options.map((option) => option.label).join(", ")}`
      : kinds[field.type];
  const words = [choice, field.placeholder && `e.g. ${field.placeholder}`, !field.required && "optional"].filter(
    Boolean,
  );
  return words.length > 0 ? `: ${words.join("; ")}` : "";
}
