/** A form as a modal, and what was filled in. Pure. Shapes: https://docs.slack.dev/reference/views/modal-views */
import { z } from "zod";
import { threadKey } from "../../gateway/contract.ts";
import type { Form, FormField, FormValues, ThreadKey } from "../../gateway/contract.ts";
import { shorten } from "../shared/split.ts";
import { plainText } from "./actions.ts";
import type { Block, Fields } from "./part.ts";
import type { View } from "./payload.ts";

/** Where a form was opened, kept in the form itself: Slack does not say it again. */
export interface Where {
  readonly thread: ThreadKey;
  readonly direct: boolean;
}

/** Slack: title and buttons 24 characters, label 2000, placeholder 150, an option's text 75, 100 options in a menu. */
const TITLE = 24;
const HEADING = 1000;
const LABEL = 2000;
const PLACEHOLDER = 150;
const OPTION = 75;
const OPTIONS = 100;

export function formView(form: Form, opened: Where): Fields {
  return {
    type: "modal",
    callback_id: form.token,
    private_metadata: JSON.stringify({ thread: opened.thread, direct: opened.direct }),
    title: plainText(shorten(oneLine(form.title) || "Question", TITLE)),
    submit: plainText("Send"),
    close: plainText("Cancel"),
    blocks: [...heading(form.title), ...form.fields.map(input)],
  };
}

/** A title that had to be cut stands whole above the fields. */
function heading(title: string): Block[] {
  if (oneLine(title).length <= TITLE) return [];
  return [{ type: "section", text: plainText(shorten(title, HEADING)) }];
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** The id of the element begins with the type, so that what comes back says how to read it. */
function input(field: FormField, index: number): Block {
  return {
    type: "input",
    block_id: field.name,
    label: plainText(shorten(field.label, LABEL)),
    // A box that must be ticked would leave no way to say no; a required yes is checked when it comes back.
    optional: !field.required || field.type === "checkbox",
    element: { action_id: `${field.type}:${index}`, ...element(field) },
  };
}

function element(field: FormField): Fields {
  const placeholder = field.placeholder ? { placeholder: plainText(shorten(field.placeholder, PLACEHOLDER)) } : {};
  switch (field.type) {
    case "text":
      return { type: "plain_text_input", ...placeholder };
    case "textarea":
      return { type: "plain_text_input", multiline: true, ...placeholder };
    case "number":
      return { type: "number_input", is_decimal_allowed: true, ...placeholder };
    case "date":
      return { type: "datepicker", ...placeholder };
    case "checkbox":
      return { type: "checkboxes", options: [{ text: plainText("Yes"), value: "yes" }] };
    case "select":
      return { type: "static_select", ...menu(field.options), ...placeholder };
    case "multi_select":
      return { type: "multi_static_select", ...menu(field.options), ...placeholder };
  }
}

type Options = readonly { readonly id: string; readonly label: string }[];

function menu(options: Options): Fields {
  const shown = options.map(({ id, label }) => ({ text: plainText(shorten(label, OPTION)), value: id }));
  if (shown.length <= OPTIONS) return { options: shown };
  const groups = Array.from({ length: Math.ceil(shown.length / OPTIONS) }, (_, index) => {
    const first = index * OPTIONS;
    const part = shown.slice(first, first + OPTIONS);
    return { label: plainText(`${first + 1} to ${first + part.length}`), options: part };
  });
  return { option_groups: groups };
}

const metadata = z.object({ thread: z.string(), direct: z.boolean() });

/** `undefined`: a modal that this adapter did not open. */
export function readWhere({ private_metadata: text }: Pick<View, "private_metadata">): Where | undefined {
  const read = metadata.safeParse(parsed(text));
  return read.success ? { thread: threadKey(read.data.thread), direct: read.data.direct } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const option = z.object({ value: z.string() });
const state = z.object({
  value: z.string().nullish(),
  selected_date: z.string().nullish(),
  selected_option: option.nullish(),
  selected_options: z.array(option).nullish(),
});

/** By the fields' names. What was left empty is left out. */
export function readForm({ state: { values } }: Pick<View, "state">): FormValues {
  const filled = Object.entries(values).flatMap(([name, elements]) =>
    Object.entries(elements).flatMap(([id, element]) => {
      const value = valueOf(id.replace(/:.*/, ""), state.parse(element));
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  return Object.fromEntries(filled);
}

function valueOf(type: string, given: z.output<typeof state>): FormValues[string] | undefined {
  switch (type) {
    case "checkbox":
      return (given.selected_options ?? []).length > 0;
    case "multi_select":
      return given.selected_options?.map(({ value }) => value);
    case "number":
      return given.value ? Number(given.value) : undefined;
    default:
      return given.value ?? given.selected_date ?? given.selected_option?.value;
  }
}
