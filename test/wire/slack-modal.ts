/** What a person enters into a modal, as `view.state.values` carries it. */
import type { Block } from "./slack-blocks.ts";
import type { InputElement, Option } from "./slack-elements.ts";
import type { WireView } from "./slack-world.ts";

/** By label, block id or action id of the field: a text, a date, the label of an option, or several of them. */
export type Filled = Readonly<Record<string, string | readonly string[]>>;
type State = Record<string, unknown>;
type Field = Extract<Block, { type: "input" }>;

/** Throws where Slack's own client would not submit: a field that is not there, or a required one left empty. */
export function fillIn({ fields }: WireView, values: Filled): Record<string, State> {
  const inputs = fields.blocks.filter((block) => block.type === "input");
  const unknown = Object.keys(values).filter((name) => !inputs.some((field) => isNamed(field, name)));
  if (unknown.length > 0)
    throw new Error(`Expected fields ${inputs.map(({ label }) => label.text).join(", ")}, got ${unknown.join(", ")}.`);
  const filled = inputs.map((field) => [field.block_id ?? "", fieldState(field, values)] as const);
  return Object.fromEntries(filled);
}

const isNamed = ({ label, block_id, element }: Field, name: string): boolean =>
  [label.text, block_id, element.action_id].includes(name);

function fieldState(field: Field, values: Filled): State {
  const [, given] = Object.entries(values).find(([name]) => isNamed(field, name)) ?? [];
  const empty = given === undefined || given.length === 0;
  if (empty && !field.optional) throw new Error(`Expected something in the required field "${field.label.text}".`);
  const { element } = field;
  const list = given === undefined ? [] : [given].flat();
  return { [element.action_id ?? ""]: { type: element.type, ...elementState(element, list) } };
}

function elementState(element: InputElement, given: readonly string[]): State {
  const [first] = given;
  const one = first === undefined || first === "" ? null : first;
  switch (element.type) {
    case "plain_text_input":
      if (one && one.length > (element.max_length ?? 3000)) throw new Error("Expected a text within max_length.");
      return { value: one };
    case "number_input":
      if (one !== null && Number.isNaN(Number(one))) throw new Error(`Expected a number, got "${one}".`);
      return { value: one };
    case "email_text_input":
    case "url_text_input":
      return { value: one };
    case "datepicker":
      return { selected_date: one };
    case "timepicker":
      return { selected_time: one };
    case "users_select":
      return { selected_user: one };
    case "static_select":
      return { selected_option: one === null ? null : optionOf(element.options, one) };
    case "radio_buttons":
      return { selected_option: one === null ? null : optionOf(element.options, one) };
    case "multi_static_select":
      return { selected_options: given.map((label) => optionOf(element.options, label)) };
    case "checkboxes":
      return { selected_options: given.map((label) => optionOf(element.options, label)) };
  }
}

type AnyOption = Pick<Option, "value"> & { readonly text: { readonly text: string } };

function optionOf(options: readonly AnyOption[] = [], label: string): AnyOption {
  const found = options.find(({ text, value }) => text.text === label || value === label);
  if (found) return found;
  throw new Error(`Expected one of ${options.map(({ text }) => text.text).join(", ")}, got "${label}".`);
}
