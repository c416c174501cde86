/**
 * A form as a modal, and what was filled in. Pure. Shapes: https://docs.slack.dev/reference/views/modal-views
 *
 * What comes back must say by itself which field and which option it is, and ids are short on Slack:
 *
 *   block     the field's name; `#<index>` for one that is too long, which then stands in the modal's metadata
 *   element   `<type>:<index>`: how to read it
 *   option    `=<id>`, or `~<rest>` of an id that begins with the name of its field
 */
import { z } from "zod";
import { threadKey } from "../../gateway/contract.ts";
import type { Form, FormField, FormValues, ThreadKey } from "../../gateway/contract.ts";
import { doNotFit, fitted } from "../shared/choices.ts";
import { shorten } from "../shared/graphemes.ts";
import { plainText } from "./buttons.ts";
import type { Block, Fields } from "./part.ts";
import type { View } from "./payload.ts";

/** Where a form was opened, kept in the form itself: Slack does not say it again. */
export interface Origin {
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
/** Slack: 255 characters; an option's value 150, the modal's metadata 3000. */
const BLOCK_ID = 255;

export function formView(form: Form, origin: Origin): Fields {
  return {
    type: "modal",
    callback_id: form.token,
    private_metadata: JSON.stringify({ thread: origin.thread, direct: origin.direct, names: longNames(form.fields) }),
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

const isLong = (name: string): boolean => name.length > BLOCK_ID;

/** By the ids of their blocks. */
const longNames = (fields: readonly FormField[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.flatMap(({ name }, index) => (isLong(name) ? [[`#${index}`, name]] : [])));

function input(field: FormField, index: number): Block {
  return {
    type: "input",
    block_id: isLong(field.name) ? `#${index}` : field.name,
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
      return { type: "static_select", ...menu(field), ...placeholder };
    case "multi_select":
      return { type: "multi_static_select", ...menu(field), ...placeholder };
  }
}

/** Labels bear numbers where one of them is cut: others may begin with the same words. */
function menu({ name, options }: Extract<FormField, { readonly options: unknown }>): Fields {
  const choices = options.map(({ id, label }) => ({ token: valueOfOption(id, name), label }));
  const shown = fitted(choices, OPTION, doNotFit(choices, OPTION)).map(({ token, label }) => ({
    text: plainText(label),
    value: token,
  }));
  if (shown.length <= OPTIONS) return { options: shown };
  const groups = Array.from({ length: Math.ceil(shown.length / OPTIONS) }, (_, index) => {
    const first = index * OPTIONS;
    const part = shown.slice(first, first + OPTIONS);
    return { label: plainText(`${first + 1} to ${first + part.length}`), options: part };
  });
  return { option_groups: groups };
}

const valueOfOption = (id: string, name: string): string =>
  id.startsWith(name) ? `~${id.slice(name.length)}` : `=${id}`;
const idOf = (value: string, name: string): string =>
  value.startsWith("~") ? `${name}${value.slice(1)}` : value.slice(1);

const metadata = z.object({
  thread: z.string(),
  direct: z.boolean(),
  names: z.record(z.string(), z.string()).default({}),
});

type Opened = Pick<View, "private_metadata">;
const readMetadata = ({ private_metadata: text }: Opened) => metadata.safeParse(parsed(text));
/** Block id and name of each field whose name was too long. */
const namesIn = (view: Opened) => Object.entries(readMetadata(view).data?.names ?? {});

/** `undefined`: a modal that this adapter did not open. */
export function readOrigin(view: Opened): Origin | undefined {
  const read = readMetadata(view);
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
export function readForm(view: Opened & Pick<View, "state">): FormValues {
  const names = new Map(namesIn(view));
  const filled = Object.entries(view.state.values).flatMap(([block, elements]) =>
    Object.entries(elements).flatMap(([id, element]) => {
      const name = names.get(block) ?? block;
      const value = valueOf(id.replace(/:.*/, ""), name, state.parse(element));
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  return Object.fromEntries(filled);
}

/** What is wrong with the fields, by the ids of their blocks, as Slack wants it. */
export function inputErrors(view: Opened, errors: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const blocks = new Map(namesIn(view).map(([block, name]) => [name, block]));
  return Object.fromEntries(Object.entries(errors).map(([field, error]) => [blocks.get(field) ?? field, error]));
}

function valueOf(type: string, name: string, given: z.output<typeof state>): FormValues[string] | undefined {
  switch (type) {
    case "checkbox":
      return (given.selected_options ?? []).length > 0;
    case "select":
      return given.selected_option ? idOf(given.selected_option.value, name) : undefined;
    case "multi_select":
      return given.selected_options?.map(({ value }) => idOf(value, name));
    case "number":
      return given.value ? Number(given.value) : undefined;
    default:
      return given.value ?? given.selected_date ?? undefined;
  }
}
