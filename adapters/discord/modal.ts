/** A form as a modal, and a submitted modal as the form's values. */
import type { Form, FormField, FormValues } from "../../gateway/contract.ts";
import { shorten } from "../shared/graphemes.ts";

/** Discord: 1 to 5 components in a modal, title and labels 1 to 45, a description 100, an option 100, ids 100. */
const MAX_FIELDS = 5;
const TITLE = 45;
const LABEL = 45;
const HINT = 100;
const MAX_OPTIONS = 25;
const MAX_ID = 100;
/** Discord's numbers: a menu, a text input with its two styles, a label around either. */
const [MENU, TEXT_INPUT, IN_LABEL] = [3, 4, 18] as const;
const [SHORT, PARAGRAPH] = [1, 2] as const;

/** What comes back says by its id whether one value or a list was asked for: `one:<name>`, `any:<name>`. */
const idOf = (field: FormField): string => `${field.type === "multi_select" ? "any" : "one"}:${field.name}`;

/** A form with more or longer parts cannot be a modal: it is asked for in words. */
export function fitsModal({ fields, title }: Form): boolean {
  return title.trim() !== "" && fields.length > 0 && fields.length <= MAX_FIELDS && fields.every(fits);
}

function fits(field: FormField): boolean {
  if (idOf(field).length > MAX_ID || field.label.trim() === "") return false;
  if (!("options" in field)) return true;
  const ids = field.options.map(({ id }) => id);
  const distinct = new Set(ids).size === ids.length;
  return distinct && ids.length > 0 && ids.length <= MAX_OPTIONS && ids.every((id) => id !== "" && id.length <= MAX_ID);
}

/** The `data` of an answer that opens a modal; only for a form that fits. */
export function modalOf(form: Form) {
  return {
    custom_id: form.token,
    title: shorten(form.title, TITLE),
    components: form.fields.map((field) => {
      const hint = hintOf(field);
      return {
        type: IN_LABEL,
        label: shorten(field.label, LABEL),
        ...(hint && { description: shorten(hint, HINT) }),
        component: componentOf(field),
      };
    }),
  };
}

/** A label that was cut stands whole below; a format that Discord cannot enforce is said. */
function hintOf(field: FormField): string | undefined {
  if (field.label.length > LABEL) return field.label;
  if (field.type === "number") return "A number";
  return field.type === "date" ? "A date like 2026-01-31" : undefined;
}

function componentOf(field: FormField) {
  const { required } = field;
  const custom_id = idOf(field);
  const placeholder = field.placeholder && { placeholder: shorten(field.placeholder, HINT) };
  switch (field.type) {
    case "select":
    case "multi_select": {
      const most = field.type === "select" ? 1 : field.options.length;
      const options = field.options.map(({ id, label }) => ({ label: shorten(label, HINT) || id, value: id }));
      return { type: MENU, custom_id, ...placeholder, required, ...range(required, most), options };
    }
    case "checkbox":
      return { type: MENU, custom_id, ...placeholder, required, ...range(required, 1), options: YES_NO };
    case "text":
    case "number":
    case "date":
      return { type: TEXT_INPUT, custom_id, style: SHORT, ...placeholder, required };
    case "textarea":
      return { type: TEXT_INPUT, custom_id, style: PARAGRAPH, ...placeholder, required };
  }
}

const range = (required: boolean, most: number) => ({ min_values: required ? 1 : 0, max_values: most });

const YES_NO = [
  { label: "Yes", value: "true" },
  { label: "No", value: "false" },
];

/** One input of a submitted modal: a text, or what was chosen in a menu. */
export interface Submitted {
  readonly custom_id: string;
  readonly value?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

export function valuesOf(submitted: readonly Submitted[]): FormValues {
  return Object.fromEntries(
    submitted.map(({ custom_id: id, value, values = [] }) => {
      const given = id.startsWith("any:") ? [...values] : (value ?? values[0] ?? "");
      return [id.replace(/^(?:one|any):/, ""), given];
    }),
  );
}
